import { createHash } from 'node:crypto'
import { z } from 'zod'
import { findServices, type ServicesReader } from '#flows/read/search-services.ts'
import { listServices } from '#flows/read/services.ts'
import { AUTH_KINDS } from '#kit/auth/auth-kinds.ts'
import { CATEGORIES } from '#kit/connector/catalogue-words.ts'
import { invalidInput } from '#model/errors.ts'
import { flag } from '#model/input/input.ts'
import { keysOf } from '#platform/formats/keys-of.ts'
import { NOT_MODIFIED } from '../describe/description/other-responses.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { text, wholeNumber } from '../request/parameters.ts'
import { actsForApp, hasToken, requireAccount, requireApp } from '../server/authenticate.ts'
import { addLink } from '../server/data-route.ts'
import type { HttpDeps } from '../server/deps.ts'
import { isKnown } from '../server/fixed-text.ts'
import { route } from '../server/route.ts'
import { foundServices, serviceList } from '../shapes/services.ts'
import { addressWith } from './send-items.ts'

/** Limit: services on one page of a search by `GET /services`; more is answered with 400. */
const MAX_SERVICES_ON_PAGE = 1000
const DEFAULT_LIMIT = 50
/** Limit: services that one `names` of `GET /services` describes; more is answered with 400. */
const MAX_NAMES = 50

const query = z.object({
  client_id: text("An app's client id.").optional(),
  names: text('Names with commas between them: describe these, also services of the catalogue.').optional(),
  q: text(
    'Words, or beginnings of words, of a name, a title or a category; then the response is a list that may have any service.',
    100,
  ).optional(),
  category: z.enum(CATEGORIES).optional().describe('A list of the services that are for this.'),
  auth: z.enum(keysOf(AUTH_KINDS)).optional().describe('A list of the services where people sign in like this.'),
  synced: optionalFlag('A list of the services whose items are read, or of the others.'),
  offered: optionalFlag("A list of the services that the app's people can choose, or of the others; with an app."),
  limit: wholeNumber(
    `Maximum number of services of a list; ${DEFAULT_LIMIT} without it.`,
    1,
    MAX_SERVICES_ON_PAGE,
  ).optional(),
  cursor: text('Of a list: from the `Link` header of the previous page.', 500).optional(),
})

/** Parameters that ask for a list. */
const LISTING = ['q', 'category', 'auth', 'synced', 'offered', 'limit', 'cursor'] as const

export const services = route({
  auth: 'none',
  summary:
    'Describe all services that sync, or those of `names`; with `client_id` or a token also whether the app has keys. With any other parameter: a list of services found, of the catalogue too',
  query,
  response: z.union([serviceList, foundServices]),
  headers: ['ETag', 'Link', 'X-Total-Count'],
  also: NOT_MODIFIED,
  reasons: ['client_unknown', 'token_invalid', 'token_conflict'],
  run: async (deps, { query: given, request, reply }) => {
    const reader = await readerOf(deps, request, given.client_id)
    if (LISTING.every((name) => given[name] === undefined))
      return sendTagged(request, reply, await listServices(deps, reader, namesIn(given.names)))
    if (given.names !== undefined)
      throw invalidInput('bad_parameter', 'names', 'describes services; it does not go with the parameters of a list.')
    const {
      services: found,
      total,
      next,
    } = await findServices(deps, reader, given, {
      cursor: given.cursor,
      limit: given.limit ?? DEFAULT_LIMIT,
    })
    reply.header('x-total-count', String(total))
    if (next !== undefined) addLink(reply, `<${addressWith(deps, request, ['cursor'], `cursor=${next}`)}>; rel="next"`)
    return sendTagged(request, reply, found)
  },
})

/** True, false, or undefined where it is not given. */
function optionalFlag(meaning: string) {
  return flag(meaning).removeDefault().optional().describe(meaning)
}

function namesIn(names: string | undefined): string[] | undefined {
  const listed = names?.split(',')
  if (listed !== undefined && listed.length > MAX_NAMES)
    throw invalidInput('bad_parameter', 'names', `at most ${MAX_NAMES} names.`)
  return listed
}

/** Sends it, or 304 to a client that has it. What an app has keys for is in it, so shared caches may not keep it. */
function sendTagged(request: HttpRequest, reply: HttpReply, payload: object): HttpReply {
  const body = JSON.stringify(payload)
  const etag = `"${createHash('sha1').update(body).digest('base64url')}"`
  reply.headers({ etag, 'cache-control': 'private, no-cache' })
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(body)
}

/** The app whose keys are shown: that of the access token, the one an operator acts for, or the one that is named. */
async function readerOf(
  deps: HttpDeps,
  request: HttpRequest,
  clientId: string | undefined,
): Promise<ServicesReader | undefined> {
  const isOperator = actsForApp(request)
  if (!hasToken(request) && !isOperator) return clientId === undefined ? undefined : { appId: clientId, isOperator }
  const appId = isOperator ? (await requireApp(deps, request)).id : (await requireAccount(deps, request)).appId
  if (clientId !== undefined && clientId !== appId)
    throw invalidInput('bad_parameter', 'client_id', 'is another app than that of the caller.')
  return { appId, isOperator }
}
