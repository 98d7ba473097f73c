import { problemPage } from '../../base/page.ts'
import { first, type Pair } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import { json, type Reply, refusedAs } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import { createSignIn } from '../../base/sign-in.ts'
import { twoServers } from '../../declare/two-servers.ts'
import { createOAuth1Server } from '../../oauth1/server.ts'
import { callRoute, createIssuedCodes, fieldsIn, replyInside, withForm } from '../../oauth2/inside.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { refused } from './envelope.ts'
import { tokenParams } from './token-params.ts'

export const brand = { title: 'Tumblr (simulated)', mark: 't', accent: '#001935' }

interface TumblrCaller {
  consumerKey: string
  /** Absent when only the API key was given. */
  username?: string
  mayWrite: boolean
}

export type TumblrOAuth = ReturnType<typeof createTumblrOAuth>

export const paths = { authorize: '/oauth2/authorize', token: '/v2/oauth2/token' }
const scopeDescriptions = {
  basic: 'read your blogs, your dashboard, your likes and whom you follow',
  write: 'post, like and follow for you',
  offline_access: 'stay connected while you are away',
}
const permission = { name: 'all', description: 'read your dashboard, post, like and follow for you' }

/** OAuth 2 and OAuth 1.0a servers that share the consumer key. */
export function createTumblrOAuth(context: ServiceContext, people: Person[]) {
  const signIn = createSignIn({ name: context.name, brand, people, clock: context.clock })
  const oauth2 = createOAuth2Server(context, {
    brand,
    people,
    signIn,
    paths,
    settings: {
      pkce: 'off',
      clientAuth: ['client_secret_post'],
      scopes: scopeDescriptions,
      scopeChoice: false,
      accessTtlSeconds: 2520,
      refresh: 'rotate',
      codeTtlSeconds: 60,
      metadata: false,
      revocation: false,
    },
  })
  const oauth1 = createOAuth1Server(context, {
    brand,
    people,
    signIn,
    settings: { methods: ['HMAC-SHA1'], transmissions: ['header'] },
    pages: [{ path: '/oauth/authorize', permissions: [permission] }],
  })
  const callbacks = new Map<string, string[]>()
  const codes = createIssuedCodes()

  function authorize(request: LabRequest): Reply | Promise<Reply> {
    const registered = callbacks.get(first(request.query, 'client_id') ?? '') ?? []
    const absent = ['scope', 'state'].find((name) => (first(request.query, name) ?? '') === '')
    if (absent !== undefined) return problemPage(brand, 'This link does not work', `${absent} is missing.`)
    const isGiven = first(request.query, 'redirect_uri') !== undefined
    if (!isGiven && registered.length !== 1)
      return problemPage(brand, 'This link does not work', 'redirect_uri is missing and several are registered.')
    const query: Pair[] = isGiven ? request.query : [...request.query, ['redirect_uri', registered[0] ?? '']]
    return callRoute(oauth2.routes, `GET ${paths.authorize}`, { ...request, query })
  }

  async function consent(request: LabRequest): Promise<Reply> {
    const reply = await callRoute(signIn.routes, 'POST /consent', request)
    codes.note(reply)
    return reply
  }

  async function token(request: LabRequest): Promise<Reply> {
    const params = await tokenParams(request)
    const bound = codes.redirectUri(first(params, 'code') ?? '')
    const needsAddress = bound !== undefined && first(params, 'redirect_uri') === undefined
    const all: Pair[] = needsAddress ? [...params, ['redirect_uri', bound]] : params
    const reply = await replyInside(oauth2.routes, `POST ${paths.token}`, withForm(request, all))
    const fields = fieldsIn(reply)
    // The documentation lists only 200 and 401.
    if (reply.status !== 200) return json(fields['error'] === 'invalid_request' ? 400 : 401, fields)
    const { refresh_token, ...rest } = fields
    const hasOfflineAccess = String(fields['scope']).split(' ').includes('offline_access')
    return json(200, { ...rest, id_token: false, token_type: 'bearer', ...(hasOfflineAccess ? { refresh_token } : {}) })
  }

  function caller(request: LabRequest): TumblrCaller {
    const header = request.headers.authorization
    const apiKey = first(request.query, 'api_key')
    if (header === undefined) {
      if (apiKey === undefined || !callbacks.has(apiKey)) throw refused(401, 'Unable to authorize', 1016)
      return { consumerKey: apiKey, mayWrite: false }
    }
    const signed = () => {
      const { person, app } = oauth1.guard(request)
      return { consumerKey: app, username: person.username, mayWrite: true }
    }
    const bearer = () => {
      const { person, scopes, client } = oauth2.guard(request)
      return { consumerKey: client.key, username: person.username, mayWrite: scopes.includes('write') }
    }
    return refusedAs(/^OAuth /i.test(header) ? signed : bearer, () => refused(401, 'Unable to authorize', 1016))
  }

  const oauth1Routes = Object.fromEntries(
    Object.entries(oauth1.routes).filter(([key]) => key.includes('/oauth/') && !key.endsWith('/revoke')),
  )
  return {
    access: twoServers(oauth2, oauth1, (key, redirectUris) => callbacks.set(key, redirectUris)),
    routes: {
      ...signIn.routes,
      'POST /consent': consent,
      ...oauth1Routes,
      [`GET ${paths.authorize}`]: authorize,
      [`POST ${paths.token}`]: token,
    },
    caller,
  }
}
