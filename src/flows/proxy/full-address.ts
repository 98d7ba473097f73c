/** Whether a path is a whole address, whose host the connector must list. */
export const isFullAddress = (path: string): boolean => fullAddressIn(path) !== undefined

/** The first slash of a path is ours. Proxies in front of us write `https:/host` for `https://host`. */
const WITH_SCHEME = /^\/(https?):[\\/]*/i
const OTHER_SCHEME = /^\/[a-z][a-z\d+.-]*:[\\/]{2}/i
const WITHOUT_SCHEME = /^\/[\\/]+([^\\/?#]*)/
const HOST = /^(?:[^@]*@)?(?:localhost|\[[^\]]*\]|(?:[^.@]+\.)+(?:[a-z][a-z\d-]*\.?|\d{1,3}))(?::\d*)?$/i

/**
 * The whole address that a path is, in every form in which programs write one. A path with an empty first part is one only if a host
 * follows: SDKs that join addresses write `//users`.
 */
export function fullAddressIn(path: string): string | undefined {
  const scheme = WITH_SCHEME.exec(path)
  if (scheme !== null) return `${scheme[1]}://${path.slice(scheme[0].length)}`
  if (OTHER_SCHEME.test(path)) return path.slice(1)
  const host = WITHOUT_SCHEME.exec(path)?.[1]
  return host !== undefined && HOST.test(host) ? `https://${path.replace(/^[\\/]+/, '')}` : undefined
}

/** The path that a call counts as: of a whole address, below the API or on the host. */
export function limitedPath(path: string, baseUrl: string): string {
  const full = fullAddressIn(path)
  if (full === undefined) return path
  if (full.startsWith(`${baseUrl}/`)) return full.slice(baseUrl.length)
  return URL.parse(full)?.pathname ?? path
}
