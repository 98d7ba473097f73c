import type { ZipFault } from '#platform/formats/zip.ts'

/**
 * Why a file was not accepted. `format`: it is neither a calendar, nor contacts, nor an archive. `empty`: nothing in it is an event
 * or a contact. `broken`: the upload broke off.
 */
export type UploadProblem = ZipFault | 'format' | 'empty' | 'too_many' | 'broken' | 'missing'

/** Sentences for apps; people read those of the page. */
export const UPLOAD_PROBLEMS: Record<UploadProblem, string> = {
  format: 'The file is neither iCalendar (.ics) nor vCard (.vcf) nor a ZIP archive with such files.',
  empty: 'The file has no events and no contacts.',
  damaged: 'The ZIP archive is damaged.',
  encrypted: 'The ZIP archive is encrypted; unpack it first.',
  unsupported:
    'The ZIP archive uses ZIP64, several volumes or an unknown compression; unpack it, or make a smaller one.',
  too_many_entries: 'The ZIP archive has too many files; make one with the calendars and contacts only.',
  too_large: 'The file, or what it contains, is too large.',
  too_many: 'The file has too many events and contacts.',
  broken: 'The upload broke off or is not well formed.',
  missing: 'The request has no file.',
}
