import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import { formOf, type LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import { callRoute } from '../../oauth2/inside.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import { fault } from './fault.ts'

export const loginPaths = { authorize: '/oauth/authorize', token: '/api/v3/oauth/token' }

export const scopes = {
  read: 'see your public profile, routes, clubs and segments',
  read_all: 'see your private routes and segments',
  'profile:read_all': 'see your complete profile',
  'profile:write': 'change your weight and starred segments',
  'activity:read': 'see your activities, except those only you can see',
  'activity:read_all': 'see all your activities, with their privacy zones',
  'activity:write': 'add and change activities',
}

/** Strava's login: the redirect names the accepted scope, the token response has the athlete, errors are a list. */
export function loginRoutes(oauth: OAuth2Server, athleteOf: (person: Person) => object): Routes {
  const keys = ['GET /login', 'POST /login', 'GET /consent', 'POST /consent', `GET ${loginPaths.authorize}`]
  const pages = Object.fromEntries(Object.entries(oauth.routes).filter(([key]) => keys.includes(key)))
  const token = (request: LabRequest) => tokenFor(oauth, athleteOf, request)
  return {
    ...pages,
    [`POST ${loginPaths.token}`]: token,
    // The older address, still documented in places.
    'POST /oauth/token': token,
    'POST /oauth/deauthorize': (request) => deauthorize(oauth, request),
  }
}

async function tokenFor(
  oauth: OAuth2Server,
  athleteOf: (person: Person) => object,
  request: LabRequest,
): Promise<Reply> {
  try {
    const reply = await callRoute(oauth.routes, `POST ${loginPaths.token}`, request)
    const { scope: _scope, ...tokens } = JSON.parse(String(reply.body)) as { access_token: string; scope?: string }
    const isFirst = first(formOf(request), 'grant_type') === 'authorization_code'
    const bearer = { ...request, headers: { authorization: `Bearer ${tokens.access_token}` } }
    const athlete = isFirst ? { athlete: athleteOf(oauth.guard(bearer).person) } : {}
    return json(200, { ...tokens, ...athlete }, { 'cache-control': 'no-store' })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw vendorFault(error, request)
  }
}

function vendorFault({ reply }: Refusal, request: LabRequest): Refusal {
  const { error } = JSON.parse(String(reply.body)) as { error: string }
  if (error === 'invalid_client') return fault(400, 'Bad Request', 'Application', 'client_id', 'invalid')
  const isRefresh = first(formOf(request), 'grant_type') === 'refresh_token'
  return isRefresh
    ? fault(400, 'Bad Request', 'RefreshToken', 'refresh_token', 'invalid')
    : fault(400, 'Bad Request', 'AuthorizationCode', 'code', 'invalid')
}

/** Removes the app from the athlete's account, with all its tokens. */
function deauthorize(oauth: OAuth2Server, request: LabRequest): Reply {
  const header = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
  const given = first(formOf(request), 'access_token') ?? first(request.query, 'access_token') ?? header ?? ''
  if (!oauth.deauthorize(given)) throw fault(401, 'Authorization Error', 'Athlete', 'access_token', 'invalid')
  return json(200, { access_token: given })
}
