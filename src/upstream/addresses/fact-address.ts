import type { Credential } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { fillPlaceholders, placeholdersIn } from '#kit/endpoints/placeholders.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'
import { UpstreamError } from '../request/errors.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { factValues } from './placeholder-values.ts'
import { onInstance } from './rebase.ts'

/**
 * Adds the person's API address to the credential, where the connector takes it from a fact. The address of the key wins: an
 * operator who sets one means all people.
 */
export function withFactAddress(connector: Connector, key: ServiceKey, credential: Credential): Credential {
  const rule = connector.api.baseUrlFrom
  if (key.overrides['api_url'] !== undefined) return credential
  if (rule === undefined || key.overrides['base_url'] !== undefined) return withFactsInPath(connector, key, credential)
  const fact = credential.facts?.[rule.fact]
  if (fact === undefined)
    throw new UpstreamError('stop', 'The service did not say where the person’s API is', { reason: 'address_invalid' })
  const url = originOf(rule, fact)
  if (!url || !isOfService(hostsOfFact(rule), url))
    throw new UpstreamError('stop', 'The service named an address of its API that is not one of its hosts', {
      reason: 'address_refused',
    })
  const path = rule.path === undefined ? url.pathname : filledPath(rule.path, credential)
  const apiUrl = trimEndOf(`${url.origin}${path}`, '/')
  return { ...credential, instance: { ...credential.instance, api_url: apiUrl } }
}

function originOf({ below }: { below?: string }, fact: string): URL | null {
  if (below !== undefined) return LABEL.test(fact) ? URL.parse(`https://${fact}.${below}`) : null
  return URL.parse(fact.includes('://') ? fact : `https://${fact}`)
}

const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i

/** With the facts encoded, so that none can leave its place. */
function filledPath(path: string, credential: Credential): string {
  const values = factValues(credential)
  if (placeholdersIn(path).some((name) => name.startsWith('fact.') && values[name] === undefined))
    throw new UpstreamError('stop', 'The service did not say where the person’s API is', { reason: 'address_invalid' })
  return fillPlaceholders(path, values, encodeURIComponent)
}

/** Facts in the path of the API's address: a company, a site. They are encoded, so that none can change the host or leave its place. */
function withFactsInPath({ api: { baseUrl } }: Connector, key: ServiceKey, credential: Credential): Credential {
  if (!placeholdersIn(baseUrl).some((name) => name.startsWith('fact.'))) return credential
  const filled = filledPath(baseUrl, credential)
  const base = key.overrides['base_url']
  const apiUrl = base === undefined ? filled : onInstance(filled, base)
  return { ...credential, instance: { ...credential.instance, api_url: apiUrl } }
}

/** The hosts that a fact may choose. */
export function hostsOfFact({ hosts, below }: NonNullable<Connector['api']['baseUrlFrom']>): readonly string[] {
  return below === undefined ? hosts : [`*.${below}`]
}

/** Whether an address is one of the hosts that a connector names for the API of its people. */
export function isOfService(hosts: readonly string[], url: URL): boolean {
  const isPlain = url.protocol === 'https:' && url.username === '' && url.password === '' && url.port === ''
  return isPlain && hosts.some((pattern) => matchesHost(pattern, url.hostname))
}

/** `*.name` matches every host below the name, and not the name itself. */
function matchesHost(pattern: string, hostname: string): boolean {
  return pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern
}
