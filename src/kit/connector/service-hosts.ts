import type { Api } from './connector.ts'

/** How a declared origin begins that stands for many hosts. */
const ANY_LABEL = 'https://*.'
const LABEL = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/

/** Whether a declared origin stands for many hosts, so that somebody else names the one that is called. */
export const isWildcard = (declared: string): boolean => declared.startsWith(ANY_LABEL)

/** Whether an address is at a declared origin. As in certificates, `*` is exactly one label: never none, never two. */
export function isAtHost(declared: string, { origin, hostname }: URL): boolean {
  if (!isWildcard(declared)) return origin === declared
  const [label = ''] = hostname.split('.', 1)
  return LABEL.test(label) && origin === `https://${label}.${declared.slice(ANY_LABEL.length)}`
}

/** The declared origin that a path of the service belongs to, where it is not that of the API; the longest prefix counts. */
export function hostOfPath({ pathHosts }: Pick<Api, 'pathHosts'>, path: string): string | undefined {
  let found = ''
  for (const prefix in pathHosts)
    if (prefix.length > found.length && path.startsWith(prefix) && endsPart(path, prefix.length)) found = prefix
  return pathHosts?.[found]
}

/** `/v1/people` is a part of `/v1/people/me` and of `/v1/people:batchGet`, and not of `/v1/people_of`. */
function endsPart(path: string, at: number): boolean {
  return at === path.length || path[at] === '/' || path[at] === ':' || path[at - 1] === '/'
}
