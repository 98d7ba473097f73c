import { storeControl } from '../../data/store-control.ts'
import { declareService } from '../../declare/service.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { athleteOf, stravaApi } from './api.ts'
import { createStravaData, kinds } from './data.ts'
import { createStravaLimits } from './limits.ts'
import { loginPaths, loginRoutes, scopes } from './login.ts'

const brand = { title: 'Strava', mark: '▲', accent: '#c23d02' }
const sixHoursSeconds = 21_600

export const strava = declareService({
  name: 'strava',
  brand,
  idOf: (_username, at) => String(41_900_113 + at * 1_009),
  endpoints: {
    authorize_url: loginPaths.authorize,
    token_url: loginPaths.token,
    revoke_url: '/oauth/deauthorize',
    api_url: '/api/v3',
  },
  pictures: { path: '/pictures/:name' },
  build(context, people) {
    const { clock, url } = context
    const oauth = createOAuth2Server(context, {
      brand,
      people,
      paths: loginPaths,
      settings: {
        pkce: 'off',
        clientAuth: ['client_secret_post'],
        scopes,
        defaultScopes: ['read'],
        scopeSeparator: ',',
        scopeIn: 'redirect',
        refresh: 'rotate',
        accessTtlSeconds: sixHoursSeconds,
        codeTtlSeconds: 600,
        revocation: false,
        metadata: false,
      },
    })
    const data = createStravaData({ people, random: context.random, nowMs: clock.now() })
    const limits = createStravaLimits(clock)
    return {
      access: oauth,
      groups: { rateLimit: limits },
      routes: {
        ...loginRoutes(oauth, (person) => athleteOf(url(), person, 2)),
        ...stravaApi({ context, oauth, data, limits }),
      },
      data: storeControl({ store: data.store, clock, kinds, nextId: data.nextId, blank: data.blank }),
    }
  },
})
