import { problemPage } from '../../base/page.ts'
import { first } from '../../base/pairs.ts'
import { createRateLimit } from '../../base/rate-limit.ts'
import { Refusal, type Reply } from '../../base/reply.ts'
import { formOf, type LabRequest } from '../../base/request.ts'
import type { Handler } from '../../base/router.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService } from '../../declare/service.ts'
import { createOAuth1Server, type OAuth1Caller, type OAuth1Server } from '../../oauth1/server.ts'
import { createFlickrData } from './data.ts'
import { fail, oauthProblem } from './envelope.ts'
import { flickrMethods } from './methods.ts'
import { blankPhoto } from './model.ts'

const brand = { title: 'Flickr', mark: '⚇', accent: '#0063dc' }
const authorizePath = '/services/oauth/authorize'
const permissions = ['read', 'write', 'delete']

export const flickr = declareService({
  name: 'flickr',
  brand,
  idOf: (_username, at) => `${12_037_949 + at * 104_729}@N0${at}`,
  endpoints: {
    request_token_url: '/services/oauth/request_token',
    authorize_url: authorizePath,
    access_token_url: '/services/oauth/access_token',
    api_url: '/services/rest',
  },
  build(context, people) {
    const { clock } = context
    const oauth = createOAuth1Server(context, {
      brand,
      people,
      settings: { methods: ['HMAC-SHA1'], callbackMatch: 'any' },
      pages: [
        { path: authorizePath, permissions: [{ name: 'read', description: 'see your photos, also private ones' }] },
      ],
      paths: {
        requestToken: '/services/oauth/request_token',
        accessToken: '/services/oauth/access_token',
        revoke: '/_not_offered/revoke',
      },
      tokenFields: ({ id, username, name }) => ({ fullname: name, user_nsid: id, username }),
    })
    const data = createFlickrData({ people, random: context.random, nowMs: clock.now() })
    const methods = flickrMethods(data, () => clock.now())
    const rateLimit = createRateLimit(clock, { limit: 3600, windowSeconds: 3600 })

    const rest = (request: LabRequest): Reply => {
      const params = new Map([...request.query, ...(request.method === 'POST' ? formOf(request) : [])])
      const caller = callerOf(oauth, request)
      if ('status' in caller) return caller
      try {
        rateLimit.acquire(caller.app)
        if (params.get('format') !== 'json' || params.get('nojsoncallback') !== '1')
          throw fail(111, `Format "${params.get('format') ?? 'rest'}" not found`)
        const method = methods[params.get('method') ?? '']
        if (method === undefined) throw fail(112, `Method "${params.get('method') ?? ''}" not found`)
        return method({ person: caller.person, params })
      } catch (error) {
        if (error instanceof Refusal) return error.reply
        throw error
      }
    }

    const { [`GET ${authorizePath}`]: authorize, ...routes } = oauth.routes
    return {
      access: oauth,
      groups: { rateLimit },
      routes: {
        ...routes,
        [`GET ${authorizePath}`]: withPermission(authorize),
        'GET /services/rest/': rest,
        'POST /services/rest/': rest,
      },
      data: storeControl({
        store: data.store,
        clock,
        kinds: ['photos', 'albums', 'favorites', 'comments'],
        nextId: data.nextId,
        blank: (kind) => (kind === 'photos' ? blankPhoto(clock.now()) : {}),
      }),
    }
  },
})

/** The page needs `perms`. */
function withPermission(authorize: Handler | undefined): Handler {
  return (request, params) => {
    if (!authorize || !permissions.includes(first(request.query, 'perms') ?? ''))
      return problemPage(brand, 'Oops', 'Flickr doesn’t recognise the permission set (perms).')
    return authorize(request, params)
  }
}

function callerOf(oauth: OAuth1Server, request: LabRequest): OAuth1Caller | Reply {
  try {
    return oauth.guard(request)
  } catch (error) {
    if (error instanceof Refusal) return oauthProblem('token_rejected')
    throw error
  }
}
