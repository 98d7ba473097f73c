import { problemPage } from '../../base/page.ts'
import { first, type Pair } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import { Refusal, type Reply, redirect, withQuery } from '../../base/reply.ts'
import { formOf, hasForm, jsonOf, type LabRequest } from '../../base/request.ts'
import type { Registration, ServiceContext } from '../../base/service-parts.ts'
import type { Caller } from '../../oauth2/bearer.ts'
import {
  callRoute,
  createIssuedCodes,
  emptyRequest,
  fieldsIn,
  pagesOf,
  replyInside,
  withForm,
} from '../../oauth2/inside.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { callbackMatches } from './redirects.ts'
import { normalizedScopes, scopeDescriptions } from './scopes.ts'
import { tokenError, tokenReply } from './token-reply.ts'

export const brand = { title: 'GitHub (simulated)', mark: 'G', accent: '#1f2328' }

export interface GithubClient {
  key: string
  secret: string
  name: string
  registered: string[]
  /** The redirect URIs known to the inner server: the registered callbacks and the subpaths of them used so far. */
  accepted: string[]
}

export type GithubOAuth = ReturnType<typeof createGithubOAuth>

export const authorizePath = '/login/oauth/authorize'
export const tokenPath = '/login/oauth/access_token'
const errorPage = '/apps/managing-oauth-apps/troubleshooting-authorization-request-errors/'

