import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import type { RateLimit } from '../../base/rate-limit.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import { isShown } from '../../data/item-store.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import type { LabAccount, MastodonData } from './data.ts'
import { paged } from './paging.ts'
import { presentAccount, presentStatus } from './present.ts'

interface ApiParts {
  context: ServiceContext
  oauth: OAuth2Server
  data: MastodonData
  rateLimit: RateLimit
}

type Act = (person: Person, request: LabRequest, params: Record<string, string>) => Reply

export function mastodonApi({ context, oauth, data, rateLimit }: ApiParts): Routes {
  const { url } = context
  const endpoint =
    (scope: string, act: Act) =>
    (request: LabRequest, params: Record<string, string>): Reply => {
      const { person, scopes } = callerOf(oauth, request)
      const withHeaders = limited(rateLimit, person.id)
      if (!scopes.includes('read') && !scopes.includes(scope))
        return withHeaders(json(403, { error: 'This action is outside the authorized scopes' }))
      return withHeaders(act(person, request, params))
    }
  const shown = (username: string, kind = 'statuses') => data.store.list(username, kind).filter(isShown)
  const statusOf = (author: LabAccount, id: string) => {
    const item = shown(author.username).find((one) => one.id === id)
    return item && presentStatus(url(), data, author, item)
  }
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
      return account ? json(200, { ...presentAccount(url(), account), source: { privacy: 'public' } }) : missing()
    }),
    'GET /api/v1/accounts/:id/statuses': endpoint('read:statuses', (_person, request, { id = '' }) => {
      const author = data.accountById(id)
      if (author === undefined) return missing()
      const list = shown(author.username).map((item) => ({
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
    'GET /api/v1/favourites': endpoint('read:favourites', marked('favourites')),
    'GET /api/v1/bookmarks': endpoint('read:bookmarks', marked('bookmarks')),
    'GET /api/v1/timelines/home': endpoint('read:statuses', ({ username }, request) => {
      const own = data.account(username)
      const authors = [...data.following(username), ...(own ? [own] : [])]
      const list = authors
        .flatMap((author) => shown(author.username).map((item) => ({ author, item })))
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

/** Anybody may register an app; form and JSON are accepted. */
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
