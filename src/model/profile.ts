export const PROFILE_STATES = ['connecting', 'active', 'needs_auth', 'limited', 'paused'] as const
export type ProfileState = (typeof PROFILE_STATES)[number]

/** Who a profile is, as every service can say it. */
export interface Person {
  name?: string | undefined
  handle?: string | undefined
  email?: string | undefined
  url?: string | undefined
  photo?: string | undefined
  description?: string | undefined
  location?: string | undefined
}

/** One authorized service user inside an account. */
export interface Profile {
  shard: number
  id: string
  accountId: string
  appId: string
  service: string
  nativeId: string
  state: ProfileState
  /** Since when somebody wants no syncs of it; a profile that needs a new sign-in may be paused as well. */
  pausedAt: number | undefined
  stateUntil: number | undefined
  error: string | undefined
  scope: string | undefined
  person: Person
  /** The service's own record of the person, as JSON text: passed on, never re-written. */
  data: string
  connectedAt: number
  syncedAt: number | undefined
}

// From each state, where it may go. Signing in again leads out of `needs_auth` and ends a limit; a pause outlasts it.
const NEXT: Record<ProfileState, readonly ProfileState[]> = {
  connecting: ['active', 'needs_auth', 'limited', 'paused'],
  active: ['needs_auth', 'limited', 'paused'],
  limited: ['active', 'connecting', 'needs_auth', 'paused'],
  needs_auth: ['active', 'connecting', 'paused'],
  paused: ['active', 'connecting', 'needs_auth'],
}

export function mayBecome(from: ProfileState, to: ProfileState): boolean {
  return from === to || NEXT[from].includes(to)
}

/** Every other state from which a profile may come to this one. */
export function statesBefore(to: ProfileState): ProfileState[] {
  return PROFILE_STATES.filter((from) => from !== to && mayBecome(from, to))
}
