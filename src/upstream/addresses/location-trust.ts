import type { Connector } from '#kit/connector/connector.ts'
import type { Trust } from '#platform/egress/trust.ts'
import type { ServiceKey } from '../request/service-key.ts'

/** Overrides of a key that move all addresses of the service to one that the operator chose. */
const MOVING = ['base_url', 'api_url', 'authorize_url', 'token_url', 'access_token_url', 'request_token_url']

/**
 * Who chose the addresses of a service. They are the operator's only where nothing that a person said is part of one: an answer, a
 * typed server, or an address that was found there. So a connector cannot get it wrong.
 */
export function locationTrust(
  { ask }: Pick<Connector, 'ask'>,
  { overrides }: Pick<ServiceKey, 'overrides'>,
  instance: Readonly<Record<string, string>> = {},
): Trust {
  const isFound = ([name, value]: [string, string]) =>
    (name === 'issuer' || name.endsWith('_url')) && value !== overrides[name]
  if (Object.entries(instance).some(isFound)) return 'person'
  const isMoved = MOVING.some((name) => overrides[name] !== undefined)
  return ask !== undefined && !isMoved ? 'person' : 'operator'
}

/** The same for an address before typed values are filled in: `{site}/api` and `https://{shop}.example` are a person's. */
export function templateTrust(template: string, otherwise: Trust): Trust {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*\{/i.test(template) ? 'person' : otherwise
}
