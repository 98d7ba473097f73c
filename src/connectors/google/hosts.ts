export const PEOPLE_HOST = 'https://people.googleapis.com'
export const GMAIL_HOST = 'https://gmail.googleapis.com'

/** Each of Google's APIs has a host; the older ones are at that of the connector too. */
export const hosts: readonly string[] = [PEOPLE_HOST, GMAIL_HOST, 'https://*.googleapis.com']

const PATHS: Record<string, readonly string[]> = {
  people: ['/v1/people', '/v1/contactGroups', '/v1/otherContacts', '/batch/people'],
  gmail: ['/gmail/v1', '/upload/gmail/v1', '/resumable/upload/gmail/v1', '/batch/gmail/v1'],
  chat: ['/v1/spaces', '/upload/v1/spaces'],
  classroom: ['/v1/courses', '/v1/invitations', '/v1/userProfiles'],
  docs: ['/v1/documents'],
  driveactivity: ['/v2/activity'],
  forms: ['/v1/forms'],
  keep: ['/v1/notes'],
  meet: ['/v2/spaces', '/v2/conferenceRecords'],
  photoslibrary: ['/v1/albums', '/v1/mediaItems', '/v1/sharedAlbums', '/v1/uploads'],
  sheets: ['/v4/spreadsheets'],
  slides: ['/v1/presentations'],
  tasks: ['/tasks/v1'],
}

/** Paths that only one of these APIs has, so that all of them can be called at one address. */
export const pathHosts: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(PATHS).flatMap(([api, paths]) => paths.map((path) => [path, `https://${api}.googleapis.com`])),
)

/** The API whose limits a path counts in. */
export function groupOf(path: string): string | undefined {
  if (/^\/v1\/(?:people|contactGroups|otherContacts)(?![\w-])/.test(path)) return 'people'
  return /^\/(?:upload\/|resumable\/upload\/|batch\/)?(calendar|drive|youtube|gmail)\//.exec(path)?.[1]
}
