import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ItemScope } from '#flows/read/find.ts'
import { type ItemsRequest, respondWithItems } from '#flows/read/respond.ts'
import { AccessEnded } from '#model/accounts/access.ts'
import { AccountChanged, type VerifiedOrCachedAccount } from '#model/accounts/account.ts'
import type { ItemKey, Query } from '#model/items/query.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { withoutNames } from '../request/query-pairs.ts'
import { addLink } from '../server/data-route.ts'
import type { HttpDeps } from '../server/deps.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
/** Parameters that the link to the next page replaces. */
const REPLACED = ['before', 'until']
/** Characters that must be encoded in an address in a header. */
const UNSAFE = /[^!-~]|["<>\\^`{|}]/gu
/** How much text is buffered for a slow client, in addition to the current piece. */
const BUFFER_BYTES = 16 * 1024

export interface Exchange {
  request: HttpRequest
  reply: HttpReply
}

/** Sends items, with a link to the next page if there is one. A large response is streamed no faster than the client reads. */
export async function sendItems(
  deps: HttpDeps,
  { request, reply }: Exchange,
  scope: ItemScope<VerifiedOrCachedAccount>,
  query: Query,
  options: ItemsRequest,
): Promise<HttpReply> {
  const { body, next, total } = await respondWithItems(deps, scope, query, options)
  reply.type(JSON_TYPE)
  if (next !== undefined) addLink(reply, `<${nextAddress(deps, request, query, next)}>; rel="next"`)
  if (total !== undefined) reply.header('x-total-count', String(total))
  if (typeof body !== 'string') {
    const stream = Readable.from(body, { objectMode: false, highWaterMark: BUFFER_BYTES })
    const { token, id: accountId } = 'cached' in scope.account ? scope.account.cached : scope.account
    const grant = { token, accountId, profiles: scope.readable }
    const release = deps.access.follow(grant, () => stream.destroy(new AccessEnded()))
    // The status was sent before, so the connection ends without the end of the array, and the reason is in the log only.
    stream.once('close', release).on('error', (error) => {
      const isEnded = error instanceof AccessEnded || error instanceof AccountChanged
      if (isEnded) deps.log.info('a response ended because its access ended', { request_id: request.id })
      else deps.log.error('a response broke off', { request_id: request.id, error })
    })
    return reply.send(stream)
  }
  return reply.send(body)
}

/** The address of the same query after the last item. */
function nextAddress(deps: HttpDeps, request: HttpRequest, query: Query, last: ItemKey): string {
  // The default of `until` is now: fixed here, so that newer items do not shift the next page.
  return addressWith(deps, request, REPLACED, `before=${last.at}_${last.id}&until=${query.until}`)
}

/**
 * The address of the request with other parameters. It works the way the caller authenticated: it contains the access token
 * unless a header did.
 */
export function addressWith(
  { config }: Pick<HttpDeps, 'config'>,
  { originalUrl, headers }: HttpRequest,
  replaced: readonly string[],
  added: string,
  path = pathOf(originalUrl),
): string {
  const queryStart = originalUrl.indexOf('?')
  const hasBearer = /^Bearer /i.test(headers.authorization ?? '')
  const left = new Set([...replaced, ...(hasBearer ? ['access_token'] : [])])
  const copied = queryStart < 0 ? '' : withoutNames(originalUrl.slice(queryStart + 1), left)
  return `${config.baseUrl}${path}?${copied === '' ? '' : `${copied}&`}${added}`.replaceAll(UNSAFE, encodeURIComponent)
}

/** Without the query, and without the host of a request to a proxy. */
function pathOf(originalUrl: string): string {
  const [target = ''] = originalUrl.split('?', 1)
  return target.startsWith('/') || !URL.canParse(target) ? target : new URL(target).pathname
}

/** Sends one item, with a weak ETag that changes when the item or the parameters do. */
export function sendItem(
  { request, reply }: Exchange,
  { text, version }: { text: string; version: string },
): HttpReply {
  const parametersHash = createHash('sha1')
    .update(JSON.stringify(request.query, withoutToken))
    .digest('hex')
    .slice(0, 8)
  const tag = `"${version}-${parametersHash}"`
  reply.header('etag', `W/${tag}`)
  const known = (request.headers['if-none-match'] ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''))
  if (known.includes(tag) || known.includes('*')) return reply.code(304).send()
  return reply.type(JSON_TYPE).send(text)
}

/**
 * Redirects to an item's media. The address is the service's own, unchanged, also where it is signed; parameters of the request are
 * not added, and no `Referer` tells the service the address of the request, which may contain the access token.
 */
export function sendMedia({ reply }: Exchange, address: string): HttpReply {
  return reply
    .code(302)
    .headers({ location: address, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
    .send()
}

function withoutToken(name: string, value: unknown): unknown {
  return name === 'access_token' ? undefined : value
}
