import { createRateLimit } from '../../base/rate-limit.ts'
import { json } from '../../base/reply.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService } from '../../declare/service.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { ouraApi } from './api.ts'
import { createOuraData, kinds } from './data.ts'

const brand = { title: 'Oura', mark: '◯', accent: '#2f4a73' }

export const oura = declareService({
  name: 'oura',
  brand,
  idOf: (username) => `8f9a5221-639e-4a85-81cb-${Buffer.from(username).toString('hex').padEnd(12, '0').slice(0, 12)}`,
  endpoints: {
    api_url: '/v2/usercollection',
  },
  standardEndpoints: true,
  build(context, people) {
    const { clock } = context
    const oauth = createOAuth2Server(context, {
      brand,
      people,
      settings: {
        clientAuth: ['client_secret_post', 'client_secret_basic'],
        refresh: 'rotate',
        accessTtlSeconds: 86_400,
        metadata: false,
        revocation: false,
        scopeIn: 'redirect',
        scopes: {
          email: 'see your e-mail address',
          personal: 'see your age, weight and height',
          daily: 'read your sleep, activity and readiness',
          heartrate: 'read your heart rate',
          workout: 'read your workouts',
          session: 'read your sessions',
        },
        defaultScopes: ['personal'],
      },
    })
    const data = createOuraData({ people, random: context.random, nowMs: clock.now() })
    const rateLimit = createRateLimit(clock, { limit: 5000, windowSeconds: 300 })
    return {
      access: oauth,
      groups: { rateLimit },
      routes: {
        ...oauth.routes,
        ...ouraApi({ oauth, data, rateLimit }),
        // The token is in the query, and the app is not asked for.
        'POST /oauth/revoke': (request) => {
          const token = request.query.find(([name]) => name === 'access_token')?.[1] ?? ''
          oauth.guard({ ...request, headers: { authorization: `Bearer ${token}` } }).endGrant()
          return json(200, {})
        },
      },
      data: storeControl({ store: data.store, clock, kinds, nextId: data.nextId }),
    }
  },
})
