import { type Endpoint, endpoint } from '#kit/endpoints/endpoint.ts'
import { kind, timeOf } from '#kit/read/kind.ts'
import { webAddress } from './addresses.ts'
import { listThenChanges, type Positioned } from './list-then-changes.ts'
import { DRIVE } from './scopes.ts'

interface User {
  displayName?: string
  emailAddress?: string
  me?: boolean
}

interface File {
  id: string
  name?: string
  description?: string
  mimeType?: string
  createdTime?: string
  modifiedTime?: string
  trashed?: boolean
  /** Sizes are texts. Google's own documents have none. */
  size?: string
  webViewLink?: string
  iconLink?: string
  parents?: string[]
  ownedByMe?: boolean
  owners?: User[]
  /** Set by `fileOf`: the person has no access to it any more. */
  removed?: boolean
}

interface Change {
  changeType?: string
  fileId?: string
  removed?: boolean
  file?: File
}

interface Body extends Positioned {
  startPageToken?: string
  newStartPageToken?: string
  files?: File[]
  changes?: Change[]
}

const FOLDER = 'application/vnd.google-apps.folder'
const FIELDS =
  'id,name,description,mimeType,createdTime,modifiedTime,trashed,size,md5Checksum,webViewLink,iconLink,parents,ownedByMe,shared,starred,owners(displayName,emailAddress,me)'

const ownerOf = ({ owners }: File) => owners?.[0]

const file = kind<File>({
  name: 'file',
  id: ({ id }) => id,
  at: ({ modifiedTime, createdTime }) => timeOf(modifiedTime ?? createdTime),
  types: ({ mimeType }) => (mimeType === FOLDER ? [] : ['files']),
  deleted: ({ removed, trashed }) => removed === true || trashed === true,
  participants: (one) => ({
    author: ownerOf(one)?.me === true ? undefined : ownerOf(one)?.emailAddress?.toLowerCase(),
  }),
  map: {
    name: ({ name }) => name,
    title: ({ name }) => name,
    text: ({ description }) => description,
    path: ({ name }) => name,
    mime: ({ mimeType }) => mimeType,
    bytes: ({ size }) => (size !== undefined && /^\d{1,15}$/.test(size) ? Number(size) : undefined),
    url: ({ webViewLink }) => webAddress(webViewLink),
    author: (one) => {
      const name = ownerOf(one)?.displayName
      return name === undefined ? undefined : { name }
    },
  },
})

/** A change of a shared drive itself is not one of a file. */
function fileOf({ changeType = 'file', removed, fileId, file: changed }: Change): File[] {
  if (changeType !== 'file') return []
  if (removed === true) return fileId === undefined ? [] : [{ id: fileId, removed }]
  return changed === undefined ? [] : [changed]
}

function filesIn({ startPageToken, files, changes }: Body): File[] | undefined {
  if (startPageToken !== undefined) return []
  return changes?.flatMap((change) => (change === null ? [] : fileOf(change))) ?? files
}

/** Files with names and times, without content. Those in the trash count as deleted. */
export const drive: Record<string, Endpoint> = {
  files: endpoint<Body, File>({
    ...listThenChanges<Body>({
      position: { path: '/drive/v3/changes/startPageToken', query: {} },
      list: {
        path: '/drive/v3/files',
        query: { q: 'trashed = false', spaces: 'drive', pageSize: '1000', fields: `nextPageToken,files(${FIELDS})` },
      },
      changes: {
        path: '/drive/v3/changes',
        param: 'pageToken',
        query: {
          spaces: 'drive',
          includeRemoved: 'true',
          pageSize: '1000',
          fields: `nextPageToken,newStartPageToken,changes(changeType,removed,fileId,file(${FIELDS}))`,
        },
      },
      from: ({ startPageToken, newStartPageToken }) => newStartPageToken ?? startPageToken,
    }),
    items: filesIn,
    kind: file,
    types: ['files'],
    every: '1h',
    wholeEvery: '30d',
    class: 'personal',
    deletes: 'all',
    scope: [DRIVE],
  }),
}