/** A standard server wrapped with the vendor's deviations from RFC 6749. */
export function createGithubOAuth(context: ServiceContext, people: Person[]) {
  const server = createOAuth2Server(context, {
    brand,
    people,
    paths: { authorize: authorizePath, token: tokenPath },
    settings: {
      clientAuth: ['client_secret_post'],
      scopes: scopeDescriptions,
      scopeSeparator: ',',
      scopeChoice: false,
      accessTtlSeconds: 0,
      refresh: 'none',
      codeTtlSeconds: 600,
      metadata: false,
    },
  })
  const clients = new Map<string, GithubClient>()
  const codes = createIssuedCodes()
  const issued = new Map<string, string[]>()

  async function authorize(request: LabRequest): Promise<Reply> {
    const client = clients.get(first(request.query, 'client_id') ?? '')
    if (!client) return problemPage(brand, 'Page not found', 'There is no such application (client_id).', 404)
    const state = first(request.query, 'state')
    const redirectUri = first(request.query, 'redirect_uri') ?? client.registered[0] ?? ''
    if (!callbackMatches(client.registered, redirectUri))
      return redirect(withQuery(client.registered[0] ?? '', { ...mismatch, state }))
    if (!client.accepted.includes(redirectUri)) client.accepted.push(redirectUri)
    const wantsPicker = first(request.query, 'prompt') === 'select_account'
    const query: [string, string | undefined][] = [
      ['response_type', 'code'],
      ['client_id', client.key],
      ['redirect_uri', redirectUri],
      ['scope', normalizedScopes(first(request.query, 'scope') ?? '').join(',')],
      ['state', state],
      ['code_challenge', first(request.query, 'code_challenge')],
      ['code_challenge_method', first(request.query, 'code_challenge_method')],
      ['prompt', wantsPicker ? 'login' : undefined],
    ]
    return callRoute(server.routes, `GET ${authorizePath}`, { ...request, query: present(query) })
  }

  async function consent(request: LabRequest): Promise<Reply> {
    const reply = await callRoute(server.routes, 'POST /consent', request)
    codes.note(reply)
    const { location } = reply.headers
    if (!location?.includes('error=access_denied')) return reply
    return redirect(location.replace(/error_description=[^&]*/, new URLSearchParams(refused).toString()))
  }

  async function token(request: LabRequest): Promise<Reply> {
    const params = tokenParams(request)
    const grantType = first(params, 'grant_type') ?? 'authorization_code'
    const client = clients.get(first(params, 'client_id') ?? '')
    if (!client || client.secret !== first(params, 'client_secret'))
      return tokenError(request, 'incorrect_client_credentials')
    const code = first(params, 'code') ?? ''
    const bound = codes.redirectUri(code)
    const named = first(params, 'redirect_uri')
    if (bound !== undefined && named !== undefined && named !== bound)
      return tokenError(request, 'redirect_uri_mismatch')
    const isRefresh = grantType === 'refresh_token'
    const form = present([
      ['grant_type', grantType],
      ['client_id', client.key],
      ['client_secret', client.secret],
      ['code', code],
      ['redirect_uri', bound ?? ''],
      ['code_verifier', first(params, 'code_verifier')],
      ['refresh_token', first(params, 'refresh_token')?.replace(/^ghr_/, 'rt-')],
    ])
    const reply = await callWithForm(`POST ${tokenPath}`, request, form)
    const fields = fieldsIn(reply) as Record<string, string | number>
    if (reply.status !== 200) {
      const known = fields['error'] === 'unsupported_grant_type' ? 'unsupported_grant_type' : undefined
      return tokenError(request, known ?? (isRefresh ? 'bad_refresh_token' : 'bad_verification_code'))
    }
    const value = String(fields['access_token']).replace(/^at-/, 'gho_')
    issued.set(client.key, [...(issued.get(client.key) ?? []), value])
    const { expires_in, refresh_token } = fields
    return tokenReply(request, {
      access_token: value,
      ...(expires_in === undefined ? {} : { expires_in }),
      ...(refresh_token === undefined ? {} : { refresh_token: String(refresh_token).replace(/^rt-/, 'ghr_') }),
      scope: fields['scope'] ?? '',
      token_type: 'bearer',
    })
  }

  async function callWithForm(key: string, request: LabRequest, form: Pair[]): Promise<Reply> {
    const { authorization: _, ...headers } = request.headers
    return replyInside(server.routes, key, withForm({ ...request, query: [], headers }, form))
  }

  const routes = {
    ...pagesOf(server.routes),
    'POST /consent': consent,
    [`GET ${authorizePath}`]: authorize,
    [`POST ${tokenPath}`]: token,
  }
  return {
    routes,
    settings: server.settings,
    configure: (changes: Record<string, unknown>) => server.configure(changes),
    tokens: server.tokens,
    register(registration: Registration) {
      const accepted = [...registration.redirectUris]
      const pair = server.register({ ...registration, redirectUris: accepted })
      const name = registration.name ?? 'An app'
      clients.set(pair.key, { ...pair, name, registered: registration.redirectUris, accepted })
      return pair
    },
    client: (key: string) => clients.get(key),
    /** The owner of an active token, or undefined. */
    caller(value: string): Caller | undefined {
      const headers = { authorization: `Bearer ${value.replace(/^gho_/, 'at-')}` }
      try {
        return server.guard({ ...emptyRequest, headers })
      } catch (error) {
        if (error instanceof Refusal) return undefined
        throw error
      }
    },
    async revoke(client: GithubClient, value: string): Promise<void> {
      const form: Pair[] = [
        ['client_id', client.key],
        ['client_secret', client.secret],
        ['token', value.replace(/^gho_/, 'at-')],
      ]
      await callWithForm('POST /oauth/revoke', emptyRequest, form)
    },
    /** Tokens issued to an app, newest last. */
    issued: (client: GithubClient): readonly string[] => issued.get(client.key) ?? [],
  }
}

const mismatch = {
  error: 'redirect_uri_mismatch',
  error_description: 'The redirect_uri MUST match the registered callback URL for this application.',
  error_uri: `${errorPage}#redirect-uri-mismatch`,
}
const refused = {
  error_description: 'The user has denied your application access.',
  error_uri: `${errorPage}#access-denied`,
}

const present = (pairs: [string, string | undefined][]): Pair[] =>
  pairs.filter((pair): pair is [string, string] => pair[1] !== undefined)

/** The body as form or JSON, or the query. */
function tokenParams(request: LabRequest): Pair[] {
  if (hasForm(request)) return formOf(request)
  if (request.body.length === 0) return request.query
  return Object.entries(jsonOf(request)).map(([name, value]) => [name, String(value)])
}
