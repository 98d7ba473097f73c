import type { Credential, OAuth2, Revocation, RevocationScope } from '#kit/auth/auth.ts'
import type { RevocationResult } from '#model/accounts/revocation.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import { appValues } from '../addresses/placeholder-values.ts'
import { fillParameters, fillPlaceholders } from '../request/fill-placeholders.ts'
import { parseFields } from '../request/parse-object.ts'
import { hidingSecrets } from '../request/secrets-of.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { errorCodeOf, tokenFailure } from '../request/token-error.ts'
import { secretProof } from '../sign/secret-proof.ts'
import { nonceUrlOf, requestAsApp, type TokenReply, withParameters } from './token-request.ts'

export interface RevokeInput {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  credential: Credential
  /**
   * `grant`: nobody else needs the app's access to the person. `token`: end nothing but the tokens of this sign-in.
   * `nothing`: others use this token, so only say whether it could be ended.
   */
  scope: RevocationScope | 'nothing'
}

/**
 * Revokes at the service. A token that was revoked before counts as revoked. Throws if the service could not be asked.
 */
export async function revoke(upstream: Upstream, input: RevokeInput): Promise<RevocationResult> {
  const form = revocationFormOf(input)
  if (form === 'kept' || form === 'not_offered') return form
  const isEnded =
    form.declared === undefined
      ? await revokeByStandard(upstream, input, form.url)
      : isRevoked(input, await revokeAsDeclared(upstream, input, form.url, form.declared), form.declared)
  if (!isEnded) return 'refused'
  return input.scope === 'token' ? 'token_ended' : 'revoked'
}

/** The address and request that end as much as the scope allows. */
function revocationFormOf({
  auth,
  location,
  scope,
}: RevokeInput): { url: string; declared: Revocation | undefined } | 'kept' | 'not_offered' {
  const { revokeToken } = auth
  const url = location.addresses.revokeUrl
  if (url === undefined && revokeToken === undefined) return 'not_offered'
  if (scope === 'nothing') return 'kept'
  if (url !== undefined && (scope === 'grant' || auth.revokeEnds === 'token')) return { url, declared: auth.revoke }
  if (revokeToken !== undefined) return { url: location.relocate(revokeToken.url, 'tokenUrl'), declared: revokeToken }
  return 'kept'
}

/** The refresh token first: that ends the grant, while an access token alone could be refreshed. */
async function revokeByStandard(upstream: Upstream, input: RevokeInput, url: string): Promise<boolean> {
  const { auth, key, location, credential } = input
  const tokens = { refresh_token: credential.refreshToken, access_token: credential.token }
  for (const [hint, token] of Object.entries(tokens)) {
    if (token === undefined) continue
    const reply = await requestAsApp(upstream, {
      auth,
      key,
      url,
      trust: location.trust,
      parameters: { token, token_type_hint: hint },
      audience: location.addresses.issuer ?? location.addresses.tokenUrl,
      dpopKey: credential.dpopKey,
      nonceUrl: nonceUrlOf(auth, location),
    })
    // Without its refresh token, an access token that cannot be revoked ends by itself.
    const isLeftToExpire =
      token !== credential.refreshToken &&
      credential.refreshToken !== undefined &&
      errorCodeOf(reply.fields, auth.errorField) === 'unsupported_token_type'
    if (!isLeftToExpire && !isRevoked(input, reply)) return false
  }
  return true
}

async function revokeAsDeclared(
  upstream: Upstream,
  input: RevokeInput,
  url: string,
  revocation: Revocation,
): Promise<TokenReply> {
  const { auth, key, location, credential } = input
  const hiding = hidingSecrets(upstream, { key, credential })
  const proof = secretProof(credential.token, key.secret)
  const values = { ...appValues(key), secret: key.secret, token: credential.token, sub: credential.subject, proof }
  const address = fillPlaceholders(url, values, encodeURIComponent)
  const declared = Object.values(revocation.parameters ?? {})
  const needsNoToken = revocation.tokenPlacement === 'bearer' || revocation.tokenPlacement === 'none'
  const hasToken = needsNoToken || [url, ...declared].some((text) => text.includes('{token}'))
  const parameters = {
    ...fillParameters(revocation.parameters, values),
    ...(hasToken ? {} : { token: credential.token }),
  }
  const { method, tokenPlacement } = revocation
  if (tokenPlacement === 'form' || tokenPlacement === 'json' || tokenPlacement === 'none') {
    const audience = location.addresses.issuer ?? location.addresses.tokenUrl
    const tokenAuth = revocation.tokenAuth ?? auth.tokenAuth
    return requestAsApp(hiding, {
      auth,
      key,
      url: address,
      trust: location.trust,
      parameters,
      audience,
      method,
      body: tokenPlacement === 'json' ? 'json' : 'form',
      tokenAuth,
      nonceUrl: nonceUrlOf(auth, location),
    })
  }
  const sentAtMs = upstream.clock.now()
  const scheme = auth.tokenPlacement.in === 'header' ? auth.tokenPlacement.scheme : 'Bearer'
  const headers = tokenPlacement === 'bearer' ? { authorization: `${scheme} ${credential.token}` } : {}
  const response = await hiding.send({
    method,
    url: withParameters(address, parameters),
    trust: location.trust,
    headers,
  })
  return { response, fields: parseFields(response.text), sentAtMs }
}

/** False if the service refuses; throws if it did not decide. */
function isRevoked(
  { auth, key, credential }: RevokeInput,
  { response, fields, sentAtMs }: TokenReply,
  { isGone }: Pick<Revocation, 'isGone'> = {},
): boolean {
  const { status } = response
  const code = errorCodeOf(fields, auth.errorField)
  // Without a field of its own, an error text beside a success is a warning.
  if (status >= 200 && status < 300 && (auth.errorField === undefined || code === undefined)) return true
  if (code === 'invalid_token' || isGone?.({ status, body: fields }) === true) return true
  const secrets = [key.secret, credential.token, credential.refreshToken]
  const failure = tokenFailure(response, fields, { auth, what: 'revocation', nowMs: sentAtMs, secrets })
  if (failure.recovery === 'retry') throw failure
  return false
}
