import type { Credential, JsonObject, OAuth2 } from '#kit/auth.ts'
import type { ServiceLocation } from '../addresses.ts'
import type { CallbackParameters } from '../callback-parameters.ts'
import { createDpopKey } from '../dpop/proof.ts'
import { UpstreamError } from '../errors.ts'
import { type LoginOptions, vary } from '../login-options.ts'
import { omitUndefined } from '../omit-undefined.ts'
import type { Upstream } from '../send.ts'
import type { ServiceKey } from '../service-key.ts'
import { authorizationUrl } from './authorization.ts'
import { exchangeCode } from './exchange.ts'
import { checkIssuer } from './issuer.ts'
import { challengeOf, createVerifier } from './pkce.ts'
import { scopeFor } from './scope.ts'

/** What must be kept, sealed, until the person comes back. */
export interface OAuth2Secrets {
  scope: string
  verifier?: string
  dpopKey?: JsonObject
  issuer?: string
  issuerAnnounced?: boolean
  tokenUrl: string
}

export interface OAuth2Begin extends LoginOptions {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  callbackUrl: string
  state: string
  scope?: string | undefined
}

export async function beginOAuth2(
  upstream: Upstream,
  input: OAuth2Begin,
): Promise<{ url: string; secrets: OAuth2Secrets }> {
  const { auth, key, location } = input
  const { issuer, issuerAnnounced, tokenUrl } = location.addresses
  const scope = scopeFor(auth.scope, { asked: input.scope, ofKey: key.scope, extra: vary(auth, input).scope })
  const verifier = auth.pkce ? createVerifier(upstream.random) : undefined
  const dpopKey = auth.dpop ? await createDpopKey() : undefined
  const challenge = verifier === undefined ? undefined : challengeOf(verifier)
  const url = await authorizationUrl(upstream, { ...input, scope, challenge, dpopKey })
  return { url, secrets: omitUndefined({ scope, verifier, dpopKey, issuer, issuerAnnounced, tokenUrl }) }
}

export interface OAuth2Finish {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  callbackUrl: string
  secrets: OAuth2Secrets
  parameters: CallbackParameters
}

export async function finishOAuth2(upstream: Upstream, input: OAuth2Finish): Promise<Credential> {
  const { auth, key, callbackUrl, secrets, parameters } = input
  checkIssuer(secrets, parameters.get('iss'))
  const error = parameters.get('error')
  if (error !== undefined) throw deniedBy(error)
  const code = parameters.get('code')
  if (code === undefined) throw new UpstreamError('stop', 'The service sent no code', { reason: 'code_missing' })
  const { scope, verifier, dpopKey, tokenUrl } = secrets
  // The code goes where it was asked for, whatever the key's addresses have become since.
  const location = { ...input.location, addresses: { ...input.location.addresses, tokenUrl } }
  return exchangeCode(upstream, { auth, key, location, callbackUrl, code, verifier, scope, dpopKey })
}

/** RFC 6749 4.1.2.1. */
export function deniedBy(error: string): UpstreamError {
  if (error === 'access_denied' || error === 'user_cancelled_login' || error === 'user_denied')
    return new UpstreamError('stop', 'The person did not allow it', { reason: 'access_denied' })
  const later = error === 'server_error' || error === 'temporarily_unavailable'
  const known = /^[a-z_]{1,60}$/.test(error) ? error : 'unknown error'
  return new UpstreamError(later ? 'retry' : 'stop', `The service refused the sign-in: ${known}`, {
    reason: later ? 'service_failed' : 'request_refused',
  })
}
