import { kind, timeOf } from '#kit/read/kind.ts'

export interface Entry {
  '.tag'?: 'file' | 'folder' | 'deleted'
  name?: string
  path_lower?: string
  path_display?: string
  id?: string
  client_modified?: string
  server_modified?: string
  size?: number
}

export interface SharedLink {
  url: string
  id?: string
  name?: string
  path_lower?: string
  client_modified?: string
  size?: number
}

const MEDIA_TYPES = new Map([
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['heic', 'image/heic'],
  ['mp4', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['mp3', 'audio/mpeg'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['json', 'application/json'],
  ['zip', 'application/zip'],
])

/** A deleted entry has no id, so entries are named by their path; a moved file is a deleted and a new one. */
export const file = kind<Entry>({
  name: 'file',
  id: ({ path_lower }) => path_lower ?? '',
  at: ({ client_modified, server_modified }) => timeOf(client_modified ?? server_modified),
  types: (entry) => (entry['.tag'] === 'folder' ? [] : ['files']),
  deleted: (entry) => entry['.tag'] === 'deleted',
  map: {
    name: ({ name }) => name,
    path: ({ path_display }) => path_display,
    bytes: ({ size }) => size,
    mime: ({ name }) => MEDIA_TYPES.get(name?.split('.').at(-1)?.toLowerCase() ?? ''),
    url: ({ path_display }) =>
      path_display && `https://www.dropbox.com/home${path_display.split('/').map(encodeURIComponent).join('/')}`,
  },
  card: { title: ({ name }) => name },
})

export const sharedLink = kind<SharedLink>({
  name: 'link',
  id: ({ url }) => url,
  at: ({ client_modified }) => timeOf(client_modified),
  map: { name: ({ name }) => name, url: ({ url }) => url, bytes: ({ size }) => size },
})
