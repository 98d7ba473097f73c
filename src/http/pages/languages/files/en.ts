/** The page of a file to upload, and what other pages say about it. The last keys are the problems of an upload. */
export const en = {
  service: 'Calendar and contact files',
  label: 'Choose a file, or drop it here',
  formats: 'Calendars (.ics), contacts (.vcf), or a ZIP archive with such files. At most {megabytes} MB.',
  upload: 'Upload and connect',
  where: 'Where do I get such a file?',
  whereGoogle: 'Google: takeout.google.com, with Calendar and Contacts only; upload the ZIP archive as it is.',
  whereApple: 'Apple: in Calendar choose File, Export; in Contacts choose Export vCard.',
  whereOutlook: 'Outlook: save the calendar as iCalendar, and the contacts as vCard.',
  promise:
    'Events and contacts in the file are stored and shared with {app}. Everything else in it, such as pictures, is not. The file itself is not kept, and nothing is read again later unless you upload a new file.',
  readOn: 'Read from a file on {date} at {time}',
  waiting: 'The file is being read',
  endText: 'Everything that {app} read from your files is deleted here. This cannot be undone.',
  format:
    'This file is neither a calendar (.ics) nor contacts (.vcf) nor a ZIP archive with such files. Nothing was stored.',
  empty: 'There are no events and no contacts in this file. Nothing was stored.',
  damaged: 'This ZIP archive is damaged. Download it again, or upload the files in it one by one.',
  encrypted: 'This ZIP archive has a password. Unpack it, and upload the files in it.',
  unsupported: 'This kind of ZIP archive cannot be read. Unpack it, and upload the files in it.',
  too_many_entries: 'This ZIP archive has too many files. Export only calendars and contacts.',
  too_large:
    'This file is too large, or becomes too large when it is unpacked. At most {megabytes} MB can be uploaded.',
  too_many: 'This file has too many events and contacts. Export fewer calendars at a time.',
  broken: 'The upload broke off, and nothing was stored. Try again.',
  missing: 'Choose a file first.',
} as const
