import { createHash } from 'node:crypto'
import type { Person } from '../../base/people.ts'
import type { RateLimit } from '../../base/rate-limit.ts'
import { json, Refusal, type Reply, refusedAs, text } from '../../base/reply.ts'
import { type LabRequest, mediaType } from '../../base/request.ts'
import type { Handler, Routes } from '../../base/router.ts'
import type { StoredItem } from '../../data/item-store.ts'
import type { Caller } from '../../oauth2/bearer.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import { type DropboxData, entriesOf, type FileFields } from './data.ts'

export interface ApiParts {
  oauth: OAuth2Server
  data: DropboxData
  rateLimit: RateLimit
  cursors: { generation: number }
}

type Act = (caller: Caller, body: Record<string, unknown>, request: LabRequest) => Reply

/** The summary is the path of tags that leads to the reason. */
export const failure = (status: number, tag: string, more: object = {}, summary = tag) =>
  new Refusal(json(status, { error_summary: `${summary}/...`, error: { '.tag': tag, ...more } }))

/** `readArgument`: where a style of endpoints has its argument. */
export const dropboxEndpoint =
  ({ oauth, rateLimit }: Pick<ApiParts, 'oauth' | 'rateLimit'>, readArgument = bodyOf) =>
  (scope: string | undefined, act: Act): Handler =>
  (request) => {
    const caller = callerOf(oauth, request)
    const counted = countCall(rateLimit, `${caller.client.key} ${caller.person.id}`)
    if (scope !== undefined && !caller.scopes.includes(scope))
      throw failure(401, 'missing_scope', { required_scope: scope })
    return counted(act(caller, readArgument(request), request))
  }

export function dropboxApi({ oauth, data, rateLimit, cursors }: ApiParts): Routes {
  const endpoint = dropboxEndpoint({ oauth, rateLimit })

  const account: Act = ({ person }) =>
    json(200, {
      account_id: person.id,
      name: {
        given_name: person.name,
        surname: '',
        familiar_name: person.name,
        display_name: person.name,
        abbreviated_name: person.name.slice(0, 2),
      },
      email: person.email ?? `${person.username}@no-mail.test`,
      email_verified: true,
      disabled: false,
      country: 'PT',
      locale: 'en',
      referral_link: 'https://db.tt/ZITNuhtI',
      is_paired: false,
      account_type: { '.tag': 'basic' },
      root_info: { '.tag': 'user', root_namespace_id: '3235641', home_namespace_id: '3235641' },
      profile_photo_url: `https://dl-web.dropbox.com/account_photo/get/${encodeURIComponent(person.id)}?size=128x128`,
    })

  const list: Act = ({ person }, body) => {
    if (typeof body['path'] !== 'string' || body['path'] === '/')
      throw new Refusal(
        text(
          400,
          'Error in call to API function "files/list_folder": request body: path: The root folder is specified by an empty string',
        ),
      )
    const limit = Math.min(Number(body['limit'] ?? 500), 2000)
    return listed(person, { afterMs: -1, afterId: '', limit, first: true })
  }

  const goOn: Act = ({ person }, body) => {
    const cursor = readCursor(body['cursor'])
    if (cursor === undefined || cursor.owner !== person.id)
      throw new Refusal(
        text(400, 'Error in call to API function "files/list_folder/continue": Invalid "cursor" parameter'),
      )
    if (cursor.generation !== cursors.generation) throw failure(409, 'reset')
    return listed(person, cursor)
  }

  /** Entries in the order of their last change; a cursor is the last one that was listed. */
  function listed(person: Person, from: { afterMs: number; afterId: string; limit: number; first: boolean }): Reply {
    const all = entriesOf(data, person)
      .filter(
        (item) => item.updatedAtMs > from.afterMs || (item.updatedAtMs === from.afterMs && item.id > from.afterId),
      )
      .filter((item) => !from.first || item.deletedAtMs === undefined)
      .sort((a, b) => a.updatedAtMs - b.updatedAtMs || (a.id < b.id ? -1 : 1))
    const page = all.slice(0, from.limit)
    const last = page.at(-1)
    const hasMore = page.length < all.length
    const cursor = {
      generation: cursors.generation,
      owner: person.id,
      afterMs: last?.updatedAtMs ?? from.afterMs,
      afterId: last?.id ?? from.afterId,
      limit: from.limit,
      first: from.first && hasMore,
    }
    return json(200, {
      entries: page.map(presentEntry),
      cursor: Buffer.from(JSON.stringify(cursor)).toString('base64url'),
      has_more: hasMore,
    })
  }

  const links: Act = ({ person }, body) => {
    const size = 5
    const offset = Number(body['cursor'] ?? 0)
    if (!Number.isInteger(offset)) throw failure(409, 'reset')
    const all = entriesOf(data, person).filter(
      (item) => item.fields['link'] !== undefined && item.deletedAtMs === undefined,
    )
    const isLast = offset + size >= all.length
    return json(200, {
      links: all.slice(offset, offset + size).map((item) => ({
        '.tag': 'file',
        url: item.fields['link'],
        id: item.id,
        name: nameOf(item),
        path_lower: String(item.fields['path']).toLowerCase(),
        link_permissions: { can_revoke: true, resolved_visibility: { '.tag': 'public' } },
        client_modified: timeText(item.createdAtMs),
        server_modified: timeText(item.updatedAtMs),
        rev: revOf(item),
        size: item.fields['size'],
      })),
      has_more: !isLast,
      ...(isLast ? {} : { cursor: String(offset + size) }),
    })
  }

  const revoke: Act = ({ endGrant }) => {
    endGrant()
    return json(200, null)
  }

  return {
    'POST /2/users/get_current_account': endpoint('account_info.read', account),
    'POST /2/files/list_folder': endpoint('files.metadata.read', list),
    'POST /2/files/list_folder/continue': endpoint('files.metadata.read', goOn),
    'POST /2/sharing/list_shared_links': endpoint('sharing.read', links),
    'POST /2/auth/token/revoke': endpoint(undefined, revoke),
  }
}

