import type { Credential, OAuth1 } from '#kit/auth/auth.ts'
import { decidesByFlag } from '#kit/auth/granted.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import type { CallbackParameters } from '../callback-parameters.ts'
import { applyLoginOptions, type LoginOptions } from '../login-options.ts'
import { scopeFor } from '../oauth2/scope.ts'
import { authorizationRefused } from '../oauth2/sign-in.ts'
import { UpstreamError } from '../request/errors.ts'
import { omitUndefined } from '../request/omit-undefined.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { oauth1AuthorizationUrl } from './authorization.ts'
import { fetchAccessToken, fetchRequestToken } from './tokens.ts'

/** Must be stored, sealed, until the callback. */
export interface OAuth1Secrets {
  scope: string
  requestToken: string
  requestTokenSecret: string
  tokenUrl: string
}

export interface OAuth1Begin extends LoginOptions {
  auth: OAuth1
  key: ServiceKey
  location: ServiceLocation
  callbackUrl: string
  scope?: string | undefined
}

export async function beginOAuth1(
  upstream: Upstream,
  input: OAuth1Begin,
): Promise<{ url: string; requestToken: string; secrets: OAuth1Secrets }> {
  const { auth, key, location, callbackUrl } = input
  const { addresses, trust } = location
  const { scope: extra } = applyLoginOptions(auth, input)
  const scope = scopeFor(auth.scope, { requested: input.scope, keyScope: key.scope, extra })
  const { token, tokenSecret } = await fetchRequestToken(
    upstream,
    { auth, key, addresses, trust },
    { callbackUrl, scope },
  )
  return {
    url: oauth1AuthorizationUrl(auth, location, token, input),
    requestToken: token,
    secrets: { scope, requestToken: token, requestTokenSecret: tokenSecret, tokenUrl: addresses.tokenUrl },
  }
}

export interface OAuth1Finish {
  auth: OAuth1
  key: ServiceKey
  location: ServiceLocation
  secrets: OAuth1Secrets
  parameters: CallbackParameters
}

export async function finishOAuth1(upstream: Upstream, input: OAuth1Finish): Promise<Credential> {
  const { auth, key, secrets, parameters } = input
  if (parameters.get('denied') !== undefined) throw authorizationRefused('access_denied')
  const error = parameters.get('error') ?? parameters.get('oauth_problem')
  if (error !== undefined) throw authorizationRefused(error === 'permission_denied' ? 'access_denied' : error)
  if (parameters.get('oauth_token') !== secrets.requestToken)
    throw new UpstreamError('stop', 'The callback belongs to another sign-in', { reason: 'request_token_mismatch' })
  const verifier = parameters.get('oauth_verifier')
  if (verifier === undefined)
    throw new UpstreamError('stop', 'The callback has no verifier (OAuth 1.0a)', { reason: 'verifier_missing' })
  const { trust } = input.location
  const addresses = { ...input.location.addresses, tokenUrl: secrets.tokenUrl }
  const { token, tokenSecret } = await fetchAccessToken(
    upstream,
    { auth, key, addresses, trust },
    { token: secrets.requestToken, tokenSecret: secrets.requestTokenSecret, verifier },
  )
  // The token response does not say what was given; where the flags of the sign-in decide it, nothing else was.
  const scope = secrets.scope === '' && !decidesByFlag(auth) ? undefined : secrets.scope
  return omitUndefined({ token, tokenSecret, scope })
}
