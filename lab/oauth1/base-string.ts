import type { Pair } from '../base/pairs.ts'
import { percentEncode } from './percent.ts'

/** RFC 5849 3.4.1.2: lowercase scheme and host, without default port and query. */
export function baseStringUri(scheme: 'http' | 'https', host: string, path: string): string {
  const defaultPort = scheme === 'http' ? ':80' : ':443'
  const lower = host.toLowerCase()
  const named = lower.endsWith(defaultPort) ? lower.slice(0, -defaultPort.length) : lower
  return `${scheme}://${named}${path === '' ? '/' : path}`
}

/** RFC 5849 3.4.1.3.2: encode, then sort by name, then by value, comparing bytes. */
export function normalizedParameters(pairs: readonly Pair[]): string {
  return pairs
    .map(([name, value]) => [percentEncode(name), percentEncode(value)] as const)
    .sort(([nameA, valueA], [nameB, valueB]) => compare(nameA, nameB) || compare(valueA, valueB))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

export const signatureBaseString = (method: string, uri: string, pairs: readonly Pair[]): string =>
  [method.toUpperCase(), uri, normalizedParameters(pairs)].map(percentEncode).join('&')
