import type { Credential } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Tenant, Tenants } from '#kit/read/facts.ts'
import { textAt, valueAt } from '#kit/read/value-at.ts'
import { storableText } from '#platform/formats/storable-text.ts'
import type { ServiceLocation } from './addresses/addresses.ts'
import { addedToCalls } from './addresses/placeholder-values.ts'
import { parseLossless } from './body/lossless-json.ts'
import { sendAuthorized } from './call/authorize-call.ts'
import { checkFact } from './facts.ts'
import { UpstreamError } from './request/errors.ts'
import { responseFailure } from './request/response-failure.ts'
import type { Upstream } from './request/send.ts'
import type { ServiceKey } from './request/service-key.ts'

/** Limit: bytes of the response that lists a person's tenants; a longer one fails the sign-in. */
const MAX_BYTES = 1024 * 1024
/** Limit: tenants of a person that the page offers; further ones are left out. */
const MAX_TENANTS = 300
/** Limit: characters of the name of a tenant as it is shown; the rest is cut off. */
const MAX_NAME = 200

interface TenantsCall {
  connector: Connector
  tenants: Tenants
  key: ServiceKey
  location: ServiceLocation
  credential: Credential
}

/** Asks the service for the person's tenants; never none. */
export async function readTenants(upstream: Upstream, input: TenantsCall): Promise<[Tenant, ...Tenant[]]> {
  const { connector, tenants, key, location, credential } = input
  const { auth, api } = connector
  const reply = await sendAuthorized(
    upstream,
    { auth, key, credential },
    {
      method: 'GET',
      url: location.relocate(tenants.url, 'tokenUrl'),
      trust: location.trust,
      headers: { accept: 'application/json', ...addedToCalls(connector, api.headers, { key, credential }) },
      maxBytes: MAX_BYTES,
    },
  )
  if (reply.status < 200 || reply.status > 299) {
    const secrets = [key.secret, credential.token]
    const nowMs = upstream.clock.now()
    throw responseFailure(reply, { what: 'list of tenants', nowMs, refused: 'reauthorize', secrets })
  }
  const [first, ...others] = tenantsIn(tenants, reply.text)
  if (first === undefined)
    throw new UpstreamError('stop', `The person has no ${tenants.title} there that the app may use`, {
      reason: 'service_refused',
    })
  return [first, ...others]
}

function tenantsIn({ list = '', where = {}, facts, id, name }: Tenants, text: string): Tenant[] {
  const found = valueAt(parsed(text), list)
  const rows = Array.isArray(found) ? (found as unknown[]) : [found]
  const isWanted = (row: unknown) => Object.entries(where).every(([path, value]) => textAt(row, path) === value)
  const seen = new Set<string>()
  return rows.filter(isWanted).flatMap((row): Tenant[] => {
    const read = Object.entries(facts).map(([fact, path]) => [fact, textAt(row, path)] as const)
    // One without what calls need cannot be used, and one that is listed twice is the same.
    if (read.some(([, value]) => value === undefined)) return []
    const values = Object.fromEntries(read.map(([fact, value]) => [fact, checkFact(fact, value!)]))
    const key = values[id] ?? ''
    if (seen.has(key) || seen.size >= MAX_TENANTS) return []
    seen.add(key)
    const shown = (name === undefined ? undefined : textAt(row, name)) ?? key
    return [{ name: storableText(shown).slice(0, MAX_NAME), facts: values }]
  })
}

function parsed(text: string): unknown {
  try {
    return parseLossless(text)
  } catch (cause) {
    throw new UpstreamError('retry', 'The list of tenants could not be read', { reason: 'answer_unreadable', cause })
  }
}
