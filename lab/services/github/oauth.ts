import { problemPage } from '../../base/page.ts'
import { first, type Pair } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import { Refusal, type Reply, redirect, withQuery } from '../../base/reply.ts'
import { formOf, hasForm, jsonOf, type LabRequest } from '../../base/request.ts'
import type { Handler, Routes } from '../../base/router.ts'
import type { Registration, ServiceContext } from '../../base/service-parts.ts'
import type { Caller } from '../../oauth2/bearer.ts'
import { createOAuth2Server, type OAuth2Server } from '../../oauth2/server.ts'
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

export interface GithubOAuth extends Omit<OAuth2Server, 'guard' | 'deauthorize' | 'kept'> {
  client(key: string | undefined): GithubClient | undefined
  /** The owner of an active token, or undefined. */
  caller(token: string): Caller | undefined
  revoke(client: GithubClient, token: string): Promise<void>
  /** Tokens issued to an app, newest last. */
  issued(client: GithubClient): readonly string[]
}

const authorizePath = '/login/oauth/authorize'
const tokenPath = '/login/oauth/access_token'
const errorPage = '/apps/managing-oauth-apps/troubleshooting-authorization-request-errors/'

/** A standard server wrapped with the vendor's deviations from RFC 6749. */
export function createGithubOAuth(context: ServiceContext, people: Person[]): GithubOAuth {
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
  const redirectOfCode = new Map<string, string>()
  const issued = new Map<string, string[]>()
  const innerRoute = (key: string): Handler => {
    const handler = server.routes[key]
    if (!handler) throw new Error(`no route ${key}`)
    return handler
  }

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
    return innerRoute(`GET ${authorizePath}`)({ ...request, query: present(query) }, {})
  }

  /** Records the code's redirect URI: the token request may omit it. */
  async function consent(request: LabRequest): Promise<Reply> {
    const reply = await innerRoute('POST /consent')(request, {})
    const location = reply.headers.location
    if (typeof location !== 'string') return reply
    const code = new URL(location, context.url()).searchParams.get('code')
    if (code !== null) redirectOfCode.set(code, location.slice(0, location.lastIndexOf('code=') - 1))
    if (!location.includes('error=access_denied')) return reply
    const denied = location.replace(/error_description=[^&]*/, new URLSearchParams(refused).toString())
    return redirect(denied)
  }

  async function token(request: LabRequest): Promise<Reply> {
    const params = tokenParams(request)
    const grantType = first(params, 'grant_type') ?? 'authorization_code'
    const client = clients.get(first(params, 'client_id') ?? '')
    if (!client || client.secret !== first(params, 'client_secret'))
      return tokenError(request, 'incorrect_client_credentials')
    const code = first(params, 'code') ?? ''
    const bound = redirectOfCode.get(code)
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
    const reply = await callInnerWithForm(`POST ${tokenPath}`, request, form)
    const fields = JSON.parse(String(reply.body)) as Record<string, string | number>
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

  async function callInnerWithForm(key: string, request: LabRequest, form: Pair[]): Promise<Reply> {
    const { authorization: _, ...headers } = request.headers
    const body = Buffer.from(new URLSearchParams(form.map(([...pair]) => pair)).toString())
    const asForm = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
    try {
      return await innerRoute(key)({ ...request, method: 'POST', query: [], headers: asForm, body }, {})
    } catch (error) {
      if (error instanceof Refusal) return error.reply
      throw error
    }
  }

  const routes: Routes = {
    'GET /login': innerRoute('GET /login'),
    'POST /login': innerRoute('POST /login'),
    'GET /consent': innerRoute('GET /consent'),
    'POST /consent': consent,
    [`GET ${authorizePath}`]: authorize,
    [`POST ${tokenPath}`]: token,
  }
  return {
    routes,
    settings: server.settings,
    configure: (changes) => server.configure(changes),
    tokens: server.tokens,
    register(registration: Registration) {
      const accepted = [...registration.redirectUris]
      const pair = server.register({ ...registration, redirectUris: accepted })
      const name = registration.name ?? 'An app'
      clients.set(pair.key, { ...pair, name, registered: registration.redirectUris, accepted })
      return pair
    },
    endpoints: () => ({
      authorize_url: `${context.url()}${authorizePath}`,
      token_url: `${context.url()}${tokenPath}`,
      api_url: context.url(),
    }),
    client: (key) => clients.get(key ?? ''),
    caller(value) {
      const headers = { authorization: `Bearer ${value.replace(/^gho_/, 'at-')}` }
      try {
        return server.guard({ ...emptyRequest, headers })
      } catch (error) {
        if (error instanceof Refusal) return undefined
        throw error
      }
    },
    async revoke(client, value) {
      const form: Pair[] = [
        ['client_id', client.key],
        ['client_secret', client.secret],
        ['token', value.replace(/^gho_/, 'at-')],
      ]
      await callInnerWithForm('POST /oauth/revoke', emptyRequest, form)
    },
    issued: (client) => issued.get(client.key) ?? [],
  }
}

const emptyRequest: LabRequest = {
  method: 'GET',
  target: '/',
  path: '/',
  query: [],
  headers: {},
  rawHeaders: [],
  body: Buffer.alloc(0),
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
