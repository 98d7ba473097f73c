import { Readable } from 'node:stream'
import { z } from 'zod'
import { accountOfApp, auditExport } from '#flows/accounts/export-account.ts'
import { exportItems } from '#flows/read/export-items.ts'
import { listDecisions } from '#flows/read/people/decide.ts'
import { type ErasedAccount, eraseAccountOfApp, isStored } from '#identity/erase-account.ts'
import { presentProfiles } from '#identity/profiles.ts'
import { AccessEnded } from '#model/accounts/access.ts'
import type { Account } from '#model/accounts/account.ts'
import { REVOCATION_RESULT_NAMES } from '#model/accounts/revocation.ts'
import { abortableSleep } from '#platform/waiting/abortable-sleep.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { text } from '../request/parameters.ts'
import type { HttpDeps } from '../server/deps.ts'
import { takePlace } from '../server/places.ts'
import { route } from '../server/route.ts'

export const NDJSON = 'application/x-ndjson; charset=utf-8'
const path = z.object({ id: text('The account.') })
const line = z
  .looseObject({})
  .describe('One JSON document per line: first `{"account", "app", "profiles"}`, then every item.')
/** How much text is buffered for a slow client, in addition to the current batch. */
const BUFFER_BYTES = 16 * 1024
/** Limit: exports that an account's tokens, or an app, run at once in one process; one more is answered with 429. A slow one holds a batch of items in memory. */
const MAX_EXPORTS = 5
const EXPORT_RETRY_S = 10

export const exportByApp = route({
  auth: 'app',
  summary: "Export everything stored about one of the app's accounts: profiles and items, one JSON document per line",
  path,
  response: line,
  type: NDJSON,
  reasons: ['not_found', 'too_many_readers'],
  run: async (deps, { app, actor, path: { id }, request, reply }) => {
    const account = await accountOfApp(deps, app.id, id)
    return sendExport(deps, account, actor, { request, reply })
  },
})

export const exportOwn = route({
  auth: 'account',
  summary: 'Export everything stored about the account: profiles and items, one JSON document per line',
  response: line,
  type: NDJSON,
  reasons: ['too_many_readers'],
  run: (deps, { account, actor, request, reply }) => sendExport(deps, account, actor, { request, reply }),
})

export async function sendExport(
  deps: HttpDeps,
  account: Account,
  actor: string,
  { request, reply }: { request: HttpRequest; reply: HttpReply },
): Promise<HttpReply> {
  reply.type(NDJSON)
  if (request.method === 'HEAD') return reply.send('')
  const giveBack = takePlace(deps, { name: `export ${actor}`, max: MAX_EXPORTS, retryAfterS: EXPORT_RETRY_S })
  try {
    await auditExport(deps, account, actor)
  } catch (error) {
    giveBack()
    throw error
  }
  const stream = Readable.from(exportLines(deps, account), { objectMode: false, highWaterMark: BUFFER_BYTES })
  const release = deps.access.follow({ token: account.token, accountId: account.id, profiles: [] }, () =>
    stream.destroy(new AccessEnded()),
  )
  // The status was sent before, so the connection ends without the end of the body, and the reason is in the log only.
  stream
    .once('close', release)
    .once('close', giveBack)
    .on('error', (error) => {
      if (error instanceof AccessEnded)
        deps.log.info('an export ended because its access ended', { request_id: request.id })
      else deps.log.error('an export broke off', { request_id: request.id, error })
    })
  return reply.send(stream)
}

/** On the connections of long reads, and no faster than the client reads. */
async function* exportLines(deps: HttpDeps, account: Account): AsyncGenerator<string> {
  const profiles = await presentProfiles(deps, account, { auth: false, full: true })
  const decisions = await listDecisions(deps, account)
  yield `${JSON.stringify({ account: account.id, app: account.appId, profiles, people_decisions: decisions })}\n`
  const { background } = deps.database
  for await (const batch of exportItems({ ...deps, database: { ...deps.database, ...background } }, account))
    if (batch.length > 0) yield `${batch.join('\n')}\n`
  // Erased or merged meanwhile: what was sent is not everything, and must not look complete.
  if (!(await isStored(deps, account))) throw new AccessEnded()
}

/** Limit: seconds that `DELETE /accounts/:id` takes before it answers 202; a shorter time can be requested with `Prefer: wait=`. */
const MAX_ERASE_WAIT_S = 20

const erasure = z.object({
  account: z.string(),
  state: z.enum(['erased', 'erasing']).describe('`erasing` (202): repeat the request until it is `erased`.'),
  erased_at: z.int().optional(),
  deleted: z.array(
    z.object({
      profile: z.string(),
      erased: z.literal(true),
      service_token: z.enum(REVOCATION_RESULT_NAMES).describe('What was done with the token at the service.'),
    }),
  ),
})

export const eraseByApp = route({
  auth: 'app',
  dangerous: true,
  summary: "Erase one of the app's accounts: items, profiles, tokens, and rows at destinations; can be repeated",
  path,
  response: erasure,
  also: { 202: { description: 'It goes on: repeat the request.', response: erasure } },
  reasons: ['not_found'],
  run: async (deps, { app, actor, path: { id }, request, reply }) => {
    const erasing = eraseOnce(deps, app.id, id, actor)
    const waited = new AbortController()
    const late = abortableSleep(waitMs(request), waited.signal).then(() => undefined)
    const erased: ErasedAccount | undefined = await Promise.race([erasing, late]).finally(() => waited.abort())
    if (erased !== undefined) {
      request.server.forgetAccount(id)
      return { account: id, state: 'erased', ...erased }
    }
    // It goes on. If this process ends before it is done, nothing has changed, and a repeated request begins again.
    erasing.catch((error: unknown) =>
      deps.log.error('an account could not be erased', { request_id: request.id, error }),
    )
    reply.code(202)
    return { account: id, state: 'erasing', deleted: [] }
  },
})

const erasures = new WeakMap<object, Map<string, Promise<ErasedAccount>>>()

/** Repeated requests share one erasure: each of their own would wait for the lock on the account with a connection to the database. */
function eraseOnce(deps: HttpDeps, appId: string, id: string, actor: string): Promise<ErasedAccount> {
  const running = erasures.get(deps.database) ?? new Map<string, Promise<ErasedAccount>>()
  erasures.set(deps.database, running)
  const name = `${appId} ${id}`
  const known = running.get(name)
  if (known !== undefined) return known
  const begun = eraseAccountOfApp(deps, appId, id, actor).finally(() => running.delete(name))
  running.set(name, begun)
  return begun
}

/** RFC 7240: `wait=` in seconds. */
function waitMs({ headers }: HttpRequest): number {
  const wait = /(?:^|[,;\s])wait=(\d{1,6})(?=$|[,;\s])/i.exec(String(headers['prefer'] ?? ''))?.[1]
  return Math.min(wait === undefined ? MAX_ERASE_WAIT_S : Number(wait), MAX_ERASE_WAIT_S) * 1000
}
