import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ItemScope } from '#flows/read/find.ts'
import type { Presentation } from '#flows/read/present.ts'
import { respondWithItems } from '#flows/read/respond.ts'
import { AccessEnded } from '#model/access.ts'
import { AccountChanged, type ReadingAccount } from '#model/account.ts'
import type { Query } from '#model/query.ts'
import { addLink } from './data-route.ts'
import type { HttpDeps } from './deps.ts'
import { withoutNames } from './query-pairs.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
/** Parameters that the link to the next page does not copy: it replaces two of them, and must not contain the token. */
const REPLACED = new Set(['access_token', 'before', 'until'])
/** Characters that must be encoded in an address in a header. */
const UNSAFE = /[^!-~]|["<>\\^`{|}]/gu
/** How much text is buffered for a slow client, in addition to the current piece. */
const BUFFER_BYTES = 16 * 1024

export interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
}

/** Sends items: a small response links its next page, a large one is streamed no faster than the client reads. */
export async function sendItems(
  deps: HttpDeps,
  { request, reply }: Exchange,
  scope: ItemScope<ReadingAccount>,
  query: Query,
  options: Presentation,
): Promise<FastifyReply> {
  const response = await respondWithItems(deps, scope, query, options)
  void reply.type(JSON_TYPE)
  if ('pieces' in response) {
    const stream = Readable.from(response.pieces, { objectMode: false, highWaterMark: BUFFER_BYTES })
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
  if (response.next !== undefined) addLink(reply, `<${nextAddress(deps, request, query, response.next)}>; rel="next"`)
  return reply.send(response.whole)
}

/** The address of the same query after the last item. Without the access token, because headers are logged more often. */
function nextAddress(deps: HttpDeps, request: FastifyRequest, query: Query, last: { at: number; id: string }): string {
  const { originalUrl } = request
  const queryStart = originalUrl.indexOf('?')
  const path = queryStart < 0 ? originalUrl : originalUrl.slice(0, queryStart)
  const copied = queryStart < 0 ? '' : withoutNames(originalUrl.slice(queryStart + 1), REPLACED)
  // The default of `until` is now: fixed here, so that newer items do not shift the next page.
  const next = `${copied === '' ? '' : `${copied}&`}before=${last.at}_${last.id}&until=${query.until}`
  return `${deps.config.baseUrl}${path}?${next}`.replaceAll(UNSAFE, encodeURIComponent)
}

/** Sends one item, with a weak ETag that changes when the item or the parameters do. */
export function sendItem(
  { request, reply }: Exchange,
  { text, version }: { text: string; version: string },
): FastifyReply {
  const parametersHash = createHash('sha1')
    .update(JSON.stringify(request.query, withoutToken))
    .digest('hex')
    .slice(0, 8)
  const tag = `"${version}-${parametersHash}"`
  void reply.header('etag', `W/${tag}`)
  const known = (request.headers['if-none-match'] ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''))
  if (known.includes(tag) || known.includes('*')) return reply.code(304).send()
  return reply.type(JSON_TYPE).send(text)
}

function withoutToken(name: string, value: unknown): unknown {
  return name === 'access_token' ? undefined : value
}
