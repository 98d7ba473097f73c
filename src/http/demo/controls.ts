import { z } from 'zod'
import {
  DEMO_ACTIONS,
  DEMO_SERVICES,
  type DemoAction,
  DemoServicesUnavailable,
} from '#flows/operations/demo-services.ts'
import { forgetThrottling } from '#flows/operations/demo-sync.ts'
import { chooseProfile, requestSync } from '#flows/sync/progress.ts'
import { ApiError } from '#model/errors.ts'
import type { HttpRequest } from '../exchange/request.ts'
import type { HttpDeps } from '../server/deps.ts'
import { route } from '../server/route.ts'
import { requireUnexposed } from './exposed.ts'
import { requireSameOrigin } from './same-origin.ts'
import { openSession, requireDemo } from './session.ts'

const states = z.array(
  z
    .object({
      service: z.string(),
      down: z.boolean(),
      throttled: z.boolean(),
      now: z.number().describe('The time at the service, in milliseconds: `week_later` moves it.'),
    })
    .meta({ id: 'DemoControls', description: 'A demo service: whether it is down or throttled, and its time.' }),
)

export const showControls = route({
  auth: 'browser',
  summary: 'Demo app: get the state of the demo services',
  response: states,
  reasons: ['not_found', 'demo_not_running'],
  run: async (deps) => whileRunning(() => requireDemo(deps).services.states()),
})

export const setControls = route({
  auth: 'browser',
  summary: 'Demo app: change the demo services',
  body: z.object({
    service: z
      .enum(DEMO_SERVICES.map(({ service }) => service))
      .optional()
      .describe('Only this service. Default: all.'),
    action: z
      .enum(DEMO_ACTIONS)
      .describe(
        '`week_later`: a week passes in the data, with new, edited and deleted items. `down`, `up`: the service is unavailable, or available again. `revoke`: all access is revoked at the service. `throttle`, `unthrottle`: few calls are allowed, or the usual number.',
      ),
  }),
  response: states,
  reasons: ['not_found', 'demo_not_running', 'demo_exposed', 'origin_refused', 'media_type_unsupported'],
  run: async (deps, { body: { service, action }, request }) => {
    const { services } = requireDemo(deps)
    requireUnexposed(deps, request)
    requireSameOrigin(deps, request)
    // A form of any page can be sent without a question; JSON cannot.
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
      throw new ApiError('media_type_unsupported')
    const changed = await whileRunning(() => services.act(action, service))
    if (action !== 'down' && action !== 'throttle') await showEffect(deps, request, action, service)
    return changed
  },
})

async function whileRunning<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DemoServicesUnavailable) throw new ApiError('demo_not_running', undefined, { cause: error })
    throw error
  }
}

/** The person sees the effect at once, and not at the next scheduled sync. */
async function showEffect(
  deps: HttpDeps,
  request: HttpRequest,
  action: DemoAction,
  only: string | undefined,
): Promise<void> {
  const account = (await openSession(deps, request))?.account
  const names = new Set(account?.profiles.map(({ service }) => service))
  for (const { service } of DEMO_SERVICES) {
    if (account === undefined || !names.has(service) || (only !== undefined && only !== service)) continue
    const profile = await chooseProfile(deps, account, service)
    if (action === 'unthrottle') await forgetThrottling(deps, profile)
    if (profile.state !== 'paused') await requestSync(deps, profile)
  }
}
