import type { ResponseOf } from '@tributary-hub/client/core.ts'
import type { EndpointProgress, Profile, Profiles } from '@tributary-hub/client/generated/api.ts'
import { formatCount } from '../../ui/amounts.ts'
import type { Tone } from '../../ui/badge.tsx'

export const items = (value: number): string => `${formatCount(value)} ${value === 1 ? 'item' : 'items'}`

interface Words {
  label: string
  tone: Tone
  /** What it means, where the label does not say it. */
  sentence?: string
}

/** The state of a profile in words. */
export function profileWords(state: Profile['state'], endpoints: EndpointProgress[], isThrottling: boolean): Words {
  if (state === 'needs_auth')
    return {
      label: 'Signed out',
      tone: 'bad',
      sentence: 'The service refuses the access. What was read stays; sign in again to continue.',
    }
  if (state === 'paused') return { label: 'Paused', tone: 'warn' }
  const failing = endpoints.filter((each) => each.state === 'failing' || each.state === 'parked')
  const throttled = failing.concat(endpoints.filter((each) => each.state === 'waiting')).find(isThrottled)
  // A short wait happens inside a page, which is then still running.
  if (state === 'limited' || throttled !== undefined || (isThrottling && endpoints.some(isBusy)))
    return {
      label: 'Waiting',
      tone: 'warn',
      sentence: 'The service allows no more calls for now. Tributary waits and goes on by itself.',
    }
  const down = failing.find(isDown)
  if (down !== undefined)
    return {
      label: 'Service is down',
      tone: 'bad',
      sentence: 'What was read stays readable. Tributary tries again by itself.',
    }
  if (endpoints.some(isBusy)) return { label: 'Reading', tone: 'plain' }
  return { label: 'Up to date', tone: 'good' }
}

export const isBusy = ({ state }: EndpointProgress): boolean => state === 'running' || state === 'waiting'
const isThrottled = ({ last_reason: reason }: EndpointProgress) =>
  reason === 'rate_limited' || reason === 'rate_limited_here' || reason === 'capacity' || reason === 'capacity_here'
const isDown = ({ last_reason: reason }: EndpointProgress) =>
  reason === 'service_failed' || reason === 'service_unreachable' || reason === 'service_timeout'

/** How far an endpoint is, beside its bar. */
export function endpointCount({ state, items: stored, pages }: EndpointProgress): string {
  if (state === 'running') return `page ${(pages ?? 0) + 1} · ${formatCount(stored)}`
  return state === 'waiting' && stored === 0 ? 'waiting' : formatCount(stored)
}

/** What is in the way of an endpoint, in a few words; empty where nothing is. */
export function endpointTrouble(endpoint: EndpointProgress, now: number): string {
  const { state, next_run: nextRun } = endpoint
  if (state === 'running') return ''
  if (isThrottled(endpoint)) return `throttled, ${nextTry(nextRun, now)}`
  if (state === 'failing' && isDown(endpoint)) return `not reached, ${nextTry(nextRun, now)}`
  if (state === 'failing' && endpoint.last_reason === 'service_refused') return 'not allowed for this sign-in'
  if (state === 'failing') return `failed, ${nextTry(nextRun, now)}`
  if (state === 'parked') return 'stopped after many failures'
  if (state === 'off') return 'not granted'
  return state === 'paused' ? 'paused' : ''
}

function nextTry(nextRun: number, now: number): string {
  const seconds = Math.max(0, Math.round((nextRun - now) / 1000))
  if (seconds < 2) return 'next try now'
  return seconds < 90 ? `next try in ${seconds} s` : `next try in ${Math.round(seconds / 60)} min`
}

/** The profile of a service that was connected last. */
export function profileOf(profiles: Profiles | undefined, service: string): Profile | undefined {
  const found = profiles?.[service]
  const last = Array.isArray(found) ? found.at(-1) : undefined
  return typeof last === 'object' ? last : undefined
}

export type Overview = ResponseOf<'GET /sync'>

/** How far everything is, in a line. */
export function headline(overview: Overview | undefined): string {
  if (overview === undefined) return 'Connecting …'
  const { state, items: stored, endpoints, profiles } = overview
  const all = `${items(stored)} from ${profiles.length} ${profiles.length === 1 ? 'service' : 'services'}`
  if (state === 'first_sync')
    return `Reading for the first time: ${all} so far, ${endpoints.done} of ${endpoints.of} endpoints`
  if (state === 'needs_auth') return `${all}; one waits for a new sign-in`
  return `${all}, and what is new arrives by itself`
}
