import { createHash, type Hash } from 'node:crypto'
import type { Person } from '../../base/people.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import { type LabRequest, mediaType } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import { type ApiParts, type Call, ownEndpoint, recordOf, selected } from './api-endpoint.ts'
import { file, whole } from './drive-routes.ts'
import { emailOf } from './generate.ts'
import { SCOPES } from './login.ts'
import { failure, invalid, notFound } from './respond.ts'

/** A file whose bytes are still arriving; its address is the secret that lets somebody send them. */
interface Session {
  person: Person
  metadata: Record<string, unknown>
  type: string | undefined
  /** As the first request selects them. */
  get: Call['get']
  bytes: Buffer
}

const FILES = '/drive/v3/files'
const UPLOAD = `/upload${FILES}`

/** Files one by one: read, and made from metadata, from content, from both, or in parts. */
export function driveWrites(parts: ApiParts, nextId: () => string): Routes {
  const { store } = parts.tracked
  const sessions = new Map<string, Session>()
  const contents = new Map<string, Buffer>()

  const add = (person: Person, metadata: Record<string, unknown>, content?: Buffer, type?: string) => {
    const { name = 'Untitled', mimeType = type ?? 'application/octet-stream', parents, description } = metadata
    const atMs = parts.context.clock.now()
    const digest = (algorithm: string): Hash => createHash(algorithm).update(content ?? '')
    const fields = {
      name,
      mimeType,
      ...(description !== undefined && { description }),
      parents: parents ?? ['0AKnRoot'],
      ...(content && {
        size: String(content.length),
        md5Checksum: digest('md5').digest('hex'),
        sha1Checksum: digest('sha1').digest('hex'),
        sha256Checksum: digest('sha256').digest('hex'),
        originalFilename: name,
      }),
      webViewLink: 'https://drive.google.com/file/d/1/view?usp=drivesdk',
      ownedByMe: true,
      shared: false,
      owners: [{ kind: 'drive#user', displayName: person.name, emailAddress: emailOf(person), me: true }],
    }
    const made = store.put(person.username, 'files', { id: nextId(), createdAtMs: atMs, updatedAtMs: atMs, fields })
    if (content) contents.set(made.id, content)
    return file(made)
  }

  const upload = (call: Call): Reply => {
    const { person, request, get } = call
    const kind = get('uploadType')
    if (kind === 'resumable') {
      const id = `AHx${createHash('sha256').update(nextId()).digest('base64url')}`
      const type = request.headers['x-upload-content-type']
      sessions.set(id, {
        person,
        metadata: recordOf(request),
        type: typeof type === 'string' ? type : undefined,
        get,
        bytes: Buffer.alloc(0),
      })
      const location = `${parts.context.url()}${UPLOAD}?uploadType=resumable&upload_id=${id}`
      return { status: 200, headers: { location, 'x-guploader-uploadid': id }, body: '' }
    }
    if (kind === 'media') return shown(call, add(person, {}, request.body, mediaType(request)))
    if (kind !== 'multipart') throw invalid('uploadType')
    const [metadata, content] = relatedParts(request)
    if (metadata === undefined || content === undefined) throw failure(400, 'badContent', 'Malformed multipart body.')
    return shown(call, add(person, recordOf(metadata), content.body, content.type))
  }

  /** The rest of a file, or a question about how much of it is here. */
  const put = (request: LabRequest): Reply => {
    const id = request.query.find(([name]) => name === 'upload_id')?.[1] ?? ''
    const session = sessions.get(id)
    if (session === undefined) throw notFound()
    const range = request.headers['content-range']
    const { start, total } = rangeOf(range, request.body.length)
    if (start === session.bytes.length) session.bytes = Buffer.concat([session.bytes, request.body])
    const { length } = session.bytes
    if (length !== total)
      return { status: 308, headers: length === 0 ? {} : { range: `bytes=0-${length - 1}` }, body: '' }
    sessions.delete(id)
    return shown(session, add(session.person, session.metadata, session.bytes, session.type))
  }

  const get = (call: Call): Reply => {
    const found = store.find('files', call.params['fileId'] ?? '')
    if (found?.owner !== call.person.username)
      throw failure(404, 'notFound', `File not found: ${call.params['fileId']}.`, { location: 'fileId' })
    const content = contents.get(found.item.id)
    if (call.get('alt') !== 'media') return shown(call, file(found.item))
    if (content === undefined)
      throw failure(403, 'fileNotDownloadable', 'Only files with binary content can be downloaded.')
    return { status: 200, headers: { 'content-type': String(found.item.fields['mimeType']) }, body: content }
  }

  return {
    [`GET ${FILES}/:fileId`]: ownEndpoint(parts, SCOPES.drive, get),
    [`POST ${FILES}`]: ownEndpoint(parts, SCOPES.writeFiles, (call) =>
      shown(call, add(call.person, recordOf(call.request))),
    ),
    [`POST ${UPLOAD}`]: ownEndpoint(parts, SCOPES.writeFiles, upload),
    [`PUT ${UPLOAD}`]: put,
  }
}

const shown = (call: Pick<Call, 'get'>, one: Record<string, unknown>): Reply => selected(call, whole(call, one))

/** `bytes 0-9/20`, `bytes 0-9/*` while the size is not known, `bytes *\/20` as a question; without it, everything. */
function rangeOf(range: string | string[] | undefined, length: number): { start: number; total: number | undefined } {
  if (range === undefined) return { start: 0, total: length }
  const found = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(String(range))
  const [, start, end, total] = found ?? []
  if (found === null || (end !== undefined && Number(end) - Number(start) + 1 !== length))
    throw new Refusal(json(400, { error: { code: 400, message: 'Failed to parse Content-Range header.' } }))
  return { start: start === undefined ? Infinity : Number(start), total: total === '*' ? undefined : Number(total) }
}

/** The parts of `multipart/related`. */
function relatedParts(request: LabRequest): { type: string; body: Buffer }[] {
  const boundary = /boundary="?([^";]+)"?/.exec(request.headers['content-type'] ?? '')?.[1]
  if (mediaType(request) !== 'multipart/related' || boundary === undefined) return []
  const text = request.body.toString('latin1')
  return text
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const at = part.indexOf('\r\n\r\n')
      const type = /content-type: *([^\r\n]+)/i.exec(part.slice(0, at))?.[1] ?? ''
      return { type, body: Buffer.from(part.slice(at + 4).replace(/\r\n$/, ''), 'latin1') }
    })
}
