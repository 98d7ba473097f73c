import type { Auth, Credential } from '#kit/auth/auth.ts'
import type { Typed, TypedExchange } from '#kit/auth/typed.ts'
import type { TypedJwt } from '#kit/auth/typed-signing.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { PlaceholderValues } from '#kit/endpoints/placeholders.ts'
import { locateService } from '../addresses/addresses.ts'
import { addressOf } from '../call/call-service.ts'
import { basicOf, valuesOf } from '../call/typed-values.ts'
import { encoded, withParameters } from '../oauth2/token-request.ts'
import { UpstreamError } from '../request/errors.ts'
import { fillParameters, fillPlaceholders } from '../request/fill-placeholders.ts'
import { isObject, parseObject } from '../request/parse-object.ts'
import { responseFailure } from '../request/response-failure.ts'
import { hidingSecrets } from '../request/secrets-of.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { signJwt } from './sign-jwt.ts'

/** Limit: bytes of the response that contains a token for typed values; a longer one fails the call. */
const MAX_BYTES = 256 * 1024

export interface TypedExchangeInput {
  connector: Connector
  key: ServiceKey
  credential: Credential
  exchange: TypedExchange
}

/** Exchanges typed values for a token, or refreshes it. What was typed stays in the credential. */
export async function exchangeTyped(upstream: Upstream, input: TypedExchangeInput): Promise<Credential> {
  const { connector, key, credential, exchange } = input
  const location = await locateService(upstream, { connector, key, instance: credential.instance })
  const { addresses, relocate } = location
  const values = await exchangeValues(upstream, connector.auth, credential)
  const inAddress = (text: string) => fillPlaceholders(text, values, encodeURIComponent)
  const url =
    exchange.url === undefined
      ? addressOf(addresses.apiUrl, { path: inAddress(exchange.path ?? '') })
      : relocate(inAddress(exchange.url), 'tokenUrl')
  const body = bodyOf(exchange, values)
  const sentAtMs = upstream.clock.now()
  const reply = await hidingSecrets(upstream, { auth: connector.auth, key, credential }).send({
    method: exchange.method ?? 'POST',
    url: withParameters(url, fillParameters(exchange.query, values)),
    trust: exchange.url === undefined ? location.trust : location.trustOf(exchange.url),
    headers: {
      ...fillParameters(exchange.headers, values),
      ...basicOf(exchange.basic, values),
      ...(body === undefined ? {} : { 'content-type': body.type }),
    },
    body: body?.text,
    maxBytes: MAX_BYTES,
  })
  if (reply.status < 200 || reply.status > 299) {
    const secrets = [...Object.values(credential.fields ?? {}), credential.token, credential.refreshToken]
    const failure = responseFailure(reply, { what: 'token', nowMs: sentAtMs, refused: 'reauthorize', secrets })
    throw exchange.refusedWith?.includes(reply.status) === true
      ? new UpstreamError('reauthorize', failure.message, { reason: 'service_refused', status: reply.status })
      : failure
  }
  return withToken(credential, exchange, reply.text, sentAtMs)
}

/** What was typed, and the token that is signed with it. Fields that were left empty are empty texts. */
async function exchangeValues(upstream: Upstream, auth: Auth, credential: Credential): Promise<PlaceholderValues> {
  if (auth.kind !== 'typed' || auth.jwt === undefined) return valuesOf(credential)
  const values = { ...emptyFields(auth), ...valuesOf(credential) }
  return { ...values, jwt: (await signJwt(auth.jwt, values, upstream.clock.now())).jwt }
}

/** The credential of calls that carry a token signed here; no service is asked for one. */
export async function withSignedToken(
  upstream: Upstream,
  auth: Typed,
  jwt: TypedJwt,
  credential: Credential,
): Promise<Credential> {
  const values = { ...emptyFields(auth), ...valuesOf(credential) }
  const { jwt: token, expiresAt } = await signJwt(jwt, values, upstream.clock.now())
  return { ...credential, token, expiresAt }
}

const emptyFields = ({ fields }: Typed) => Object.fromEntries(Object.keys(fields).map((name) => [name, '']))

/** Refreshes by the declared request; without one, or when it is refused, by what was typed. */
export async function refreshTyped(
  upstream: Upstream,
  input: Omit<TypedExchangeInput, 'exchange'> & { auth: Typed },
): Promise<Credential> {
  const { auth, credential } = input
  const { exchange, refresh } = auth
  if (exchange === undefined && auth.jwt !== undefined) return withSignedToken(upstream, auth, auth.jwt, credential)
  if (exchange === undefined)
    throw new UpstreamError('reauthorize', 'Typed values cannot be refreshed', { reason: 'no_refresh_token' })
  if (refresh === undefined || credential.refreshToken === undefined)
    return exchangeTyped(upstream, { ...input, exchange })
  try {
    return await exchangeTyped(upstream, { ...input, exchange: refresh })
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.recovery !== 'reauthorize') throw error
    return exchangeTyped(upstream, { ...input, exchange })
  }
}

function withToken(before: Credential, exchange: TypedExchange, text: string, sentAtMs: number): Credential {
  const body = parseObject(text)
  const token = textAt(body, exchange.token)
  if (token === undefined || token === '')
    throw new UpstreamError('retry', 'The response contains no token', { reason: 'answer_unreadable' })
  const refreshToken = textAt(body, exchange.refreshToken) ?? before.refreshToken
  const lifetimeS = Number(textAt(body, exchange.expiresIn) ?? exchange.expiresInS)
  const lifetimeMs = lifetimeS > 0 && Number.isFinite(lifetimeS) ? lifetimeS * 1000 : undefined
  const expiresAt = timeIn(textAt(body, exchange.expiresAt)) ?? (lifetimeMs && sentAtMs + lifetimeMs)
  const { expiresAt: _, refreshToken: _before, ...rest } = before
  return {
    ...rest,
    token,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

/** A date, or the seconds or milliseconds since 1970; undefined for anything else, so that the token is used until it is refused. */
function timeIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = /^\d{9,14}(?:\.\d+)?$/.test(text) ? Number(text) : undefined
  const ms = number === undefined ? Date.parse(text) : number < FIRST_MS ? number * 1000 : number
  return Number.isFinite(ms) && ms > 0 ? ms : undefined
}

/** As seconds, the year 5138; as milliseconds, 1973. */
const FIRST_MS = 1e11

function textAt(body: unknown, path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const found = path
    .split('.')
    .reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), body)
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'bigint' ? String(found) : undefined
}

function bodyOf({ form, json }: TypedExchange, values: PlaceholderValues) {
  if (json !== undefined) return encoded(fillParameters(json, values), 'json')
  return form === undefined ? undefined : encoded(fillParameters(form, values), 'form')
}
