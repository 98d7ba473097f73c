import { first } from '../../base/pairs.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import { formOf, type LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import { callRoute } from '../../oauth2/inside.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import { refusal } from './call.ts'
import { TEAM } from './data.ts'

export const loginPaths = { authorize: '/oauth/v2/authorize', token: '/api/oauth.v2.access' }

export const scopes = {
  'channels:read': 'see the public channels you are in',
  'channels:history': 'see messages in public channels',
  'groups:read': 'see the private channels you are in',
  'groups:history': 'see messages in your private channels',
  'im:read': 'see your direct messages',
  'im:history': 'see messages in your direct messages',
  'mpim:read': 'see your group messages',
  'mpim:history': 'see messages in your group messages',
  'users:read': 'see people in the workspace',
  'users:read.email': 'see their e-mail addresses',
  'users.profile:read': 'see profiles',
  'files:read': 'see files',
  'reactions:read': 'see reactions',
  'chat:write': 'send messages as you',
  'files:write': 'upload files as you',
  'reactions:write': 'add reactions as you',
}

export interface LoginParts {
  oauth: OAuth2Server
  /** Somebody installed the app. */
  onInstall: (app: string, username: string) => void
}

/** OAuth v2 for users: `user_scope` in, `authed_user` out, errors with status 200. */
export function loginRoutes({ oauth, onInstall }: LoginParts): Routes {
  const keys = ['GET /login', 'POST /login', 'GET /consent', 'POST /consent']
  const pages = Object.fromEntries(Object.entries(oauth.routes).filter(([key]) => keys.includes(key)))
  return {
    ...pages,
    [`GET ${loginPaths.authorize}`]: (request) => {
      // `scope` is that of a bot, which is not simulated.
      const query = request.query.filter(([name]) => name !== 'scope')
      const renamed = query.map(([name, value]) => [name === 'user_scope' ? 'scope' : name, value] as const)
      return callRoute(oauth.routes, `GET ${loginPaths.authorize}`, { ...request, query: renamed })
    },
    [`POST ${loginPaths.token}`]: (request) => tokenFor({ oauth, onInstall }, request),
    'GET /api/auth.revoke': (request) => revoke(oauth, request),
    'POST /api/auth.revoke': (request) => revoke(oauth, request),
  }
}

async function tokenFor({ oauth, onInstall }: LoginParts, request: LabRequest): Promise<Reply> {
  const isRefresh = first(formOf(request), 'grant_type') === 'refresh_token'
  try {
    const reply = await callRoute(oauth.routes, `POST ${loginPaths.token}`, request)
    const { token_type: _, ...tokens } = JSON.parse(String(reply.body)) as { access_token: string; token_type: string }
    const { person, client } = oauth.guard({ ...request, headers: { authorization: `Bearer ${tokens.access_token}` } })
    onInstall(client.key, person.username)
    const common = { ok: true, app_id: `A${client.key}`, team: TEAM, enterprise: null, is_enterprise_install: false }
    // A refreshed token of a person is at the top.
    return isRefresh
      ? json(200, { ...common, ...tokens, token_type: 'user' })
      : json(200, { ...common, authed_user: { id: person.id, ...tokens, token_type: 'user' } })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refusal(codeOf(error, isRefresh))
  }
}

function codeOf({ reply }: Refusal, isRefresh: boolean): string {
  const body = JSON.parse(String(reply.body)) as { error: string; error_description: string }
  if (body.error === 'invalid_client')
    return body.error_description.startsWith('Unknown') ? 'invalid_client_id' : 'bad_client_secret'
  if (body.error_description.startsWith('redirect_uri')) return 'bad_redirect_uri'
  if (body.error === 'unsupported_grant_type') return 'invalid_grant_type'
  return isRefresh ? 'invalid_refresh_token' : 'invalid_code'
}

/** A person has one token for an app in a workspace, whatever the number of sign-ins: all of them end. */
function revoke(oauth: OAuth2Server, request: LabRequest): Reply {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) throw refusal('not_authed')
  if (!oauth.deauthorize(token)) throw refusal('token_revoked')
  return json(200, { ok: true, revoked: true })
}
