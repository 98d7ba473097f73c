import { makePeople } from '../../base/people.ts'
import { createRateLimit, withRateLimitSettings } from '../../base/rate-limit.ts'
import type { ServiceDefinition } from '../../base/service-parts.ts'
import { storeControl } from '../../data/store-control.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { withingsApi } from './api.ts'
import { createWithingsData, kinds } from './data.ts'
import { signedEndpoints } from './signed.ts'

const brand = { title: 'Withings', mark: '⌚', accent: '#007a7c' }
const paths = { authorize: '/oauth2_user/authorize2', token: '/_inner/token', revoke: '/_inner/revoke' }

export const withings: ServiceDefinition = {
  name: 'withings',
  brand,
  build(context) {
    const { clock, url } = context
    const people = makePeople((_username, at) => String(12_345_678 + at * 31), context.maxActivity)
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
      people,
      routes: { ...pages, ...signed.routes, ...withingsApi({ oauth, data, rateLimit }) },
      endpoints: () => ({
        authorize_url: `${url()}${paths.authorize}`,
        token_url: `${url()}/v2/oauth2`,
        api_url: url(),
      }),
      register: signed.register,
      ...withRateLimitSettings(rateLimit, oauth),
      tokens: oauth.tokens,
      data: storeControl({
        store: data.store,
        clock,
        kinds,
        nextId: data.nextId,
        blank: () => ({ values: [[7125, 1, -2]] }),
      }),
    }
  },
}
