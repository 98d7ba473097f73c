import { timingSafeEqual } from 'node:crypto'
import { encodeBase32, randomSecret } from '#platform/crypto/ids.ts'
import type { HttpDeps } from '../server/deps.ts'

/** What follows a sign-in: nothing, or the services that are not connected yet. */
export type Plan = 'one' | 'all'

const PLANS: Record<string, Plan> = { o: 'one', a: 'all' }
const NONCE_LENGTH = randomSecret().length

type StateDeps = Pick<HttpDeps, 'hasher'>

/**
 * A `state` for this browser: the plan, a nonce, and a keyed hash of both and the browser's cookie. Nothing is stored, so that
 * sign-ins in two tabs both succeed.
 */
export function newState(deps: StateDeps, browser: Buffer, plan: Plan): string {
  return stateOf(deps, browser, `${plan === 'all' ? 'a' : 'o'}${randomSecret()}`)
}

function stateOf({ hasher }: StateDeps, browser: Buffer, begin: string): string {
  return begin + encodeBase32(hasher.hash('demo_state', `${begin} ${browser.toString('hex')}`))
}

/** As every app must: accepts a code only with a `state` that was created for this browser. */
export function readState(
  deps: StateDeps,
  browser: Buffer | undefined,
  state: string | undefined,
): { plan: Plan; nonce: string } | undefined {
  if (browser === undefined || state === undefined) return undefined
  const begin = state.slice(0, NONCE_LENGTH + 1)
  const [expected, given] = [Buffer.from(stateOf(deps, browser, begin)), Buffer.from(state)]
  const plan = PLANS[begin.charAt(0)]
  if (plan === undefined || expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined
  return { plan, nonce: begin.slice(1) }
}
