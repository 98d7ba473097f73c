import { first } from '../../base/pairs.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import { callRoute } from '../../oauth2/inside.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'

export const loginPaths = { authorize: '/oauth2/authenticate', token: '/oauth2/access_token' }

/** Foursquare's login: the token request is a GET with all parameters in the query; tokens never expire. */
export function loginRoutes(oauth: OAuth2Server): Routes {
  const keys = ['GET /login', 'POST /login', 'GET /consent']
  const loginPages = Object.fromEntries(Object.entries(oauth.routes).filter(([key]) => keys.includes(key)))
  return {
    ...loginPages,
    [`GET ${loginPaths.authorize}`]: (request) => callRoute(oauth.routes, `GET ${loginPaths.authorize}`, request),
    // At the vendor only this path requires consent again; the lab always shows the consent page.
    'GET /oauth2/authorize': (request) => callRoute(oauth.routes, `GET ${loginPaths.authorize}`, request),
    'POST /consent': async (request) => returned(await callRoute(oauth.routes, 'POST /consent', request)),
    [`GET ${loginPaths.token}`]: (request) => tokenFor(oauth, request),
  }
}

function returned(reply: Reply): Reply {
  const location = reply.headers['location'] ?? ''
  if (!URL.canParse(location)) return reply
  const url = new URL(location)
  url.searchParams.delete('error_description')
  if (url.searchParams.has('code')) url.hash = '_=_'
  return { ...reply, headers: { ...reply.headers, location: url.href } }
}

async function tokenFor(oauth: OAuth2Server, request: LabRequest): Promise<Reply> {
  const refused = (status: number, error: string) => new Refusal(json(status, { error }))
  if (first(request.query, 'client_id') === undefined) throw refused(400, 'invalid_request')
  try {
    const reply = await callRoute(oauth.routes, `POST ${loginPaths.token}`, { ...request, method: 'POST' })
    const { access_token } = JSON.parse(String(reply.body)) as { access_token: string }
    return json(200, { access_token })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const body = JSON.parse(String(error.reply.body)) as { error: string; error_description: string }
    const mismatch = body.error_description.startsWith('redirect_uri')
    throw refused(error.reply.status, mismatch ? 'redirect_uri_mismatch' : body.error)
  }
}
