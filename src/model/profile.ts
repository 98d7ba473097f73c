import { decodePercent } from '#base/decode-percent.ts'

export const PROFILE_STATES = ['connecting', 'active', 'needs_auth', 'limited', 'paused', 'disconnected'] as const
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
  part: number
  id: string
  accountId: string
  appId: string
  service: string
  nativeId: string
  state: ProfileState
  stateUntil: number | undefined
  error: string | undefined
  scope: string | undefined
  person: Person
  /** The service's own record of the person, as JSON text: passed on, never re-written. */
  data: string
  connectedAt: number
  syncedAt: number | undefined
}

// From each state, where it may go. A profile that is gone stays gone; connecting anew makes it active again.
const NEXT: Record<ProfileState, readonly ProfileState[]> = {
  connecting: ['active', 'needs_auth', 'limited', 'paused', 'disconnected'],
  active: ['needs_auth', 'limited', 'paused', 'disconnected'],
  limited: ['active', 'needs_auth', 'paused', 'disconnected'],
  needs_auth: ['active', 'connecting', 'paused', 'disconnected'],
  paused: ['active', 'needs_auth', 'disconnected'],
  disconnected: [],
}

export function mayBecome(from: ProfileState, to: ProfileState): boolean {
  return from === to || NEXT[from].includes(to)
}

/** `<native user id>@<service>`, the id percent-encoded. */
export function profileName(profile: Pick<Profile, 'nativeId' | 'service'>): string {
  return `${encodeURIComponent(profile.nativeId)}@${profile.service}`
}

/** Reads `service` or `id@service`, split at the last `@`. Undefined when the id is not properly encoded. */
export function parseProfileName(text: string): { service: string; nativeId: string | undefined } | undefined {
  const at = text.lastIndexOf('@')
  if (at < 0) return { service: text, nativeId: undefined }
  const nativeId = decodePercent(text.slice(0, at))
  return nativeId === undefined ? undefined : { service: text.slice(at + 1), nativeId }
}
