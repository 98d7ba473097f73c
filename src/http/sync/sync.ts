import { z } from 'zod'
import { showAccount } from '#flows/accounts/list-accounts.ts'
import { profileSyncSummary } from '#flows/sync/overview.ts'
import { pauseSync, resumeSync } from '#flows/sync/pause.ts'
import {
  chooseProfile,
  isPresent,
  isSettled,
  profileIn,
  requestSync,
  resetSync,
  syncProgress,
} from '#flows/sync/progress.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { reconnectAddress } from '#model/accounts/reconnect-address.ts'
import type { App } from '#model/apps/app.ts'
import { flag } from '#model/input/input.ts'
import { text } from '../request/parameters.ts'
import type { HttpDeps } from '../server/deps.ts'
import { route } from '../server/route.ts'
import { profileState as profileStateShape } from '../shapes/people.ts'
import { syncProgress as syncProgressShape } from '../shapes/sync.ts'
import { followProgress, type Progress, wantsStream } from './follow-progress.ts'

const path = z.object({ profile: text('`service` or `id@service`.') })

export const progress = route({
  auth: 'account',
  summary: 'Get the progress of a sync per endpoint; with `Accept: text/event-stream` follow it live',
  path,
  reasons: ['no_profile', 'too_many_readers'],
  response: syncProgressShape,
  media: {
    'text/event-stream': z
      .string()
      .describe('Events `progress` and, as the last one, `done`; the `data` of each is a `SyncProgress`.'),
  },
  run: async (deps, call) => {
    const profile = await chooseProfile(deps, call.account, call.path.profile)
    if (!wantsStream(call.request)) return shownProgress(deps, profile)
    const followed = { shard: profile.shard, profileId: profile.id }
    return followProgress(deps, call, [followed], () => followedProgress(deps, profile))
  },
})

export const now = route({
  auth: 'account',
  auditedAs: 'profile.sync',
  summary: 'Request a sync now; `confirm_deletes=true` accepts all missing items as deleted',
  path,
  query: z.object({
    confirm_deletes: flag('Accept what was reported as `suspect_deletes` as deleted.'),
    retry_parked: flag('Try parked endpoints again.'),
    retry_quarantined: flag('Read quarantined records again.'),
  }),
  body: z.object({
    confirm_deletes: z.boolean().default(false),
    retry_parked: z.boolean().default(false),
    retry_quarantined: z.boolean().default(false),
  }),
  status: 202,
  reasons: ['no_profile', 'profile_paused'],
  response: syncProgressShape,
  run: async (deps, call) => {
    const profile = await chooseProfile(deps, call.account, call.path.profile)
    await requestSync(deps, profile, {
      confirmDeletes: call.query.confirm_deletes || call.body.confirm_deletes,
      retryParked: call.query.retry_parked || call.body.retry_parked,
      retryQuarantined: call.query.retry_quarantined || call.body.retry_quarantined,
    })
    return shownProgress(deps, profile)
  },
})

const profileState = z
  .object({ profile: z.string(), state: profileStateShape })
  .meta({ id: 'ProfileWithState', description: 'A profile and its state.' })

export const pause = route({
  auth: 'account',
  summary: 'Pause the syncs of a profile; its items can still be read, and the proxy works',
  path,
  response: profileState,
  reasons: ['no_profile'],
  run: async (deps, call) => {
    const profile = await chooseProfile(deps, call.account, call.path.profile)
    return presentState(await pauseSync(deps, profile, call.actor))
  },
})

export const resume = route({
  auth: 'account',
  summary: 'Resume the syncs of a paused profile',
  path,
  response: profileState,
  reasons: ['no_profile'],
  run: async (deps, call) => {
    const profile = await chooseProfile(deps, call.account, call.path.profile)
    return presentState(await resumeSync(deps, profile, call.actor))
  },
})

const pathInApp = z.object({ id: text('The account.'), profile: text('`service` or `id@service`.') })

export const pauseByApp = route({
  auth: 'app',
  summary: "Pause the syncs of a profile of one of the app's accounts",
  path: pathInApp,
  response: profileState,
  reasons: ['not_found', 'no_profile'],
  run: async (deps, { app, actor, path: { id, profile } }) =>
    presentState(await pauseSync(deps, await profileInApp(deps, app, id, profile), actor)),
})

export const resumeByApp = route({
  auth: 'app',
  summary: "Resume the syncs of a paused profile of one of the app's accounts",
  path: pathInApp,
  response: profileState,
  reasons: ['not_found', 'no_profile'],
  run: async (deps, { app, actor, path: { id, profile } }) =>
    presentState(await resumeSync(deps, await profileInApp(deps, app, id, profile), actor)),
})

async function profileInApp(deps: HttpDeps, app: App, accountId: string, name: string): Promise<Profile> {
  const { id } = await showAccount(deps, app.id, accountId)
  return profileIn(deps, id, name)
}

function presentState(profile: Profile): z.output<typeof profileState> {
  return { profile: profileName(profile), state: profile.state }
}

export const reset = route({
  auth: 'account',
  auditedAs: 'profile.reset',
  summary: 'Forget all watermarks of a profile and read everything again',
  path,
  status: 202,
  reasons: ['no_profile', 'profile_paused'],
  response: syncProgressShape,
  run: async (deps, call) => {
    const profile = await chooseProfile(deps, call.account, call.path.profile)
    await resetSync(deps, profile)
    return shownProgress(deps, profile)
  },
})

function shownProgress(deps: HttpDeps, profile: Profile): ReturnType<typeof syncProgress> {
  return syncProgress(deps, profile, { reconnect: reconnectAddress(deps.config.baseUrl, profile) })
}

/** A removed profile has no endpoints either, which must not look like the end of a sync. */
async function followedProgress(deps: HttpDeps, profile: Profile): Promise<Progress | undefined> {
  const state = await shownProgress(deps, profile)
  if (Object.keys(state).length === 0 && !(await isPresent(deps, profile))) return undefined
  const isOver = isSettled(state)
  const overall = { name: 'overall', data: await profileSyncSummary(deps, profile) }
  return { events: [overall, { name: isOver ? 'done' : 'progress', data: state }], isOver }
}
