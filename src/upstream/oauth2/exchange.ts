import type { Credential, JsonObject, OAuth2 } from '#kit/auth/auth.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import { appValues } from '../addresses/placeholder-values.ts'
import { tokenFacts } from '../facts.ts'
import { UpstreamError } from '../request/errors.ts'
import { fillParameters } from '../request/fill-placeholders.ts'
import { omitUndefined } from '../request/omit-undefined.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { verifyIdToken } from './id-token.ts'
import { requireToken } from './require-token.ts'
import { exchangeToken } from './token-exchange.ts'
import { nonceUrlOf, requestAsApp, type TokenReply } from './token-request.ts'
import { UnusableTokenError } from './unusable-token.ts'

export interface ExchangeInput {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  callbackUrl: string
  code: string
  verifier?: string | undefined
  /** The requested scope; also the granted one, unless the response says otherwise (RFC 6749 5.1). */
  scope: string
  dpopKey?: JsonObject | undefined
  /** Of the authorization request; the ID token must repeat it. */
  nonce?: string | undefined
}

/** Exchanges a code for a credential (RFC 6749 4.1.3), and that for a long-lived one if the service has such. */
export async function exchangeCode(upstream: Upstream, input: ExchangeInput): Promise<Credential> {
  const { auth, key, location, dpopKey } = input
  const reply = await presentCode(upstream, input)
  const secrets = [key.secret, input.code, input.verifier]
  const { tokenType: _, ...response } = requireToken(reply, {
    auth,
    what: 'token',
    secrets,
    dpop: dpopKey !== undefined,
  })
  const issued: Credential = {
    ...omitUndefined({ scope: input.scope === '' ? undefined : input.scope, dpopKey }),
    ...response,
  }
  const identity = await identityOf(upstream, input, reply).catch((error: unknown) => {
    throw error instanceof UpstreamError ? new UnusableTokenError(error, issued) : error
  })
  const credential: Credential = { ...issued, ...identity }
  return auth.longToken
    ? exchangeToken(upstream, { auth, key, location, credential, tokenExchange: auth.longToken })
    : credential
}

/** Presents a code at the token endpoint. */
export async function presentCode(upstream: Upstream, input: ExchangeInput): Promise<TokenReply> {
  const { auth, key, location, dpopKey } = input
  const parameters = {
    grant_type: 'authorization_code',
    [auth.names.code ?? 'code']: input.code,
    [auth.names.redirect_uri ?? 'redirect_uri']: input.callbackUrl,
    ...(input.verifier === undefined ? {} : { code_verifier: input.verifier }),
    ...(auth.scope.atToken && input.scope !== '' ? { [auth.scope.name]: input.scope } : {}),
    ...fillParameters(auth.parameters.token, { ...appValues(key), secret: key.secret }),
  }
  return requestAsApp(upstream, {
    auth,
    key,
    url: location.addresses.tokenUrl,
    trust: location.trust,
    parameters,
    audience: location.addresses.issuer ?? location.addresses.tokenUrl,
    dpopKey,
    method: auth.tokenMethod,
    body: auth.tokenBody,
    nonceUrl: nonceUrlOf(auth, location),
  })
}

/** What else the response says about the person: facts, and the claims of a verified ID token. */
async function identityOf(
  upstream: Upstream,
  { auth, key, location, nonce }: ExchangeInput,
  { fields }: TokenReply,
): Promise<Pick<Credential, 'facts' | 'claims' | 'subject'>> {
  const facts = tokenFacts(auth.facts, fields, auth.tokenPath)
  const found = Object.keys(facts).length === 0 ? {} : { facts }
  if (auth.idToken === undefined) return found
  const token = fields?.['id_token']
  const claims = await verifyIdToken(upstream, { rule: auth.idToken, location, audience: key.key, nonce, token })
  return { ...found, claims, subject: claims.sub }
}
