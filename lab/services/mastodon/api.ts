import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import type { RateLimit } from '../../base/rate-limit.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import { isShown } from '../../data/item-store.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import { fieldsOf, type LabAccount, type MastodonData } from './data.ts'
import { createUploads } from './media.ts'
import { paged } from './paging.ts'
import { presentAccount, presentOwnAccount, presentStatus } from './present.ts'
import { statusWrites } from './status-writes.ts'

interface ApiParts {
  context: ServiceContext
  oauth: OAuth2Server
  data: MastodonData
  rateLimit: RateLimit
  /** For uploads and deletions. */
  slowLimit: RateLimit
}

type Act = (person: Person, request: LabRequest, params: Record<string, string>) => Reply | Promise<Reply>

export function mastodonApi({ context, oauth, data, rateLimit, slowLimit }: ApiParts): Routes {
  const { url } = context
  const endpoint =
    (scope: string, act: Act, limit = rateLimit) =>
    async (request: LabRequest, params: Record<string, string>): Promise<Reply> => {
      const { person, scopes } = callerOf(oauth, request)
      const withHeaders = limited(limit, person.id)
      if (!scopes.includes(scope.split(':')[0] ?? '') && !scopes.includes(scope))
        return withHeaders(json(403, { error: 'This action is outside the authorized scopes' }))
      try {
        return withHeaders(await act(person, request, params))
      } catch (error) {
        if (error instanceof Refusal) return withHeaders(error.reply)
        throw error
      }
    }
  const shown = (username: string, kind = 'statuses') => data.store.list(username, kind).filter(isShown)
  const statusesFor = (viewer: string, author: LabAccount) =>
    shown(author.username).filter((item) => viewer === author.username || fieldsOf(item).visibility !== 'direct')
  const statusOf = (author: LabAccount, id: string) => {
    const item = shown(author.username).find((one) => one.id === id)
    return item && presentStatus(url(), data, author, item)
  }
  /** A status by its id, as this person sees it. */
  const show = (viewer: string, id: string) => {
    const author = data.account(data.store.find('statuses', id)?.owner ?? '')
    if (author === undefined || !statusesFor(viewer, author).some((one) => one.id === id)) return undefined
    const favourited = shown(viewer, 'favourites').some((one) => one.id === id)
    return { ...statusOf(author, id), favourited }
  }
  const uploads = createUploads(url, data.nextId)
  const { create, remove, favourite } = statusWrites({ clock: context.clock, data, uploads, show })
  const marked =
    (kind: string): Act =>
    ({ username }, request) => {
      const marks = shown(username, kind).map(({ fields }) => fields as { owner: string; id: string })
      const list = marks.flatMap(({ owner, id }, at) => {
        const author = data.account(owner)
        const record = author && statusOf(author, id)
        // Pages of marks are by the mark's own id, which is not in the record.
        return record ? [{ id: String(marks.length - at), record }] : []
      })
      return paged(url(), request, list, { standard: 20, most: 40 })
    }
  const accounts =
    (list: (username: string) => LabAccount[]): Act =>
    (_person, request, { id = '' }) => {
      const owner = data.accountById(id)
      if (owner === undefined) return json(404, { error: 'Record not found' })
      const all = list(owner.username).map((account, at, { length }) => ({
        id: String(length - at),
        record: presentAccount(url(), account),
      }))
      return paged(url(), request, all, { standard: 40, most: 80 })
    }

  return {
    'GET /api/v1/accounts/verify_credentials': endpoint('read:accounts', ({ username }) => {
      const account = data.account(username)
      return account ? json(200, presentOwnAccount(url(), account)) : missing()
    }),
    'GET /api/v1/accounts/:id/statuses': endpoint('read:statuses', ({ username }, request, { id = '' }) => {
      const author = data.accountById(id)
      if (author === undefined) return missing()
      const list = statusesFor(username, author).map((item) => ({
        id: item.id,
        record: presentStatus(url(), data, author, item),
      }))
      return paged(url(), request, list, { standard: 20, most: 40 })
    }),
    'GET /api/v1/accounts/:id/following': endpoint(
      'read:accounts',
      accounts((username) => data.following(username)),
    ),
    'GET /api/v1/accounts/:id/followers': endpoint(
      'read:accounts',
      accounts((username) => data.followers(username)),
    ),
    'GET /api/v1/statuses/:id': endpoint('read:statuses', ({ username }, _request, { id = '' }) => {
      const status = show(username, id)
      return status ? json(200, status) : missing()
    }),
    'POST /api/v1/statuses': endpoint('write:statuses', ({ username }, request) => create(username, request)),
    'DELETE /api/v1/statuses/:id': endpoint(
      'write:statuses',
      ({ username }, _request, { id = '' }) => remove(username, id),
      slowLimit,
    ),
    'POST /api/v1/statuses/:id/favourite': endpoint('write:favourites', ({ username }, _request, { id = '' }) =>
      favourite(username, id, true),
    ),
    'POST /api/v1/statuses/:id/unfavourite': endpoint('write:favourites', ({ username }, _request, { id = '' }) =>
      favourite(username, id, false),
    ),
    'POST /api/v2/media': endpoint(
      'write:media',
      ({ username }, request) => uploads.create(username, request),
      slowLimit,
    ),
    'GET /api/v1/media/:id': endpoint('write:media', ({ username }, _request, { id = '' }) =>
      uploads.look(username, id),
    ),
    'GET /media_attachments/:id/:size': (_request, { id = '' }) => uploads.file(id),
    'GET /api/v1/favourites': endpoint('read:favourites', marked('favourites')),
    'GET /api/v1/bookmarks': endpoint('read:bookmarks', marked('bookmarks')),
    'GET /api/v1/timelines/home': endpoint('read:statuses', ({ username }, request) => {
      const own = data.account(username)
      const authors = [...data.following(username), ...(own ? [own] : [])]
      const list = authors
        .flatMap((author) => statusesFor(username, author).map((item) => ({ author, item })))
        .sort((a, b) => b.item.createdAtMs - a.item.createdAtMs)
        .slice(0, 400)
        .map(({ author, item }) => ({ id: item.id, record: presentStatus(url(), data, author, item) }))
      return paged(url(), request, list, { standard: 20, most: 40 })
    }),
    'GET /api/v1/notifications': endpoint('read:notifications', ({ username }, request) => {
      const own = data.account(username)
      const list = shown(username, 'notifications').flatMap(({ id, createdAtMs, fields }) => {
        const { type, account, status } = fields as { type: string; account: string; status?: string }
        const from = data.account(account)
        if (from === undefined) return []
        const about = own && status !== undefined ? statusOf(own, status) : undefined
        const record = {
          id,
          type,
          group_key: `ungrouped-${id}`,
          created_at: new Date(createdAtMs).toISOString(),
          account: presentAccount(url(), from),
          ...(about === undefined ? {} : { status: about }),
        }
        return [{ id, record }]
      })
      return paged(url(), request, list, { standard: 40, most: 80 })
    }),
  }
}

const missing = (): Reply => json(404, { error: 'Record not found' })

/** Errors are `{"error": "…"}`. */
function callerOf(oauth: OAuth2Server, request: LabRequest): ReturnType<OAuth2Server['guard']> {
  try {
    return oauth.guard(request)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const hasToken = first(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      'authorization',
    )
    const text = hasToken === undefined ? 'This method requires an authenticated user' : 'The access token is invalid'
    throw new Refusal(json(401, { error: text }))
  }
}

/** The reset is an ISO date. */
function limited(rateLimit: RateLimit, person: string): (reply: Reply) => Reply {
  const withDate = (reply: Reply): Reply => {
    const reset = Number(reply.headers['x-ratelimit-reset'])
    return { ...reply, headers: { ...reply.headers, 'x-ratelimit-reset': new Date(reset * 1000).toISOString() } }
  }
  try {
    const withHeaders = rateLimit.acquire(person)
    return (reply) => withDate(withHeaders(reply))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { 'retry-after': _, ...headers } = withDate(error.reply).headers
    throw new Refusal(json(429, { error: 'Throttled' }, headers))
  }
}
