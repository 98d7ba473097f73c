import type { Credential, JsonObject, OAuth2 } from '#kit/auth/auth.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import type { CallbackParameters } from '../callback-parameters.ts'
import { createDpopKey } from '../dpop/proof.ts'
import { callbackFacts } from '../facts.ts'
import { applyLoginOptions, type LoginOptions } from '../login-options.ts'
import { excerpt, UpstreamError } from '../request/errors.ts'
import { omitUndefined } from '../request/omit-undefined.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { authorizationUrl } from './authorization.ts'
import { exchangeCode } from './exchange.ts'
import { checkIssuer } from './issuer.ts'
import { challengeOf, createVerifier } from './pkce.ts'
import { scopeFor } from './scope.ts'

/** Must be stored, sealed, until the callback. */
export interface OAuth2Secrets {
  scope: string
  verifier?: string
  dpopKey?: JsonObject
  /** Of the ID token. */
  nonce?: string
  issuer?: string
  issuerAnnounced?: boolean
}

export interface OAuth2Begin extends LoginOptions {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  callbackUrl: string
  state: string
  scope?: string | undefined
  loginHint?: string | undefined
}

export async function beginOAuth2(
  upstream: Upstream,
  input: OAuth2Begin,
): Promise<{ url: string; secrets: OAuth2Secrets }> {
  const { auth, key, location } = input
  const { issuer } = location.addresses
  // People name these servers, and the client document is the same for all of them: only `iss` tells which one answered.
  const issuerAnnounced =
    location.addresses.issuerAnnounced === true || (auth.home !== undefined && issuer !== undefined)
  const { unlessSetting } = auth.scope
  const isScopeInSetting = unlessSetting !== undefined && key.settings?.[unlessSetting] !== undefined
  const scope = isScopeInSetting
    ? ''
    : scopeFor(auth.scope, {
        requested: input.scope,
        keyScope: key.scope,
        extra: applyLoginOptions(auth, input).scope,
      })
  const verifier = auth.pkce ? createVerifier(upstream.random) : undefined
  const dpopKey = auth.dpop ? await createDpopKey() : undefined
  const challenge = verifier === undefined ? undefined : challengeOf(verifier)
  const nonce = auth.idToken === undefined ? undefined : upstream.random(16).toString('base64url')
  const url = await authorizationUrl(upstream, { ...input, scope, challenge, nonce, dpopKey })
  return { url, secrets: omitUndefined({ scope, verifier, dpopKey, nonce, issuer, issuerAnnounced }) }
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
  const { auth, key, location, callbackUrl, secrets, parameters } = input
  checkIssuer(secrets, parameters.get('iss'))
  const error = parameters.get('error')
  if (error !== undefined) throw authorizationRefused(error, parameters.get('error_description'))
  const code = parameters.get('code')
  if (code === undefined) throw new UpstreamError('stop', 'The callback has no code', { reason: 'code_missing' })
  const { scope, verifier, dpopKey, nonce } = secrets
  const fromCallback = callbackFacts(auth.facts, parameters)
  const credential = await exchangeCode(upstream, {
    auth,
    key,
    location,
    callbackUrl,
    code,
    verifier,
    scope: grantedIn(auth, parameters, scope),
    dpopKey,
    nonce,
  })
  if (Object.keys(fromCallback).length === 0) return credential
  return { ...credential, facts: { ...credential.facts, ...fromCallback } }
}

/** The requested scopes that the redirect names, where the service says it there; a browser cannot add others. */
function grantedIn(
  { scope: { redirect, separator } }: OAuth2,
  parameters: CallbackParameters,
  requested: string,
): string {
  const text = redirect === undefined ? undefined : parameters.get(redirect)
  if (text === undefined) return requested
  const named = new Set(text.split(/[\s,]/))
  return requested
    .split(separator)
    .filter((scope) => named.has(scope))
    .join(separator)
}

/** The failure for an error response of the authorization endpoint (RFC 6749 4.1.2.1). */
export function authorizationRefused(error: string, description?: string): UpstreamError {
  if (error === 'access_denied' || error === 'user_cancelled_login' || error === 'user_denied')
    return new UpstreamError('stop', 'The person declined', { reason: 'access_denied' })
  const isTemporary = error === 'server_error' || error === 'temporarily_unavailable'
  const known = /^[a-z_]{1,60}$/.test(error) ? error : 'unknown error'
  return new UpstreamError(isTemporary ? 'retry' : 'stop', `The service refused the authorization: ${known}`, {
    reason: isTemporary ? 'service_failed' : 'request_refused',
    said: description === undefined ? known : `${known}: ${excerpt(description)}`,
  })
}
