import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { pauseSync, resumeSync } from '#flows/sync/pause.ts'
import { chooseProfile, isPresent, isSettled, requestSync, resetSync, syncProgress } from '#flows/sync/progress.ts'
import type { Account } from '#model/account.ts'
import { flag } from '#model/input.ts'
import { PROFILE_STATES, type Profile } from '#model/profile.ts'
import { profileName } from '#model/profile-name.ts'
import { abortableSleep } from '#platform/abortable-sleep.ts'
import type { HttpDeps } from './deps.ts'
import { text } from './parameters.ts'
import { route } from './route.ts'

const path = z.object({ profile: text('`service` or `id@service`.') })
const EVERY_MS = 500
/** Limit: time that a caller may follow one sync; then the stream ends. */
const MAX_FOLLOW_MS = 30 * 60_000

export const progress = route({
  auth: 'account',
  summary: 'How far the sync of a profile is, per endpoint; as `text/event-stream` it follows live',
  path,
  reasons: ['no_profile'],
  run: async (deps, call) => {
    const profile = await chooseProfile(deps, call.account, call.path.profile)
    if ((call.request.headers.accept ?? '').includes('text/event-stream'))
      return follow(deps, call.account, profile, call.request, call.reply)
    return syncProgress(deps, profile)
  },
})

export const now = route({
  auth: 'account',
  summary: 'Ask for a sync now; `confirm_deletes` lets it believe that all it misses is gone',
  path,
  query: z.object({
    confirm_deletes: flag('What was reported as `suspect_deletes` is really gone.'),
    retry_parked: flag('Try parked endpoints once more.'),
    retry_quarantined: flag('Read quarantined records once more.'),
  }),
  body: z.object({
    confirm_deletes: z.boolean().default(false),
    retry_parked: z.boolean().default(false),
    retry_quarantined: z.boolean().default(false),
  }),
  status: 202,
  reasons: ['no_profile', 'profile_paused'],
  run: async (deps, call) => {
    const profile = await chooseProfile(deps, call.account, call.path.profile)
    await requestSync(deps, profile, {
      confirmDeletes: call.query.confirm_deletes || call.body.confirm_deletes,
      retryParked: call.query.retry_parked || call.body.retry_parked,
      retryQuarantined: call.query.retry_quarantined || call.body.retry_quarantined,
    })
    return syncProgress(deps, profile)
  },
})

const steered = z.object({ profile: z.string(), state: z.enum(PROFILE_STATES) })

export const pause = route({
  auth: 'account',
  summary: 'No syncs of a profile until it is resumed; what is stored can still be read, and the proxy works',
  path,
  response: steered,
  reasons: ['no_profile'],
  run: async (deps, call) => {
    const profile = await chooseProfile(deps, call.account, call.path.profile)
    return shown(await pauseSync(deps, profile, `account:${call.account.id}`))
  },
})

export const resume = route({
  auth: 'account',
  summary: 'Sync a paused profile again, from where it was',
  path,
  response: steered,
  reasons: ['no_profile'],
  run: async (deps, call) => {
    const profile = await chooseProfile(deps, call.account, call.path.profile)
    return shown(await resumeSync(deps, profile, `account:${call.account.id}`))
  },
})

function shown(profile: Profile): z.output<typeof steered> {
  return { profile: profileName(profile), state: profile.state }
}

export const reset = route({
  auth: 'account',
  summary: 'Forget all cursors and read everything again',
  path,
  status: 202,
  reasons: ['no_profile', 'profile_paused'],
  run: async (deps, call) => {
    const profile = await chooseProfile(deps, call.account, call.path.profile)
    await resetSync(deps, profile)
    return syncProgress(deps, profile)
  },
})

/** Sends what changed, as it changes, until the first sync is over, the reader goes or may not read any more. */
async function follow(
  deps: HttpDeps,
  account: Account,
  profile: Profile,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  void reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
  })
  const expiresAt = deps.clock.now() + MAX_FOLLOW_MS
  const ended = new AbortController()
  const held = { shard: profile.shard, profileId: profile.id }
  const grant = { token: account.token, accountId: account.id, profiles: [held], unmerged: true }
  const release = deps.access.follow(grant, () => ended.abort())
  let last = ''
  let id = 0
  try {
    while (!request.socket.destroyed && !deps.isDraining() && deps.clock.now() < expiresAt) {
      const state = await syncProgress(deps, profile)
      // A profile that left has no endpoints either; that is no end of a sync.
      if (ended.signal.aborted || (Object.keys(state).length === 0 && !(await isPresent(deps, profile)))) break
      const text = JSON.stringify(state)
      const over = isSettled(state)
      if (text !== last) raw.write(`id: ${(id += 1)}\nevent: ${over ? 'done' : 'progress'}\ndata: ${text}\n\n`)
      if (over) break
      last = text
      await abortableSleep(EVERY_MS, ended.signal)
    }
  } finally {
    release()
    // A database that went away ends the stream; the reader asks again.
    raw.end()
  }
  return reply
}
