import type { Person } from '../../base/people.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Handler, Routes } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import type { SignIn } from '../../base/sign-in.ts'
import { createOAuth1Server, type OAuth1Server } from '../../oauth1/server.ts'
import { callRoute } from '../../oauth2/inside.ts'
import { brand } from './oauth2.ts'

const read = { name: 'read', description: 'see your posts, your timeline, your profile and whom you follow' }
const write = { name: 'write', description: 'post and delete posts for you' }
const messages = { name: 'dm', description: 'read and send direct messages for you' }

const revokePath = '/1.1/oauth/invalidate_token'

/** Three-legged, HMAC-SHA1. Errors are JSON with numbered codes. */
export function createXOAuth1(context: ServiceContext, people: Person[], signIn: SignIn): OAuth1Server {
  const server = createOAuth1Server(context, {
    brand,
    people,
    signIn,
    paths: { revoke: revokePath },
    settings: { methods: ['HMAC-SHA1'], oob: true, tokenResponseType: 'text/html; charset=utf-8' },
    pages: [
      { path: '/oauth/authenticate', permissions: [read, write] },
      {
        path: '/oauth/authorize',
        permissions: [read, write, messages],
        note: 'This app also asks for your direct messages.',
      },
    ],
    tokenFields: ({ id, username }) => ({ user_id: id, screen_name: username }),
  })
  const withNumberedErrors =
    (handler: Handler): Handler =>
    async (request, params) => {
      try {
        return await handler(request, params)
      } catch (error) {
        if (error instanceof Refusal) return numbered(error.reply)
        throw error
      }
    }
  const routes: Routes = {}
  for (const [key, handler] of Object.entries(server.routes))
    if (key.includes('/oauth/')) routes[key] = key.startsWith('GET /oauth/auth') ? handler : withNumberedErrors(handler)
  const invalidate = withNumberedErrors(async (request) => {
    await callRoute(server.routes, `POST ${revokePath}`, request)
    return json(200, { access_token: tokenIn(request) })
  })
  return {
    ...server,
    routes: { ...routes, [`POST ${revokePath}`]: invalidate, [`POST ${revokePath}.json`]: invalidate },
  }
}

const tokenIn = (request: LabRequest): string =>
  decodeURIComponent(/oauth_token="([^"]*)"/.exec(request.headers.authorization ?? '')?.[1] ?? '')

const codes: Record<string, [status: number, code: number, message: string]> = {
  callback_rejected: [
    403,
    415,
    'Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings',
  ],
  timestamp_refused: [401, 135, 'Timestamp out of bounds.'],
  token_rejected: [401, 89, 'Invalid or expired token.'],
  token_expired: [401, 89, 'Invalid or expired token.'],
  parameter_absent: [400, 215, 'Bad Authentication data.'],
}

function numbered(reply: Reply): Reply {
  const check = String(reply.body).split(':', 1)[0] ?? ''
  const [status, code, message] = codes[check] ?? [401, 32, 'Could not authenticate you.']
  return json(status, { errors: [{ code, message }] })
}
