import type { JsonObject, OAuth2, Parameters } from '#kit/auth.ts'
import type { ServiceLocation } from '../addresses.ts'
import { UpstreamError } from '../errors.ts'
import { type LoginOptions, vary } from '../login-options.ts'
import type { Upstream } from '../send.ts'
import type { ServiceKey } from '../service-key.ts'
import { fillAll } from './placeholders.ts'
import { tokenFailure } from './token-error.ts'
import { askAsApp, withParameters } from './token-request.ts'

export interface AuthorizationInput extends LoginOptions {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  callbackUrl: string
  state: string
  /** As the service wants it written. */
  scope: string
  challenge?: string | undefined
  dpopKey?: JsonObject | undefined
}

/** The address to which the person is sent (RFC 6749 4.1.1); with RFC 9126 it holds only a reference. */
export async function authorizationUrl(upstream: Upstream, input: AuthorizationInput): Promise<string> {
  const { auth, key, location } = input
  const varied = vary(auth, input)
  const page =
    varied.authorizeUrl === undefined
      ? location.addresses.authorizeUrl
      : location.move(varied.authorizeUrl, 'authorizeUrl')
  const id = { [auth.names.client_id ?? 'client_id']: key.key }
  const parameters: Parameters = {
    response_type: 'code',
    ...id,
    [auth.names.redirect_uri ?? 'redirect_uri']: input.callbackUrl,
    state: input.state,
    ...(input.scope === '' ? {} : { [auth.scope.name]: input.scope }),
    ...(input.challenge === undefined ? {} : { code_challenge: input.challenge, code_challenge_method: 'S256' }),
    ...fillAll(auth.parameters.authorize, { key: key.key }),
    ...varied.parameters,
  }
  const { parUrl } = location.addresses
  if (parUrl === undefined) return withParameters(page, parameters)
  return withParameters(page, { ...id, request_uri: await pushRequest(upstream, input, parUrl, parameters) })
}

async function pushRequest(
  upstream: Upstream,
  { auth, key, location, dpopKey }: AuthorizationInput,
  url: string,
  parameters: Parameters,
): Promise<string> {
  const audience = location.addresses.issuer ?? location.addresses.tokenUrl
  const { response, fields, askedAtMs } = await askAsApp(upstream, { auth, key, url, parameters, audience, dpopKey })
  const reference = fields?.['request_uri']
  if (response.status < 300 && typeof reference === 'string') return reference
  const failure = tokenFailure(response, fields, {
    auth,
    what: 'pushed request',
    nowMs: askedAtMs,
    secrets: [key.secret, parameters['state']],
  })
  // There is no grant yet that the person could renew, so that a refusal is about the request.
  if (failure.recovery !== 'reauthorize') throw failure
  throw new UpstreamError('stop', failure.message, { reason: 'request_refused', status: response.status })
}
