import type { Profile } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'

/**
 * The order in which a transaction locks the service users of several profiles. It locks them after the accounts, so that
 * no two transactions wait for each other, whichever nodes their rows are on.
 */
export function inLockOrder<Each extends Pick<Profile, 'service' | 'nativeId'>>(profiles: readonly Each[]): Each[] {
  return profiles.toSorted((a, b) => (profileName(a) < profileName(b) ? -1 : 1))
}
