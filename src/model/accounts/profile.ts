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
  /** What is read, such as the address of a feed, where nobody vouches for who the person is (`kit/connector/who-vouches.ts`). */
  source?: string | undefined
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
  /** When it was connected or re-connected last. Never equal for two profiles of an account that signed in here. */
  connectedAt: number
  /** When the service's record of the person last changed, as far as we know. */
  updatedAt: number
  syncedAt: number | undefined
}

/** What calls to the service need of a profile. */
export type CalledProfile = Pick<
  Profile,
  'shard' | 'id' | 'accountId' | 'appId' | 'service' | 'nativeId' | 'connectedAt'
>

/**
 * The id by which the service knows what a profile reads. Where nobody vouches for it, the native id is another one, derived from the
 * account; profiles of older releases have it as their native id.
 */
export function sourceOf({ person, nativeId }: Pick<Profile, 'person' | 'nativeId'>): string {
  return person.source ?? nativeId
}

/** Sorts the profile that was connected or re-connected last first. After a merge, times may be equal; then the newer profile. */
export function byLastConnected(
  a: Pick<Profile, 'connectedAt' | 'id'>,
  b: Pick<Profile, 'connectedAt' | 'id'>,
): number {
  return b.connectedAt - a.connectedAt || (a.id < b.id ? 1 : -1)
}

/**
 * The scopes that the person granted; undefined when the service does not say. An empty text is what the service said: user
 * tokens of GitHub Apps have no scope.
 */
export function grantedScopes({ scope }: { scope?: string | undefined }): string[] | undefined {
  return scope?.split(/[\s,]+/).filter((name) => name !== '')
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
