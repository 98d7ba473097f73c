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
/** What the next page says otherwise, or nobody may read. */
const CHANGED = new Set(['access_token', 'before', 'until'])
/** What an address in a header must not hold as it is. */
const UNFIT = /[^!-~]|["<>\\^`{|}]/gu
/** What waits for a slow reader beside the piece that was just made. */
const WAITING_BYTES = 16 * 1024

export interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
}

/** Small answers name their next page; large ones are streamed as fast as they are read. */
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
    const stream = Readable.from(response.pieces, { objectMode: false, highWaterMark: WAITING_BYTES })
    const { token, id: accountId } = 'cached' in scope.account ? scope.account.cached : scope.account
    const grant = { token, accountId, profiles: scope.readable }
    const release = deps.access.follow(grant, () => stream.destroy(new AccessEnded()))
    // The status is out by then: the connection ends without the end of the array, and only the log says why.
    stream.once('close', release).on('error', (error) => {
      const isEnded = error instanceof AccessEnded || error instanceof AccountChanged
      if (isEnded) deps.log.info('an answer ended with its access', { request_id: request.id })
      else deps.log.error('an answer broke off', { request_id: request.id, error })
    })
    return reply.send(stream)
  }
  if (response.next !== undefined) addLink(reply, `<${nextAddress(deps, request, query, response.next)}>; rel="next"`)
  return reply.send(response.whole)
}

/** The same question from the last item on. The access token never goes into a header that others may log. */
function nextAddress(deps: HttpDeps, request: FastifyRequest, query: Query, last: { at: number; id: string }): string {
  const { originalUrl } = request
  const mark = originalUrl.indexOf('?')
  const path = mark < 0 ? originalUrl : originalUrl.slice(0, mark)
  const kept = mark < 0 ? '' : withoutNames(originalUrl.slice(mark + 1), CHANGED)
  // Now is another time on the next page; what came in between must not shift it.
  const next = `${kept === '' ? '' : `${kept}&`}before=${last.at}_${last.id}&until=${query.until}`
  return `${deps.config.baseUrl}${path}?${next}`.replaceAll(UNFIT, encodeURIComponent)
}

/** One item, with a weak ETag that changes when the item or the way it is shown does. */
export function sendItem(
  { request, reply }: Exchange,
  { text, version }: { text: string; version: string },
): FastifyReply {
  const shown = createHash('sha1').update(JSON.stringify(request.query, withoutToken)).digest('hex').slice(0, 8)
  const tag = `"${version}-${shown}"`
  void reply.header('etag', `W/${tag}`)
  const known = (request.headers['if-none-match'] ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''))
  if (known.includes(tag) || known.includes('*')) return reply.code(304).send()
  return reply.type(JSON_TYPE).send(text)
}

function withoutToken(name: string, value: unknown): unknown {
  return name === 'access_token' ? undefined : value
}
