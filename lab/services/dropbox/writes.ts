import type { ServiceClock } from '../../base/clock.ts'
import { json, Refusal, type Reply, text } from '../../base/reply.ts'
import { type LabRequest, mediaType } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import { everyPath } from '../../declare/api.ts'
import type { Caller } from '../../oauth2/bearer.ts'
import { type ApiParts, dropboxEndpoint, failure, presentEntry, revOf } from './api.ts'
import { type Commit, type Conflict, commitFile, folderTree } from './uploaded.ts'

/** The parts of a file that arrive one after another. */
interface Session {
  owner: string
  chunks: Buffer[]
  closed: boolean
}

interface SessionCursor {
  session_id?: string
  offset?: number
}

const WRITE = 'files.content.write'

/** What people change: uploads, folders, deletions. */
export function dropboxWrites(parts: ApiParts, clock: ServiceClock): Routes {
  const rpc = dropboxEndpoint(parts)
  const upload = dropboxEndpoint(parts, uploadArgument)
  const download = dropboxEndpoint(parts, headerArgument)
  const sessions = new Map<string, Session>()
  /** Of the files that were uploaded; the others have no content here. */
  const contents = new Map<string, Buffer>()
  const treeOf = ({ person }: Caller) => folderTree({ data: parts.data, clock, person })
  const commit = (caller: Caller, info: Commit, content: Buffer, refuse: (conflict: Conflict) => Error): Reply => {
    const made = commitFile(treeOf(caller), { ...info, path: pathOf(info) }, content, refuse)
    contents.set(made.id, content)
    const { '.tag': _, ...file } = presentEntry(made)
    return json(200, file)
  }

  /** The session of a cursor, at its offset; `wrap` is how the endpoint tells a wrong one. */
  const sessionAt = (caller: Caller, cursor: SessionCursor, wrap: (tag: string, more?: object) => Error): Session => {
    const session = sessions.get(cursor.session_id ?? '')
    if (session?.owner !== caller.person.id) throw wrap('not_found')
    const offset = sizeOf(session)
    if (cursor.offset !== offset) throw wrap('incorrect_offset', { correct_offset: offset })
    return session
  }

  return {
    'POST /2/files/get_metadata': rpc('files.metadata.read', (caller, body) => {
      const found = treeOf(caller).at(pathOf(body))
      if (found === undefined) throw failure(409, 'path', { path: { '.tag': 'not_found' } }, 'path/not_found')
      return json(200, presentEntry(found))
    }),
    'POST /2/files/create_folder_v2': rpc(WRITE, (caller, body) => {
      const tree = treeOf(caller)
      const path = pathOf(body)
      const conflict = tree.fileAbove(path) ? 'file_ancestor' : tree.kindAt(path)
      if (conflict !== undefined && body['autorename'] !== true) throw writeFailure(conflict, 'path')
      const { '.tag': _, ...metadata } = presentEntry(tree.addFolder(conflict === undefined ? path : tree.free(path)))
      return json(200, { metadata })
    }),
    'POST /2/files/delete_v2': rpc(WRITE, (caller, body) => {
      const tree = treeOf(caller)
      const found = tree.at(pathOf(body))
      if (found === undefined)
        throw failure(409, 'path_lookup', { path_lookup: { '.tag': 'not_found' } }, 'path_lookup/not_found')
      const metadata = presentEntry(found)
      tree.remove(found.id)
      return json(200, { metadata })
    }),
    'POST /2/files/upload': upload(WRITE, (caller, argument, { body }) =>
      commit(caller, argument as unknown as Commit, body, (conflict) =>
        failure(
          409,
          'path',
          { reason: reasonOf(conflict), upload_session_id: `pid_upload_session:${clock.now()}` },
          `path/conflict/${conflict}`,
        ),
      ),
    ),
    'POST /2/files/download': download('files.content.read', (caller, argument, { headers }) => {
      const found = treeOf(caller).at(pathOf(argument))
      const refused = found === undefined ? 'not_found' : found.fields['tag'] === 'folder' ? 'not_file' : undefined
      const content = contents.get(found?.id ?? '')
      if (found === undefined || refused !== undefined)
        throw failure(409, 'path', { path: { '.tag': refused } }, `path/${refused}`)
      if (content === undefined) throw failure(409, 'unsupported_file')
      const { '.tag': _, ...metadata } = presentEntry(found)
      const etag = `W/"${revOf(found)}"`
      if (headers['if-none-match'] === etag) return { status: 304, headers: { etag }, body: '' }
      return {
        status: 200,
        headers: {
          'content-type': 'application/octet-stream',
          'dropbox-api-result': headerJson(metadata),
          'original-content-length': String(content.length),
          etag,
        },
        body: content,
      }
    }),
    'POST /2/files/upload_session/start': upload(WRITE, ({ person }, argument, { body }) => {
      const id = `pid_upload_session:AB${sessions.size}${person.username}`
      sessions.set(id, { owner: person.id, chunks: [body], closed: argument['close'] === true })
      return json(200, { session_id: id })
    }),
    'POST /2/files/upload_session/append_v2': upload(WRITE, (caller, argument, { body }) => {
      const wrap = (tag: string, more?: object) => failure(409, tag, more)
      const session = sessionAt(caller, argument['cursor'] ?? {}, wrap)
      if (session.closed) throw wrap('closed')
      session.chunks.push(body)
      session.closed = argument['close'] === true
      return json(200, null)
    }),
    'POST /2/files/upload_session/finish': upload(WRITE, (caller, argument, { body }) => {
      const cursor: SessionCursor = argument['cursor'] ?? {}
      const session = sessionAt(caller, cursor, (tag, more) =>
        failure(409, 'lookup_failed', { lookup_failed: { '.tag': tag, ...more } }, `lookup_failed/${tag}`),
      )
      const content = Buffer.concat([...session.chunks, body])
      const reply = commit(caller, argument['commit'] as Commit, content, (conflict) => writeFailure(conflict, 'path'))
      sessions.delete(cursor.session_id ?? '')
      return reply
    }),
    ...everyPath(['POST'], '/2', 4, ({ path }) => {
      const name = nameOf({ path })
      return text(400, `Error in call to API function "${name}": Unknown API function: ${path}`)
    }),
  }
}

