import type { Account } from '#model/accounts/account.ts'
import { abortableSleep } from '#platform/waiting/abortable-sleep.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import type { HttpDeps } from '../server/deps.ts'
import { takePlace } from '../server/places.ts'

const POLL_MS = 500
/** Limit (sync): time for which a request may follow one sync; then the stream ends. */
const MAX_FOLLOW_MS = 30 * 60_000
/** Limit (sync): concurrent requests in one process that follow syncs of one account; each reads the database twice a second. Further ones are refused. */
const MAX_FOLLOWERS = 20
const RETRY_AFTER_S = 5

/** The events of one moment. Each is sent when its data differs from that of the event before at the same place. */
export interface Progress {
  events: { name: string; data: unknown }[]
  isOver: boolean
}

export function wantsStream({ method, headers }: HttpRequest): boolean {
  // HEAD would hold the connection for a stream that it never shows.
  return method === 'GET' && (headers.accept ?? '').includes('text/event-stream')
}

/** Sends the progress whenever it changes, until the sync is over, the client disconnects or its access ends. */
export async function followProgress(
  deps: HttpDeps,
  { account, request, reply }: { account: Account; request: HttpRequest; reply: HttpReply },
  profiles: { shard: number; profileId: string }[],
  read: () => Promise<Progress | undefined>,
): Promise<HttpReply> {
  const leave = takePlace(deps, { name: `follow ${account.id}`, max: MAX_FOLLOWERS, retryAfterS: RETRY_AFTER_S })
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
  })
  const expiresAt = deps.clock.now() + MAX_FOLLOW_MS
  const ended = new AbortController()
  const grant = { token: account.token, accountId: account.id, profiles, unmerged: true }
  const release = deps.access.follow(grant, () => ended.abort())
  let last: string[] = []
  let id = 0
  try {
    while (!request.socket.destroyed && !deps.isDraining() && deps.clock.now() < expiresAt) {
      const progress = await read()
      if (ended.signal.aborted || progress === undefined) break
      const texts = progress.events.map(({ data }) => JSON.stringify(data))
      const changed = progress.events.flatMap(({ name }, i) =>
        texts[i] === last[i] ? [] : [`id: ${(id += 1)}\nevent: ${name}\ndata: ${texts[i]}\n\n`],
      )
      if (changed.length > 0) raw.write(changed.join(''))
      if (progress.isOver) break
      last = texts
      await abortableSleep(POLL_MS, ended.signal)
    }
  } finally {
    leave()
    release()
    // Also when the database fails: the client connects again.
    raw.end()
  }
  return reply
}
