import { profileName } from './profile-name.ts'

/**
 * The address at which a link to reconnect a profile is requested by POST: with the account's access token, or, where
 * an account is named, with the app's id and secret.
 */
export function reconnectAddress(
  baseUrl: string,
  profile: { nativeId: string; service: string },
  accountId?: string,
): string {
  const account = accountId === undefined ? '' : `/accounts/${accountId}`
  // The id in a profile name is encoded already; a path segment is decoded once more.
  return `${baseUrl}${account}/profiles/${encodeURIComponent(profileName(profile))}/reconnect`
}
