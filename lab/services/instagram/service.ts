import { makePeople } from '../../base/people.ts'
import { createRateLimit, withRateLimitSettings } from '../../base/rate-limit.ts'
import type { DataControl, ServiceDefinition } from '../../base/service-parts.ts'
import { isFlag } from '../../base/settings.ts'
import { drawPicture } from '../../data/picture.ts'
import { storeControl } from '../../data/store-control.ts'
import { createAppGrants } from '../../graph/app-grants.ts'
import { createGuard } from '../../graph/caller.ts'
import { createLoginWindow } from '../../graph/login-window.ts'
import { withOwnSettings } from '../../graph/own-settings.ts'
import { currentVersion } from '../../graph/version.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { instagramRoutes } from './api.ts'
import { createInstagramData, kinds } from './data.ts'
import { blankMedia } from './generate.ts'
import { createCodeExchange, exchangeLong, refreshLong } from './login.ts'
import { type InstagramSettings, scopes } from './settings.ts'
import { subscribedApps } from './subscribed-apps.ts'

const brand = { title: 'Instagram', mark: '◎', accent: '#b5176c' }
const sixtyDays = 5_184_000

export const instagram: ServiceDefinition = {
  name: 'instagram',
  brand,
  build(context) {
    const { clock, url } = context
    const people = makePeople(
      (_username, at) => String(17_841_400_000_000_101n + BigInt(at) * 9_000_001n),
      context.maxActivity,
    )
    const exchange = { tokenParam: 'access_token', ttlSeconds: sixtyDays, authenticated: false }
    const oauth = createOAuth2Server(context, {
      brand,
      people,
      paths: { authorize: '/oauth/authorize', token: '/oauth/access_token' },
      exchangePaths: ['/access_token', '/refresh_access_token'],
      tokenFields: (person) => ({ user_id: person.id }),
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
    })
    const apps = new Map<string, string>()
    const grants = createAppGrants(clock)
    const settings: InstagramSettings = { tokenShape: 'data', requireProof: false }
    const window = createLoginWindow({
      brand,
      oauth,
      authorizePath: '/oauth/authorize',
      fragment: '#_',
      deniedDescription: 'The user denied your request',
      always: [],
      responseTypeRequired: true,
      requiredScope: 'instagram_business_basic',
    })
    const usernameOf = (id: string) => people.find((person) => person.id === id)?.username ?? ''
    const login = { oauth, grants, window, apps, usernameOf, settings }
    const data = createInstagramData({ people, random: context.random, nowMs: clock.now() })
    const rateLimit = createRateLimit(clock, { limit: 4800, windowSeconds: 86_400 })
    const guard = createGuard({ grants, apps, people, clock, settings })
    const control: DataControl = storeControl({ store: data.store, clock, kinds, nextId: data.nextId })
    return {
      people,
      routes: {
        ...window.routes,
        'GET /media/:name': (_request, { name = '' }) => drawPicture(name),
        ...instagramRoutes({
          context,
          data,
          rateLimit,
          guard,
          open: {
            ...subscribedApps(guard),
            'GET oauth/authorize': window.authorize,
            'POST oauth/access_token': createCodeExchange(login),
            'GET access_token': (request) => exchangeLong(login, request),
            'GET refresh_access_token': (request) => refreshLong(login, request),
          },
        }),
      },
      endpoints: () => ({
        authorize_url: `${url()}/oauth/authorize`,
        token_url: `${url()}/oauth/access_token`,
        exchange_url: `${url()}/access_token`,
        refresh_url: `${url()}/refresh_access_token`,
        api_url: `${url()}/${currentVersion}`,
      }),
      register(registration) {
        const app = oauth.register(registration)
        apps.set(app.key, app.secret)
        return app
      },
      ...withOwnSettings(
        settings,
        { tokenShape: ['data', 'flat'], requireProof: isFlag },
        withRateLimitSettings(rateLimit, oauth),
      ),
      tokens: grants.control(oauth.tokens),
      data: {
        ...control,
        add(person, kind, fields) {
          const owner = people.find(({ username }) => username === person) ?? people[0]!
          const product = kind === 'stories' ? { product: 'STORY' } : {}
          return control.add(person, kind, { ...blankMedia(data.nextId(), owner), ...product, ...fields })
        },
      },
    }
  },
}
