import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { authenticateApp } from '#flows/apps/authenticate-app.ts'
import { limitGuesses } from '#flows/apps/limit-guesses.ts'
import { accountOf } from '#flows/authorize/accounts.ts'
import type { OpenedAccount } from '#model/account.ts'
import type { App } from '#model/app.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { decodePercent } from '#platform/decode-percent.ts'
import type { HttpDeps } from './deps.ts'
import { queryOf } from './query-pairs.ts'

/** Requires the admin token in `Authorization: Bearer`. Wrong ones are counted like wrong secrets. */
export async function requireAdmin(deps: HttpDeps, request: FastifyRequest): Promise<void> {
  const secret = request.headers.authorization
  const refusal = () => new ApiError('admin_token_invalid')
  if (secret === undefined) throw refusal()
  const guess = { subject: 'admin', address: request.ip, secret }
  await limitGuesses(deps, guess, refusal, async () => isAdmin(deps, secret) || undefined)
}

function isAdmin({ adminToken }: HttpDeps, authorization: string): boolean {
  const given = /^Bearer (.+)$/i.exec(authorization)?.[1]
  return given !== undefined && adminToken !== undefined && sameText(given, adminToken)
}

/** Requires HTTP Basic with `client_id:client_secret`. */
export async function requireApp(deps: HttpDeps, request: FastifyRequest): Promise<App> {
  const credentials = basicCredentials(request.headers.authorization)
  if (credentials === undefined) throw new ApiError('app_secret_invalid')
  return authenticateApp(deps, credentials.id, credentials.secret, request.ip)
}

export async function requireAccount(
  deps: Pick<HttpDeps, 'database' | 'hasher'>,
  request: FastifyRequest,
): Promise<OpenedAccount> {
  const account = await accountOf(deps, tokenOf(request))
  if (account === undefined) throw new ApiError('token_invalid')
  return account
}

/** Whether the request has an access token, valid or not. */
export function hasToken(request: FastifyRequest): boolean {
  return 'access_token' in queryOf(request) || /^Bearer /i.test(request.headers.authorization ?? '')
}

/** The access token, as `access_token` in the query or as Bearer; two different ones are an error. */
export function tokenOf(request: FastifyRequest): string {
  const { access_token: inQuery } = queryOf(request)
  if (inQuery !== undefined && typeof inQuery !== 'string')
    throw invalidInput('bad_parameter', 'access_token', 'was given more than once.')
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (inQuery !== undefined && bearer !== undefined && inQuery !== bearer) throw new ApiError('token_conflict')
  const token = inQuery ?? bearer
  if (token === undefined || token === '') throw new ApiError('token_missing')
  return token
}

/** Id and secret may be form-encoded inside Basic (RFC 6749 2.3.1), even the underscore; ours never contain a `%`. */
export function basicCredentials(header: string | undefined): { id: string; secret: string } | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 1 ? undefined : { id: formDecoded(text.slice(0, colon)), secret: formDecoded(text.slice(colon + 1)) }
}

function formDecoded(text: string): string {
  return text.includes('%') ? (decodePercent(text) ?? text) : text
}

// Hashed first, so that the time does not reveal the length either.
function sameText(a: string, b: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest()
  return timingSafeEqual(digest(a), digest(b))
}
