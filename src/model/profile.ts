export const PROFILE_STATES = ['connecting', 'active', 'needs_auth', 'limited', 'paused'] as const
export type ProfileState = (typeof PROFILE_STATES)[number]

/** The fields of a person that services have in common. */
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
  /** Since when its syncs are paused; a profile in the state `needs_auth` may be paused as well. */
  pausedAt: number | undefined
  stateUntil: number | undefined
  error: string | undefined
  scope: string | undefined
  person: Person
  /** The service's own record of the person, as unchanged JSON text. */
  data: string
  connectedAt: number
  syncedAt: number | undefined
}

// Allowed transitions. A new sign-in ends `needs_auth` and `limited`, but not a pause.
const TRANSITIONS: Record<ProfileState, readonly ProfileState[]> = {
  connecting: ['active', 'needs_auth', 'limited', 'paused'],
  active: ['needs_auth', 'limited', 'paused'],
  limited: ['active', 'connecting', 'needs_auth', 'paused'],
  needs_auth: ['active', 'connecting', 'paused'],
  paused: ['active', 'connecting', 'needs_auth'],
}

export function mayBecome(from: ProfileState, to: ProfileState): boolean {
  return from === to || TRANSITIONS[from].includes(to)
}

/** The other states from which a profile may change to this one. */
export function statesBefore(to: ProfileState): ProfileState[] {
  return PROFILE_STATES.filter((from) => from !== to && mayBecome(from, to))
}
