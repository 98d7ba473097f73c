import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NetworkHost } from '#destinations/contract.ts'
import { invalidInput } from '#model/errors.ts'
import { EgressError, isNameRefusal } from '#platform/egress/errors.ts'
import type { Egress } from '#platform/egress/guard.ts'

/** Limit: milliseconds for resolving a host name when an address is set. Then the address is accepted unresolved. */
const MAX_RESOLVE_MS = 3000

const LISTED_ONLY = 'Without TLS only addresses that the operator listed can be reached; use https.'

/**
 * Refuses an address that no delivery could ever use: a private one that the operator did not allow, and a public one without
 * TLS. A name is refused only for the latter: it may get an address later, and the response must not tell which names
 * exist inside the operator's network. A webhook without TLS has to be in such a network already. Every connection checks the address again.
 */
export async function requireReachable(egress: Pick<Egress, 'lookup'>, found: NetworkHost | undefined): Promise<void> {
  if (found === undefined) return
  const timer = new AbortController()
  try {
    await Promise.race([
      egress.lookup(found.host, { plain: found.wantsPlain }),
      sleep(MAX_RESOLVE_MS, undefined, { signal: timer.signal }),
    ])
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    // The same sentence for every name, so that it does not tell which ones exist.
    if (found.mustBeListed === true && isIP(found.host.replace(/^\[|\]$/g, '')) === 0)
      throw invalidInput('bad_body', 'url', LISTED_ONLY)
    if (!isNameRefusal(error)) throw invalidInput('bad_body', 'url', `${error.message}.`)
  } finally {
    timer.abort()
  }
}
