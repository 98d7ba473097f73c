import { createRateLimit } from '../../base/rate-limit.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService } from '../../declare/service.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { withingsApi } from './api.ts'
import { createWithingsData, kinds } from './data.ts'
import { signedEndpoints } from './signed.ts'

const brand = { title: 'Withings', mark: '⌚', accent: '#007a7c' }
const paths = { authorize: '/oauth2_user/authorize2', token: '/_inner/token', revoke: '/_inner/revoke' }

export const withings = declareService({
  name: 'withings',
  brand,
  idOf: (_username, at) => String(12_345_678 + at * 31),
  endpoints: {
    authorize_url: paths.authorize,
    token_url: '/v2/oauth2',
    api_url: '',
  },
  build(context, people) {
    const { clock } = context
    const oauth = createOAuth2Server(context, {
      brand,
      people,
      paths,
      settings: {
        pkce: 'off',
        clientAuth: ['client_secret_post'],
        refresh: 'rotate',
        accessTtlSeconds: 10_800,
        codeTtlSeconds: 30,
        scopeSeparator: ',',
        metadata: false,
        scopeChoice: false,
        scopes: {
          'user.info': 'see your devices',
          'user.metrics': 'read your weight, heart rate and blood pressure',
          'user.activity': 'read your activity, workouts and sleep',
        },
        defaultScopes: ['user.info'],
      },
      tokenFields: ({ id }) => ({ userid: id }),
    })
    const data = createWithingsData({ people, random: context.random, nowMs: clock.now() })
    const rateLimit = createRateLimit(clock, { limit: 120, windowSeconds: 60 })
    const signed = signedEndpoints({ clock, oauth, people, paths })
    const { [`POST ${paths.token}`]: _token, [`POST ${paths.revoke}`]: _revoke, ...pages } = oauth.routes
    return {
      access: { ...oauth, register: signed.register },
      groups: { rateLimit },
      routes: { ...pages, ...signed.routes, ...withingsApi({ oauth, data, rateLimit }) },
      data: storeControl({
        store: data.store,
        clock,
        kinds,
        nextId: data.nextId,
        blank: () => ({ values: [[7125, 1, -2]] }),
      }),
    }
  },
})
