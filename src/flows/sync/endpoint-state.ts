import { MAX_DEATHS } from '#model/sync/deaths.ts'
import { isFailure } from '#model/sync/sync-reasons.ts'
import { type EndpointState, NEVER } from '#store/sync/endpoints.ts'

export type EndpointStateName = 'waiting' | 'running' | 'done' | 'failing' | 'parked' | 'off' | 'paused'

/** What an endpoint does now, in one word. */
export function endpointState(state: EndpointState, isPaused: boolean): EndpointStateName {
  const { lastReason, walk, leftOut, firstDoneAt } = state
  if (state.nextRunAt >= NEVER) return state.deaths >= MAX_DEATHS ? 'parked' : 'off'
  if (isPaused) return 'paused'
  if (lastReason === 'spending_limit_reached') return 'paused'
  if (lastReason !== undefined) return isFailure(lastReason) ? 'failing' : 'off'
  if (walk !== undefined) return 'running'
  if (leftOut !== undefined) return 'failing'
  return firstDoneAt === undefined ? 'waiting' : 'done'
}

/** When all of these had been read to their end for the first time; undefined if they were not, or there are none. */
export function firstDoneAt(read: readonly Pick<EndpointState, 'firstDoneAt'>[]): number | undefined {
  const times = read.map((each) => each.firstDoneAt)
  return times.length === 0 || times.includes(undefined) ? undefined : Math.max(...times.map((at) => at ?? 0))
}
