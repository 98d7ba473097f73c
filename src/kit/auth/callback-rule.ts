/** What a service demands of redirect addresses, as far as it can be foreseen. `https`: nothing else. `loopback_ip`: http only at `127.0.0.1` and `[::1]`, and `localhost` not at all. */
export const CALLBACK_RULES = ['https', 'loopback_ip'] as const
export type CallbackRule = (typeof CALLBACK_RULES)[number]

/** Why the service refuses a redirect address, as a sentence with what helps; undefined where nothing is known against it. */
export function callbackFault(
  { title, callback }: { title: string; callback?: CallbackRule | undefined },
  address: string,
): string | undefined {
  if (callback === undefined) return undefined
  const { protocol, hostname } = new URL(address)
  const isIp = hostname === '127.0.0.1' || hostname === '[::1]'
  if (protocol === 'https:' && (callback === 'https' || hostname !== 'localhost')) return undefined
  if (callback === 'loopback_ip' && isIp) return undefined
  const [refused, helps] =
    callback === 'https'
      ? ['that is not https', 'Set BASE_URL to an https address']
      : ['that is not https, and localhost', 'Set BASE_URL to an https address, or to http://127.0.0.1:PORT']
  return `${title} refuses a redirect address ${refused}: ${address}. ${helps}.`
}

/** The same for a key of the app. At addresses of its own it may be another server, whose rules are not known. */
export function foreseenFault(
  connector: Parameters<typeof callbackFault>[0],
  overrides: Readonly<Record<string, string>>,
  address: string,
): string | undefined {
  return Object.keys(overrides).length > 0 ? undefined : callbackFault(connector, address)
}
