import type { JSONWebKeySet } from 'jose'
import type { IdToken, JsonObject } from '#kit/auth/auth.ts'
import type { Trust } from '#platform/egress/trust.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import { jose } from '../jose.ts'
import { UpstreamError } from '../request/errors.ts'
import { parseObject } from '../request/parse-object.ts'
import { responseFailure } from '../request/response-failure.ts'
import type { Upstream } from '../request/send.ts'

/** Limit: characters of an ID token; a longer one fails the sign-in. */
const MAX_ID_TOKEN_CHARACTERS = 32_000
/** Limit: bytes of an issuer's public keys; a longer document fails the sign-in. */
const MAX_JWKS_BYTES = 256 * 1024
/** Only asymmetric ones: with HMAC, everybody with the app's secret could sign. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const CLOCK_TOLERANCE_S = 60
/** Claims of the token itself, which say nothing about the person. */
const OF_THE_TOKEN = new Set(['iss', 'aud', 'azp', 'exp', 'iat', 'nbf', 'nonce', 'at_hash', 'c_hash', 's_hash', 'jti'])

export interface IdTokenInput {
  rule: IdToken
  location: ServiceLocation
  /** The app's key, for which the token must have been issued. */
  audience: string
  nonce: string | undefined
  token: unknown
}

/** Verifies the ID token of a token response (OpenID Connect Core 3.1.3.7) and returns its claims about the person. */
export async function verifyIdToken(upstream: Upstream, input: IdTokenInput): Promise<JsonObject & { sub: string }> {
  const { rule, location, audience, nonce, token } = input
  if (typeof token !== 'string' || token.length > MAX_ID_TOKEN_CHARACTERS)
    throw refused('The token response has no usable ID token')
  const { addresses, relocate, trust } = location
  const issuer = rule.issuer === undefined ? addresses.issuer : relocate(rule.issuer, 'tokenUrl')
  const jwksUrl = rule.jwksUrl === undefined ? addresses.jwksUrl : relocate(rule.jwksUrl, 'tokenUrl')
  if (issuer === undefined || jwksUrl === undefined)
    throw new UpstreamError('stop', 'Nothing says who issues the ID token', { reason: 'connector_fault' })
  const { createLocalJWKSet, errors, jwtVerify } = jose()
  const verify = async (keys: JSONWebKeySet) =>
    (
      await jwtVerify(token, createLocalJWKSet(keys), {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(upstream.clock.now()),
        requiredClaims: ['sub', 'exp', 'iat'],
      })
    ).payload
  try {
    const known = await upstream.metadata.get(`${trust} ${jwksUrl}`, () => fetchKeys(upstream, jwksUrl, trust))
    const payload = await verify(keysOf(known)).catch(async (error: unknown) => {
      // The issuer may have changed its keys since they were cached.
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      const current = await fetchKeys(upstream, jwksUrl, trust)
      upstream.metadata.set(`${trust} ${jwksUrl}`, current)
      return verify(keysOf(current))
    })
    if (nonce === undefined || payload['nonce'] !== nonce) throw refused('The ID token belongs to another sign-in')
    const { azp } = payload
    if (azp !== undefined && azp !== audience) throw refused('The ID token was issued to another app')
    if (typeof payload.sub !== 'string' || payload.sub === '') throw refused('The ID token names no person')
    const about = Object.entries(payload).filter(([name]) => !OF_THE_TOKEN.has(name))
    return { ...Object.fromEntries(about), sub: payload.sub }
  } catch (error) {
    if (error instanceof UpstreamError) throw error
    if (error instanceof errors.JOSEError) throw refused('The ID token is not valid', error)
    throw error
  }
}

async function fetchKeys(upstream: Upstream, url: string, trust: Trust) {
  const reply = await upstream.send({ method: 'GET', url, trust, maxBytes: MAX_JWKS_BYTES })
  if (reply.status !== 200)
    throw responseFailure(reply, { what: 'public keys', nowMs: upstream.clock.now(), refused: 'retry' })
  const keys = parseObject(reply.text)
  if (keys === undefined || !Array.isArray(keys['keys'])) throw refused('The issuer’s public keys cannot be read')
  return keys
}

function keysOf(document: object): JSONWebKeySet {
  const keys: unknown = document
  return keys as JSONWebKeySet
}

const refused = (message: string, cause?: unknown): UpstreamError =>
  new UpstreamError('stop', message, { reason: 'subject_mismatch', cause })