const sizeOf = ({ chunks }: Session): number => chunks.reduce((sum, { length }) => sum + length, 0)
const reasonOf = (conflict: string) => ({ '.tag': 'conflict', conflict: { '.tag': conflict } })
const writeFailure = (conflict: string, tag: string): Refusal =>
  failure(409, tag, { [tag]: reasonOf(conflict) }, `${tag}/conflict/${conflict}`)

/** Uploads have a type, because their body is not the argument. */
function uploadArgument(request: LabRequest): Record<string, unknown> {
  if (mediaType(request) === 'application/octet-stream') return headerArgument(request)
  throw new Refusal(
    text(
      400,
      `Error in call to API function "${nameOf(request)}": Bad HTTP "Content-Type" header: "${mediaType(request)}".  Expecting one of "application/octet-stream", "text/plain; charset=dropbox-cors-hack".`,
    ),
  )
}

/** Content endpoints have their argument in a header, as JSON in ASCII. */
function headerArgument(request: LabRequest): Record<string, unknown> {
  const given = request.headers['dropbox-api-arg']
  try {
    if (typeof given === 'string') return JSON.parse(given) as Record<string, unknown>
  } catch {
    // Told below, like a missing one.
  }
  const problem = 'HTTP header "Dropbox-API-Arg": could not decode input as JSON'
  throw new Refusal(text(400, `Error in call to API function "${nameOf(request)}": ${problem}`))
}

const nameOf = ({ path }: Pick<LabRequest, 'path'>): string => path.replace('/2/', '')

/** JSON of a header has nothing beyond ASCII. */
const headerJson = (value: object): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

function pathOf({ path }: { path?: unknown }): string {
  if (typeof path === 'string' && /^(\/[\s\S]+|id:.*)$/.test(path)) return path
  throw new Refusal(
    text(
      400,
      `Error in call to API function: path: '${String(path)}' did not match pattern '(/(.|[\\r\\n])*)|(ns:[0-9]+(/.*)?)|(id:.*)'`,
    ),
  )
}
