import { createHash } from 'node:crypto'
import { problemPage } from '../../base/page.ts'
import { first, type Pair } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import { formOf, type LabRequest } from '../../base/request.ts'
import type { Handler } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import type { SignIn } from '../../base/sign-in.ts'
import { createOAuth2Server, type OAuth2Server } from '../../oauth2/server.ts'
import { scopeDescriptions } from './scopes.ts'

export const brand = { title: 'X (simulated)', mark: '𝕏', accent: '#0f1419' }

const requiredParams = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
]
const paths = { authorize: '/i/oauth2/authorize', token: '/2/oauth2/token', revoke: '/2/oauth2/revoke' }

/** Authorization code with PKCE. Refresh tokens require offline.access and rotate. */
export function createXOAuth2(context: ServiceContext, people: Person[], signIn: SignIn): OAuth2Server {
  const server = createOAuth2Server(context, {
    brand,
    people,
    signIn,
    paths,
    settings: {
      pkce: 'required',
      clientAuth: ['client_secret_basic', 'none'],
      basicEncoding: 'raw',
      scopes: scopeDescriptions,
      scopeChoice: false,
      accessTtlSeconds: 7200,
      refresh: 'rotate',
      refreshTtlSeconds: 183 * 86_400,
      codeTtlSeconds: 30,
      metadata: false,
    },
  })
  const innerRoute = (key: string): Handler => {
    const handler = server.routes[key]
    if (!handler) throw new Error(`no route ${key}`)
    return handler
  }

  function authorize(request: LabRequest) {
    const absent = requiredParams.find((name) => (first(request.query, name) ?? '') === '')
    if (absent !== undefined)
      return problemPage(brand, 'Something went wrong', `You weren't able to give access to the App (${absent}).`)
    const isPlain = first(request.query, 'code_challenge_method') === 'plain'
    return innerRoute(`GET ${paths.authorize}`)(
      isPlain ? { ...request, query: hashedChallenge(request.query) } : request,
      {},
    )
  }

  async function token(request: LabRequest): Promise<Reply> {
    const reply = await runHandler(innerRoute(`POST ${paths.token}`), request)
    const fields = JSON.parse(String(reply.body)) as Record<string, unknown>
    if (reply.status !== 200) return tokenProblem(request, reply, fields)
    const scope = String(fields['scope'])
    const { refresh_token, ...rest } = fields
    const hasOfflineAccess = scope.split(' ').includes('offline.access') && refresh_token !== undefined
    return json(
      200,
      { ...rest, token_type: 'bearer', ...(hasOfflineAccess ? { refresh_token } : {}) },
      cacheHeaders(reply),
    )
  }

  async function revoke(request: LabRequest): Promise<Reply> {
    const reply = await runHandler(innerRoute(`POST ${paths.revoke}`), request)
    if (reply.status === 200) return json(200, { revoked: true })
    return tokenProblem(request, reply, JSON.parse(String(reply.body)) as Record<string, unknown>)
  }

  const routes = {
    [`GET ${paths.authorize}`]: authorize,
    [`POST ${paths.token}`]: token,
    [`POST ${paths.revoke}`]: revoke,
  }
  return { ...server, routes }
}

async function runHandler(handler: Handler, request: LabRequest): Promise<Reply> {
  try {
    return await handler(request, {})
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}

const cacheHeaders = ({ headers }: Reply) => ({ 'cache-control': headers['cache-control'] ?? 'no-store' })

/** The vendor reports most errors as invalid_request and names the invalid value. */
function tokenProblem(request: LabRequest, reply: Reply, fields: Record<string, unknown>): Reply {
  const error = String(fields['error'])
  const detail = String(fields['error_description'])
  const errorReply = (status: number, name: string, description: string) =>
    json(status, { error: name, error_description: description }, cacheHeaders(reply))
  if (error === 'invalid_client') {
    const hasBasic = request.headers.authorization !== undefined
    return hasBasic
      ? errorReply(401, 'unauthorized_client', 'Missing or invalid client credentials')
      : errorReply(401, 'unauthorized_client', 'Missing valid authorization header')
  }
  if (error !== 'invalid_grant') return errorReply(reply.status, error, detail)
  const what = first(formOf(request), 'grant_type') === 'authorization_code' ? 'authorization code' : 'token'
  if (detail.startsWith('redirect_uri'))
    return errorReply(
      400,
      'invalid_request',
      'Value passed for the redirect uri did not match the uri of the authorization code.',
    )
  if (detail.startsWith('code_verifier'))
    return errorReply(400, 'invalid_request', 'Value passed for the code verifier did not match the code challenge.')
  return errorReply(400, 'invalid_request', `Value passed for the ${what} was invalid.`)
}

/** Converts a plain challenge to S256, the only method the inner server supports. */
const hashedChallenge = (query: readonly Pair[]): Pair[] =>
  query.map(([name, value]) => {
    if (name === 'code_challenge_method') return [name, 'S256']
    return name === 'code_challenge' ? [name, createHash('sha256').update(value).digest('base64url')] : [name, value]
  })
