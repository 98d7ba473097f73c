import type { Credential } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { FactSource, Facts } from '#kit/read/facts.ts'
import { textAt } from '#kit/read/value-at.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'
import type { CallbackParameters } from './callback-parameters.ts'
import { UpstreamError } from './request/errors.ts'
import type { ServiceKey } from './request/service-key.ts'

/** Limit: characters of a fact that a sign-in gives; a longer one fails the sign-in. */
const MAX_FACT_CHARACTERS = 500

/** Reads the connector's facts from one source. Those that are missing there are left out. */
export function readFacts(facts: Facts, from: FactSource['from'], read: (name: string) => string | undefined) {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, source]) => {
      if (source.from !== from) return []
      const value = read(source.from === 'token' ? source.path : source.name)
      return value === undefined ? [] : [[name, checkFact(name, value)]]
    }),
  ) as Record<string, string>
}

/** The facts of a token response. */
export function tokenFacts(facts: Facts, fields: unknown, tokenPath: readonly string[] = []): Record<string, string> {
  const inner = tokenPath.length === 0 ? '' : `${tokenPath.join('.')}.`
  return readFacts(facts, 'token', (path) => textAt(fields, `${inner}${path}`) ?? textAt(fields, path))
}

/** The facts of a callback. */
export function callbackFacts(facts: Facts, parameters: CallbackParameters): Record<string, string> {
  return readFacts(facts, 'callback', (name) => parameters.get(name))
}

// A fact becomes part of addresses and headers: control characters would end a header, dot segments change a path.
function checkFact(name: string, value: string): string {
  if (value.length <= MAX_FACT_CHARACTERS && !/\p{Cc}/u.test(value) && !/^\.{1,2}$/.test(value)) return value
  throw new UpstreamError('stop', `The service’s value of “${name}” cannot be used`, { reason: 'unexpected_answer' })
}

/**
 * Adds the person's API address to the credential, where the connector takes it from a fact. The address of the key wins: an
 * operator who sets one means all people.
 */
export function withFactAddress(connector: Connector, key: ServiceKey, credential: Credential): Credential {
  const rule = connector.api.baseUrlFrom
  if (rule === undefined || key.overrides['api_url'] !== undefined || key.overrides['base_url'] !== undefined)
    return credential
  const fact = credential.facts?.[rule.fact]
  if (fact === undefined)
    throw new UpstreamError('stop', 'The service did not say where the person’s API is', { reason: 'address_invalid' })
  const url = URL.parse(fact.includes('://') ? fact : `https://${fact}`)
  if (!url || !isOfService(rule.hosts, url))
    throw new UpstreamError('stop', 'The service named an address of its API that is not one of its hosts', {
      reason: 'address_refused',
    })
  const apiUrl = trimEndOf(`${url.origin}${rule.path ?? url.pathname}`, '/')
  return { ...credential, instance: { ...credential.instance, api_url: apiUrl } }
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
