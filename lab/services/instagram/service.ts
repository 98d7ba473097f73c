import { json } from '../../base/reply.ts'
import { isFlag } from '../../base/settings.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService, settingGroup } from '../../declare/service.ts'
import { createGraphAccess } from '../../graph/access.ts'
import { graphError } from '../../graph/graph-error.ts'
import { graphRoutes } from '../../graph/serve.ts'
import { declareUsage } from '../../graph/usage.ts'
import { currentVersion } from '../../graph/version.ts'
import { handleCall } from './api.ts'
import { createInstagramData, kinds } from './data.ts'
import { blankMedia } from './generate.ts'
import { createCodeExchange, exchangeLong, refreshLong } from './login.ts'
import { type InstagramSettings, scopes } from './settings.ts'
import { subscribedApps } from './subscribed-apps.ts'

const brand = { title: 'Instagram', mark: '◎', accent: '#b5176c' }
const paths = { authorize: '/oauth/authorize', token: '/oauth/access_token' }
const exchange = { tokenParam: 'access_token', ttlSeconds: 5_184_000, authenticated: false }

export const instagram = declareService({
  name: 'instagram',
  brand,
  idOf: (_username, at) => String(17_841_400_000_000_101n + BigInt(at) * 9_000_001n),
  endpoints: {
    authorize_url: paths.authorize,
    token_url: paths.token,
    exchange_url: '/access_token',
    refresh_url: '/refresh_access_token',
    api_url: `/${currentVersion}`,
  },
  pictures: { path: '/media/:name' },
  build(context, people) {
    const { clock, url } = context
    const settings: InstagramSettings = { tokenShape: 'data', requireProof: false }
    const access = createGraphAccess(context, {
      brand,
      people,
      settings,
      server: {
        paths,
        exchangePaths: ['/access_token', '/refresh_access_token'],
        settings: {
          pkce: 'off',
          clientAuth: ['client_secret_post'],
          scopes,
          defaultScopes: ['instagram_business_basic'],
          scopeSeparator: ',',
          refresh: 'none',
          accessTtlSeconds: 3600,
          codeTtlSeconds: 3600,
          longLived: { ...exchange, grantType: 'ig_exchange_token', path: '/access_token', minAgeSeconds: 0 },
          renew: { ...exchange, grantType: 'ig_refresh_token', path: '/refresh_access_token', minAgeSeconds: 86_400 },
        },
      },
      window: {
        fragment: '#_',
        deniedDescription: 'The user denied your request',
        always: [],
        responseTypeRequired: true,
        requiredScope: 'instagram_business_basic',
      },
    })
    const { window, guard } = access
    const login = { ...access, shape: settings }
    const data = createInstagramData({ people, random: context.random, nowMs: clock.now() })
    /** Business use case limits apply per account; the wait is reported in minutes. */
    const rateLimit = declareUsage(clock, {
      settings: { limit: 4800, windowSeconds: 86_400 },
      keyOf: ({ grant, person }) => `${grant.clientKey} ${person.id}`,
      headers({ percent, waitSeconds }, { person }) {
        const usage = {
          type: 'instagram',
          call_count: percent,
          total_cputime: Math.ceil(percent / 3),
          total_time: Math.ceil(percent / 2),
          estimated_time_to_regain_access: Math.ceil(waitSeconds / 60),
        }
        return { 'x-business-use-case-usage': JSON.stringify({ [person.id]: [usage] }) }
      },
      refusal: () =>
        graphError('(#80002) There have been too many calls to this Instagram account. Wait a bit and try again.', {
          code: 80_002,
        }),
    })
    return {
      access,
      own: settingGroup(settings, { tokenShape: ['data', 'flat'], requireProof: isFlag }),
      groups: { rateLimit },
      routes: {
        ...window.routes,
        ...graphRoutes({
          url,
          guard,
          acquire: (caller) => rateLimit.acquire(caller),
          open: {
            ...subscribedApps(guard),
            'GET oauth/authorize': window.authorize,
            'POST oauth/access_token': createCodeExchange(login),
            'GET access_token': (request) => exchangeLong(login, request),
            'GET refresh_access_token': (request) => refreshLong(login, request),
          },
          depth: 3,
          run: (call) => json(200, handleCall({ clock, data }, call)),
        }),
      },
      data: storeControl({
        store: data.store,
        clock,
        kinds,
        nextId: data.nextId,
        blank: (kind, { owner }) => ({
          ...blankMedia(data.nextId(), people.find(({ username }) => username === owner) ?? people[0]!),
          ...(kind === 'stories' ? { product: 'STORY' } : {}),
        }),
      }),
    }
  },
})
