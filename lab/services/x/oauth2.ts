import { createHash } from 'node:crypto'
import { problemPage } from '../../base/page.ts'
import { first, type Pair } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import { json, type Reply } from '../../base/reply.ts'
import { formOf, type LabRequest } from '../../base/request.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import type { SignIn } from '../../base/sign-in.ts'
import { callRoute, fieldsIn, replyInside } from '../../oauth2/inside.ts'
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
export const paths = { authorize: '/i/oauth2/authorize', token: '/2/oauth2/token', revoke: '/2/oauth2/revoke' }

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

  function authorize(request: LabRequest) {
    const absent = requiredParams.find((name) => (first(request.query, name) ?? '') === '')
    if (absent !== undefined)
      return problemPage(brand, 'Something went wrong', `You weren't able to give access to the App (${absent}).`)
    const isPlain = first(request.query, 'code_challenge_method') === 'plain'
    const query = isPlain ? hashedChallenge(request.query) : request.query
    return callRoute(server.routes, `GET ${paths.authorize}`, { ...request, query })
  }

  async function token(request: LabRequest): Promise<Reply> {
    const reply = await replyInside(server.routes, `POST ${paths.token}`, request)
    if (reply.status !== 200) return tokenProblem(request, reply)
    const fields = fieldsIn(reply)
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
    const reply = await replyInside(server.routes, `POST ${paths.revoke}`, request)
    return reply.status === 200 ? json(200, { revoked: true }) : tokenProblem(request, reply)
  }

  const routes = {
    [`GET ${paths.authorize}`]: authorize,
    [`POST ${paths.token}`]: token,
    [`POST ${paths.revoke}`]: revoke,
  }
  return { ...server, routes }
}

const cacheHeaders = ({ headers }: Reply) => ({ 'cache-control': headers['cache-control'] ?? 'no-store' })

/** The vendor reports most errors as invalid_request and names the invalid value. */
function tokenProblem(request: LabRequest, reply: Reply): Reply {
  const { error, error_description: detail } = fieldsIn(reply) as { error: string; error_description: string }
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