const callerOf = (oauth: OAuth2Server, request: LabRequest): Caller =>
  refusedAs(
    () => oauth.guard(request),
    () => failure(401, 'invalid_access_token'),
  )

/** A body is JSON or nothing; calls without parameters take `null`. */
function bodyOf(request: LabRequest): Record<string, unknown> {
  const given = request.body.toString()
  if (given === '') return {}
  if (mediaType(request) !== 'application/json')
    throw new Refusal(
      text(400, `Error in call to API function: Bad HTTP "Content-Type" header: "${mediaType(request)}".`),
    )
  try {
    return (JSON.parse(given) as Record<string, unknown> | null) ?? {}
  } catch {
    throw new Refusal(text(400, 'Error in call to API function: could not decode input as JSON'))
  }
}

/** Responses have no limit headers; a refusal has `Retry-After`. */
function countCall(rateLimit: RateLimit, key: string): (reply: Reply) => Reply {
  try {
    rateLimit.acquire(key)
    return (reply) => reply
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const wait = Number(error.reply.headers['retry-after'])
    const body = {
      error_summary: 'too_many_requests/...',
      error: { reason: { '.tag': 'too_many_requests' }, retry_after: wait },
    }
    throw new Refusal(json(429, body, { 'retry-after': String(wait) }))
  }
}

interface Cursor {
  generation: number
  owner: string
  afterMs: number
  afterId: string
  limit: number
  first: boolean
}

function readCursor(value: unknown): Cursor | undefined {
  try {
    return JSON.parse(Buffer.from(String(value), 'base64url').toString()) as Cursor
  } catch {
    return undefined
  }
}

const timeText = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
const nameOf = ({ fields }: StoredItem): string => String(fields['path']).split('/').at(-1) ?? ''
export const revOf = (item: StoredItem): string => `a1c10ce0dd78${item.updatedAtMs.toString(16)}`

export function presentEntry(item: StoredItem) {
  const { path, tag, size, clientModifiedMs, contentHash } = item.fields as FileFields
  const common = { name: nameOf(item), path_lower: path.toLowerCase(), path_display: path }
  if (item.deletedAtMs !== undefined) return { '.tag': 'deleted', ...common }
  if (tag === 'folder') return { '.tag': 'folder', ...common, id: item.id }
  return {
    '.tag': 'file',
    ...common,
    id: item.id,
    client_modified: timeText(clientModifiedMs ?? item.createdAtMs),
    server_modified: timeText(item.updatedAtMs),
    rev: revOf(item),
    size,
    is_downloadable: true,
    content_hash: contentHash ?? createHash('sha256').update(item.id).digest('hex'),
  }
}
