import type { Credential, OAuth2, Revocation } from '#kit/auth.ts'
import type { ServiceLocation } from '../addresses.ts'
import { parseFields } from '../parse-object.ts'
import type { Upstream } from '../send.ts'
import type { ServiceKey } from '../service-key.ts'
import { secretProof } from '../sign/secret-proof.ts'
import { fillParameters, fillPlaceholders } from './placeholders.ts'
import { tokenFailure } from './token-error.ts'
import { requestAsApp, type TokenReply, withParameters } from './token-request.ts'

export interface RevokeInput {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  credential: Credential
}

export type RevokeOutcome = 'revoked' | 'not_supported'

/** Revokes a grant at the service. A token that was revoked before counts as revoked. */
export async function revoke(upstream: Upstream, input: RevokeInput): Promise<RevokeOutcome> {
  const { auth, location, credential } = input
  const url = location.addresses.revokeUrl
  if (url === undefined) return 'not_supported'
  if (auth.revoke) {
    requireRevoked(input, await revokeAsDeclared(upstream, input, url, auth.revoke))
    return 'revoked'
  }
  // The refresh token first: that ends the grant, while an access token alone could be refreshed.
  const tokens = { refresh_token: credential.refreshToken, access_token: credential.token }
  for (const [hint, token] of Object.entries(tokens)) {
    if (token !== undefined) requireRevoked(input, await revokeByStandard(upstream, input, url, { token, hint }))
  }
  return 'revoked'
}

function revokeByStandard(
  upstream: Upstream,
  { auth, key, location, credential }: RevokeInput,
  url: string,
  { token, hint }: { token: string; hint: string },
): Promise<TokenReply> {
  return requestAsApp(upstream, {
    auth,
    key,
    url,
    parameters: { token, token_type_hint: hint },
    audience: location.addresses.issuer ?? location.addresses.tokenUrl,
    dpopKey: credential.dpopKey,
  })
}

async function revokeAsDeclared(
  upstream: Upstream,
  input: RevokeInput,
  url: string,
  revocation: Revocation,
): Promise<TokenReply> {
  const { auth, key, location, credential } = input
  const proof = secretProof(credential.token, key.secret)
  const values = { key: key.key, secret: key.secret, token: credential.token, proof }
  const address = fillPlaceholders(url, values, encodeURIComponent)
  const declared = Object.values(revocation.parameters ?? {})
  const hasToken = revocation.tokenPlacement === 'bearer' || [url, ...declared].some((text) => text.includes('{token}'))
  const parameters = {
    ...fillParameters(revocation.parameters, values),
    ...(hasToken ? {} : { token: credential.token }),
  }
  const { method, tokenPlacement } = revocation
  if (tokenPlacement === 'form' || tokenPlacement === 'json') {
    const audience = location.addresses.issuer ?? location.addresses.tokenUrl
    const tokenAuth = revocation.tokenAuth ?? auth.tokenAuth
    return requestAsApp(upstream, {
      auth,
      key,
      url: address,
      parameters,
      audience,
      method,
      body: tokenPlacement,
      tokenAuth,
    })
  }
  const sentAtMs = upstream.clock.now()
  const scheme = auth.tokenPlacement.in === 'header' ? auth.tokenPlacement.scheme : 'Bearer'
  const headers = tokenPlacement === 'bearer' ? { authorization: `${scheme} ${credential.token}` } : {}
  const response = await upstream.send({ method, url: withParameters(address, parameters), headers })
  return { response, fields: parseFields(response.text), sentAtMs }
}

function requireRevoked({ auth, key, credential }: RevokeInput, { response, fields, sentAtMs }: TokenReply): void {
  if (response.status >= 200 && response.status < 300) return
  const secrets = [key.secret, credential.token, credential.refreshToken]
  const failure = tokenFailure(response, fields, { auth, what: 'revocation', nowMs: sentAtMs, secrets })
  if (failure.recovery !== 'reauthorize') throw failure
}
