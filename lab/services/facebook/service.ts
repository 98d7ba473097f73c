import { isFlag, isNumber } from '../../base/settings.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService, settingGroup } from '../../declare/service.ts'
import { createGraphAccess } from '../../graph/access.ts'
import { graphError } from '../../graph/graph-error.ts'
import { graphRoutes } from '../../graph/serve.ts'
import { declareUsage } from '../../graph/usage.ts'
import { currentVersion } from '../../graph/version.ts'
import { conditional, handleCall } from './api.ts'
import { createFacebookData, kinds } from './data.ts'
import { debugToken } from './debug-token.ts'
import { blankPost } from './generate-posts.ts'
import { type FacebookSettings, scopes } from './settings.ts'
import { createTokenEndpoint } from './token-endpoint.ts'

const brand = { title: 'Facebook', mark: 'f', accent: '#1459c9' }
const paths = { authorize: '/dialog/oauth', token: '/oauth/access_token' }
const exchange = {
  grantType: 'fb_exchange_token',
  tokenParam: 'fb_exchange_token',
  path: paths.token,
  ttlSeconds: 5_184_000,
  minAgeSeconds: 0,
  authenticated: true,
}

export const facebook = declareService({
  name: 'facebook',
  brand,
  idOf: (_username, at) => String(10_158_000_000_000_123n + BigInt(at) * 7_000_003n),
  endpoints: {
    authorize_url: `/${currentVersion}${paths.authorize}`,
    token_url: `/${currentVersion}${paths.token}`,
    api_url: `/${currentVersion}`,
  },
  pictures: { path: '/media/:name' },
  build(context, people) {
    const { clock, url } = context
    const settings: FacebookSettings = {
      missingPermission: 'empty',
      requireProof: false,
      maxListBytes: Number.MAX_SAFE_INTEGER,
    }
    const access = createGraphAccess(context, {
      brand,
      people,
      settings,
      server: {
        paths,
        settings: {
          clientAuth: ['client_secret_post'],
          scopes,
          defaultScopes: ['public_profile'],
          scopeSeparator: ',',
          refresh: 'none',
          accessTtlSeconds: 5400,
          codeTtlSeconds: 600,
          longLived: exchange,
        },
      },
      window: {
        fragment: '#_=_',
        deniedDescription: 'Permissions error',
        always: ['public_profile'],
        responseTypeRequired: false,
      },
    })
    const { window, guard, grants } = access
    const data = createFacebookData({ people, random: context.random, nowMs: clock.now() })
    const rateLimit = declareUsage(clock, {
      settings: { limit: 20_000, windowSeconds: 3600 },
      keyOf: ({ grant }) => grant.clientKey,
      headers({ percent }) {
        const [total_time, total_cputime] = [Math.ceil(percent / 2), Math.ceil(percent / 3)]
        return { 'x-app-usage': JSON.stringify({ call_count: percent, total_time, total_cputime }) }
      },
      refusal: () => graphError('(#4) Application request limit reached', { status: 403, code: 4, transient: true }),
    })
    const token = createTokenEndpoint(access)
    const parts = { data, people, settings, usersOf: grants.usersOf }
    const owner = (username: string) => people.find((one) => one.username === username) ?? people[0]!
    return {
      access,
      own: settingGroup(settings, {
        missingPermission: ['empty', 'error'],
        requireProof: isFlag,
        maxListBytes: isNumber,
      }),
      groups: { rateLimit },
      routes: {
        ...window.routes,
        ...graphRoutes({
          url,
          guard,
          acquire: (caller) => rateLimit.acquire(caller),
          open: {
            'GET dialog/oauth': window.authorize,
            'GET oauth/access_token': token,
            'POST oauth/access_token': token,
            'GET debug_token': (request) => debugToken(access, people, request),
          },
          depth: 4,
          run: (call) => conditional(call.request, handleCall(parts, call)),
        }),
      },
      data: storeControl({
        store: data.store,
        clock,
        kinds,
        nextId: (added) => (added.kind === 'posts' ? `${owner(added.owner).id}_${data.nextId()}` : data.nextId()),
        blank: (_kind, added) => ({
          ...blankPost(owner(added.owner)),
          width: 1080,
          height: 1080,
          hue: 20,
          tags: [],
          message: 'New',
        }),
      }),
    }
  },
})
