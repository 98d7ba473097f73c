import { z } from 'zod'
import { closeFeed, openFeed } from '#flows/read/feed/open-feed.ts'
import { hasFeedNews, readFeed } from '#flows/read/feed/read-feed.ts'
import type { Presentation } from '#flows/read/present.ts'
import { PROFILE_STATES } from '#model/accounts/profile.ts'
import type { App } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import { type ChangeFilter, changesQuery } from '#model/item-filter/changes.ts'
import { abortableSleep } from '#platform/waiting/abortable-sleep.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { sendEvents } from '../request/event-stream.ts'
import { requireApp } from '../server/authenticate.ts'
import type { HttpDeps } from '../server/deps.ts'
import { holdPlace, type Places } from '../server/places.ts'
import { route } from '../server/route.ts'

/** Limit (reading): time that a request for changes may wait for the next one; more is answered with 400. */
const MAX_WAIT_S = 30
/** Limit: time for which one stream follows changes; then it ends, and the client continues with `Last-Event-ID`. */
const MAX_STREAM_MS = 30 * 60_000
/** Limit (reading): requests of one app that wait for changes in one process, streams included; one more is answered with 429. */
const MAX_READERS = 20
const POLL_MS = 500
/** How often a request that waits verifies that the secret is still valid. */
const VERIFY_MS = 2000
const HEARTBEAT_MS = 15_000

const owner = { account: z.string(), profile: z.string() }
const change = z.union([
  z.object({ change: z.literal('upsert'), ...owner, item: z.looseObject({}) }),
  z.object({ change: z.literal('delete'), ...owner, id: z.string(), idr: z.string(), deleted_at: z.int() }),
  z.object({
    change: z.literal('profile'),
    profile: z.object({
      id: z.string(),
      account: z.string(),
      profile: z.string(),
      service: z.string(),
      native_id: z.string(),
      name: z.string().optional(),
      handle: z.string().optional(),
      state: z.enum(PROFILE_STATES),
      connected_at: z.int(),
      merged_into: z.string().optional(),
    }),
  }),
  z.object({ change: z.literal('profile_removed'), profile: z.string() }),
  z.object({
    change: z.literal('event'),
    event: z.object({ id: z.string(), type: z.string(), at: z.int(), data: z.looseObject({}) }),
  }),
])

export const appChanges = route({
  auth: 'app',
  auditedAs: 'feed.read',
  summary:
    "Read what changed in all of the app's accounts after a cursor; waits with `wait`, or follows with `Accept: text/event-stream`",
  // The first request creates the feed, which HEAD must not.
  hasSideEffects: true,
  query: changesQuery.extend({
    wait: z
      .string()
      .regex(/^\d{1,3}$/, `must be a whole number from 0 to ${MAX_WAIT_S}`)
      .transform(Number)
      .refine((seconds) => seconds <= MAX_WAIT_S, `must be a whole number from 0 to ${MAX_WAIT_S}`)
      .default(0)
      .describe(`If nothing changed, wait so many seconds for the next change, up to ${MAX_WAIT_S}.`),
  }),
  response: z.object({ changes: z.array(change), cursor: z.string(), more: z.boolean() }),
  reasons: ['cursor_expired', 'too_many_readers'],
  run: async (deps, { app, query, request, reply }) => {
    const { cursor = '', limit, types, services, wait, ...showing } = query
    const follower: Follower = {
      app,
      request,
      limit,
      filter: { types, services },
      showing: { ...showing, oembed: true },
    }
    const isStream = (request.headers.accept ?? '').includes('text/event-stream')
    const from = (isStream ? lastEventId(request) : undefined) ?? (cursor === '' ? undefined : cursor)
    if (isStream) return holdPlace(deps, reading(app), () => stream(deps, follower, from, reply))
    const text = await (wait === 0
      ? readPage(deps, follower, from).then(({ text: page }) => page)
      : holdPlace(deps, reading(app), () => waitForPage(deps, follower, from, deps.clock.now() + wait * 1000)))
    return reply.type('application/json; charset=utf-8').header('cache-control', 'no-store').send(text)
  },
})

