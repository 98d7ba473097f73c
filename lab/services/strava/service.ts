import { makePeople } from '../../base/people.ts'
import type { ServiceDefinition } from '../../base/service-parts.ts'
import { drawPicture } from '../../data/picture.ts'
import { storeControl } from '../../data/store-control.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { athleteOf, stravaApi } from './api.ts'
import { createStravaData, kinds } from './data.ts'
import { createStravaLimits } from './limits.ts'
import { loginPaths, loginRoutes, scopes } from './login.ts'

const brand = { title: 'Strava', mark: '▲', accent: '#c23d02' }
const sixHoursSeconds = 21_600

export const strava: ServiceDefinition = {
  name: 'strava',
  brand,
  build(context) {
    const { clock, url } = context
    const people = makePeople((_username, at) => String(41_900_113 + at * 1_009), context.maxActivity)
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
      people,
      routes: {
        ...loginRoutes(oauth, (person) => athleteOf(url(), person, 2)),
        'GET /pictures/:name': (_request, { name = '' }) => drawPicture(name),
        ...stravaApi({ context, oauth, data, limits }),
      },
      endpoints: () => ({
        authorize_url: `${url()}${loginPaths.authorize}`,
        token_url: `${url()}${loginPaths.token}`,
        revoke_url: `${url()}/oauth/deauthorize`,
        api_url: `${url()}/api/v3`,
      }),
      register: oauth.register,
      settings: () => ({ ...oauth.settings, rateLimit: limits.settings }),
      configure({ rateLimit, ...rest }) {
        oauth.configure(rest)
        if (typeof rateLimit === 'object' && rateLimit !== null) limits.configure({ ...rateLimit })
      },
      tokens: oauth.tokens,
      data: storeControl({ store: data.store, clock, kinds, nextId: data.nextId, blank: data.blank }),
    }
  },
}
