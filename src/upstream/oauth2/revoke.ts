import type { Credential, OAuth2, Revocation } from '#kit/auth.ts'
import type { ServiceLocation } from '../addresses.ts'
import { parseFields } from '../parse-object.ts'
import type { Upstream } from '../send.ts'
import type { ServiceKey } from '../service-key.ts'
import { secretProof } from '../sign/secret-proof.ts'
import { fill, fillAll } from './placeholders.ts'
import { tokenFailure } from './token-error.ts'
import { askAsApp, type TokenReply, withParameters } from './token-request.ts'

export interface RevokeInput {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  credential: Credential
}

export type RevokeOutcome = 'revoked' | 'not_supported'

/** Ends a grant at the service; a token that is gone already counts as revoked. */
export async function revoke(upstream: Upstream, input: RevokeInput): Promise<RevokeOutcome> {
  const { auth, location, credential } = input
  const url = location.addresses.revokeUrl
  if (url === undefined) return 'not_supported'
  if (auth.revoke) {
    checkGone(input, await askOwnWay(upstream, input, url, auth.revoke))
    return 'revoked'
  }
  // The refresh token first: with it the grant ends, while an access token alone could be made again.
  const tokens = { refresh_token: credential.refreshToken, access_token: credential.token }
  for (const [hint, token] of Object.entries(tokens)) {
    if (token !== undefined) checkGone(input, await askStandardWay(upstream, input, url, { token, hint }))
  }
  return 'revoked'
}

function askStandardWay(
  upstream: Upstream,
  { auth, key, location, credential }: RevokeInput,
  url: string,
  { token, hint }: { token: string; hint: string },
): Promise<TokenReply> {
  return askAsApp(upstream, {
    auth,
    key,
    url,
    parameters: { token, token_type_hint: hint },
    audience: location.addresses.issuer ?? location.addresses.tokenUrl,
    dpopKey: credential.dpopKey,
  })
}

async function askOwnWay(upstream: Upstream, input: RevokeInput, url: string, way: Revocation): Promise<TokenReply> {
  const { auth, key, location, credential } = input
  const proof = secretProof(credential.token, key.secret)
  const fillings = { key: key.key, secret: key.secret, token: credential.token, proof }
  const address = fill(url, fillings, encodeURIComponent)
  const declared = Object.values(way.parameters ?? {})
  const placed = way.tokenPlacement === 'bearer' || [url, ...declared].some((text) => text.includes('{token}'))
  const parameters = { ...fillAll(way.parameters, fillings), ...(placed ? {} : { token: credential.token }) }
  const { method, tokenPlacement } = way
  if (tokenPlacement === 'form' || tokenPlacement === 'json') {
    const audience = location.addresses.issuer ?? location.addresses.tokenUrl
    const tokenAuth = way.tokenAuth ?? auth.tokenAuth
    return askAsApp(upstream, {
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
  const askedAtMs = upstream.clock.now()
  const scheme = auth.tokenPlacement.in === 'header' ? auth.tokenPlacement.scheme : 'Bearer'
  const headers = tokenPlacement === 'bearer' ? { authorization: `${scheme} ${credential.token}` } : {}
  const response = await upstream.send({ method, url: withParameters(address, parameters), headers })
  return { response, fields: parseFields(response.text), askedAtMs }
}

function checkGone({ auth, key, credential }: RevokeInput, { response, fields, askedAtMs }: TokenReply): void {
  if (response.status >= 200 && response.status < 300) return
  const secrets = [key.secret, credential.token, credential.refreshToken]
  const failure = tokenFailure(response, fields, { auth, what: 'revocation', nowMs: askedAtMs, secrets })
  if (failure.recovery !== 'reauthorize') throw failure
}