export const endAppChanges = route({
  auth: 'app',
  auditedAs: 'feed.end',
  summary: 'Stop recording changes for `GET /accounts/changes`; its cursors end',
  response: z.object({ deleted: z.boolean() }),
  run: async (deps, { app }) => ({ deleted: await closeFeed(deps, app.id) }),
})

const reading = ({ id }: App): Places => ({ name: `changes ${id}`, max: MAX_READERS, retryAfterS: MAX_WAIT_S })

/** A reader of the feed of its app. */
interface Follower {
  app: App
  request: HttpRequest
  limit: number
  filter: ChangeFilter
  showing: Presentation
}

interface Page {
  text: string
  cursor: string
  isEmpty: boolean
  more: boolean
}

async function readPage(
  deps: HttpDeps,
  { app, limit, filter, showing }: Follower,
  cursor: string | undefined,
): Promise<Page> {
  const feedId = await openFeed(deps, app.id)
  const { entries, cursor: next, more } = await readFeed(deps, feedId, { ...filter, limit, cursor }, showing)
  const text = `{"changes":[${entries.join(',')}],"cursor":${JSON.stringify(next)},"more":${more}}`
  return { text, cursor: next, isEmpty: entries.length === 0, more }
}

/** Reads until there is something, or the time is over. */
async function waitForPage(
  deps: HttpDeps,
  follower: Follower,
  from: string | undefined,
  untilMs: number,
): Promise<string> {
  let page = await readPage(deps, follower, from)
  const isOver = () => deps.clock.now() >= untilMs || deps.isDraining() || follower.request.socket.destroyed
  while (page.isEmpty && !isOver()) {
    if (!page.more) await waitForNews(deps, follower, page.cursor, isOver)
    await verify(deps, follower)
    page = await readPage(deps, follower, page.cursor)
  }
  return page.text
}

/** Resolves when something was appended or `isOver`; throws when the secret is no longer valid. */
async function waitForNews(
  deps: HttpDeps,
  follower: Follower,
  cursor: string,
  isOver: () => boolean,
  onTick: () => void = () => {},
): Promise<void> {
  for (let waitedMs = POLL_MS; !isOver(); waitedMs += POLL_MS) {
    if (await hasFeedNews(deps, follower.filter, cursor)) return
    onTick()
    await abortableSleep(POLL_MS, new AbortController().signal)
    if (waitedMs % VERIFY_MS === 0) await verify(deps, follower)
  }
}

/** The secret may have been rotated, or the app deleted, since the request began. */
async function verify(deps: HttpDeps, { app, request }: Follower): Promise<void> {
  if ((await requireApp(deps, request)).id !== app.id) throw new ApiError('app_secret_invalid')
}

async function stream(
  deps: HttpDeps,
  follower: Follower,
  from: string | undefined,
  reply: HttpReply,
): Promise<HttpReply> {
  // Before the head of the response: a cursor that is refused gets a status.
  let page = await readPage(deps, follower, from)
  const events = sendEvents(reply)
  const expiresAt = deps.clock.now() + MAX_STREAM_MS
  const isOver = () => events.isClosed() || deps.isDraining() || deps.clock.now() >= expiresAt
  let quietSince = deps.clock.now()
  const beat = () => {
    if (deps.clock.now() - quietSince < HEARTBEAT_MS) return
    quietSince = deps.clock.now()
    events.comment()
  }
  try {
    events.comment()
    while (!isOver()) {
      if (!page.isEmpty) {
        await events.send({ id: page.cursor, event: 'changes', data: page.text })
        quietSince = deps.clock.now()
      }
      if (!page.more) await waitForNews(deps, follower, page.cursor, isOver, beat)
      if (isOver()) break
      await verify(deps, follower)
      page = await readPage(deps, follower, page.cursor)
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // The status is sent already: the reason is the last event.
    await events.send({ event: 'error', data: JSON.stringify({ reason: error.reason, error: error.message }) })
  } finally {
    events.end()
  }
  return reply
}

function lastEventId({ headers }: HttpRequest): string | undefined {
  const id = headers['last-event-id']
  return typeof id === 'string' && id !== '' ? id : undefined
}
