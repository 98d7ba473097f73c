/**
 * The address of the proxy for a profile. Not at the host that a request names: anybody may write that, and clients send the
 * account's token there.
 */
export function proxyUrlOf({ baseUrl }: { baseUrl: string }, profile: string): string {
  return `${baseUrl}/proxy/${encodeURIComponent(profile).replaceAll('%40', '@')}`
}
