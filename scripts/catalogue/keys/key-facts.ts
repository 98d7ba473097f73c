import type { Category } from '../../../src/kit/connector/catalogue-words.ts'
import { domainOf } from '../domain.ts'

/** What one source says about a service that is called with a key: addresses and names, nothing of its text. */
export interface KeyFacts {
  source: string
  /** What the source calls it. */
  name: string
  title?: string | undefined
  docs?: string | undefined
  category?: Category | undefined
  /** The address below which all calls are, without a `/` at its end. */
  base: string
  place: KeyPlace
  /** Paths of calls that need the key and no parameter, the best one first. */
  proofs: string[]
  /** The vendor publishes the description itself (`isPublishedByVendor`). */
  isVendors: boolean
}

/** `unclear`: in `authorization`, and the source does not say with which scheme. */
export type KeyPlace = { header: string; scheme?: string } | { query: string } | 'basic' | 'unclear'

/** The first label of the domain: what a company calls itself there. */
export const labelOf = (address: string): string => domainOf(address).split('.')[0]!

export const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** A base address that a key may be sent to: of a public server, complete, without a sandbox. */
export function usableBase(text: string | undefined): string | undefined {
  const base = text?.trim().replace(/\/+$/, '')
  if (base === undefined || !/^https:\/\/[a-z0-9.-]+\.[a-z]{2,}(?:\/[^\s{}$%<>"'\\?#]*)?$/i.test(base)) return undefined
  const { hostname } = new URL(base)
  const isElsewhere =
    /(?:^|[.-])(?:localhost|sandbox|staging|test|dev|demo|local|example|yourdomain|company|mock|internal)(?:[.-]|$)/i.test(
      hostname,
    ) ||
    /(?:azurewebsites\.net|azure-api\.net|execute-api\.|amazonaws\.com|herokuapp\.com|ngrok|cloudfunctions\.net|run\.app|rapidapi\.com|appspot\.com|azurefd\.net)/i.test(
      hostname,
    )
  return isElsewhere ? undefined : base
}

const BEST = /(?:^|\/)(?:me|whoami|self|current[-_]?user|users?\/(?:me|current)|accounts?\/me|api-keys?\/me)\/?$/i
const GOOD =
  /(?:^|\/)(?:user|account|profile|balance|credits|usage|subscription|organi[sz]ation|team|workspace)s?(?:\/info)?\/?$/i
const OPEN =
  /health|pong|status|countr|currenc|language|timezone|heartbeat|about|info$|test|demo|sample|ping|version|openapi|swagger|login|logout|token|oauth|webhook|schema|metadata|public|search|docs|callback|export|download/i

/** The calls that need nothing but the key, those about its owner first, then the shortest; without those that are often open to everybody. */
export function bestProofs(paths: readonly string[], isDeclared: boolean = false): string[] {
  const rank = (path: string) => (BEST.test(path) ? 0 : GOOD.test(path) ? 1 : 2)
  return paths
    .filter((path) => /^\/[\w./@~:-]+$/.test(path) && (isDeclared || !OPEN.test(path)))
    .sort((a, b) => rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : 1))
}

export const isAuthorization = (place: KeyPlace): boolean =>
  place === 'unclear' || (typeof place === 'object' && 'header' in place && place.header === 'authorization')
