import type { JWK } from 'jose'
import type { OAuth2, Parameters, TokenAuth } from '#kit/auth/auth.ts'
import type { Trust } from '#platform/egress/trust.ts'
import { jose } from '../jose.ts'
import { UpstreamError } from '../request/errors.ts'
import { parseObject } from '../request/parse-object.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { signNonce } from './sign-nonce.ts'

/** The client authentication of a request (RFC 6749 2.3). */
export interface ClientAuthentication {
  body: Parameters
  query: Parameters
  headers: Record<string, string>
}

export interface ClientAuthenticationInput {
  auth: OAuth2
  key: ServiceKey
  /** Audience of an assertion: the issuer, or else the token endpoint. */
  audience: string
  method?: TokenAuth | undefined
  /** The other parameters of the request, some of which a signature covers. */
  parameters?: Parameters | undefined
  /** Address of the nonces that are signed. */
  nonceUrl?: string | undefined
  trust: Trust
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const ASSERTION_TTL_S = 60

export async function authenticateClient(
  upstream: Upstream,
  input: ClientAuthenticationInput,
): Promise<ClientAuthentication> {
  const { auth, key, audience } = input
  const id = { [auth.names.client_id ?? 'client_id']: key.key }
  const secret = { [auth.names.client_secret ?? 'client_secret']: key.secret }
  const none = { body: {}, query: {}, headers: {} }
  const method = key.secret === '' ? 'none' : (input.method ?? auth.tokenAuth)
  switch (method) {
    case 'none':
      return { ...none, body: id }
    case 'post':
      return { ...none, body: { ...id, ...secret } }
    case 'query':
      return { ...none, query: { ...id, ...secret } }
    case 'basic':
      return { ...none, headers: { authorization: basicHeader(formEncode(key.key), formEncode(key.secret)) } }
    case 'basic_raw':
      return { ...none, headers: { authorization: basicHeader(key.key, key.secret) } }
    case 'secret_basic':
      return { ...none, headers: { authorization: basicHeader(key.secret, '') } }
    case 'private_key_jwt':
      return { ...none, body: { ...id, ...(await assertion(upstream, key, audience)) } }
    case 'signed_nonce':
      return { ...none, body: { ...id, ...(await signNonce(upstream, input)) } }
    default:
      return method satisfies never
  }
}

export function basicHeader(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}

function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

async function assertion(upstream: Upstream, key: ServiceKey, audience: string): Promise<Parameters> {
  const jwk = parseObject(key.secret) as JWK | undefined
  const alg = jwk?.alg ?? 'ES256'
  const nowS = Math.floor(upstream.clock.now() / 1000)
  const { importJWK, SignJWT } = jose()
  try {
    const jwt = new SignJWT({ jti: upstream.random(16).toString('base64url') })
      .setProtectedHeader({ alg, ...(jwk?.kid === undefined ? {} : { kid: jwk.kid }) })
      .setIssuer(key.key)
      .setSubject(key.key)
      .setAudience(audience)
      .setIssuedAt(nowS)
      .setExpirationTime(nowS + ASSERTION_TTL_S)
    return {
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: await jwt.sign(await importJWK(jwk ?? {}, alg)),
    }
  } catch (error) {
    throw new UpstreamError('stop', 'The app’s secret for this service is not a private JWK', {
      reason: 'keys_refused',
      cause: error,
    })
  }
}
