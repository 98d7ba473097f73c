import { createRateLimit } from '../../base/rate-limit.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService } from '../../declare/service.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { healthApi, presentActivity } from './api.ts'
import { createHealthData } from './data.ts'
import { createSubscriptions } from './subscriptions.ts'

const brand = { title: 'Demo Health', mark: '♥', accent: '#b3261e' }

export const demoHealth = declareService({
  name: 'demo-health',
  brand,
  // Native ids with an at sign, as some services have: clients must encode them in URLs.
  idOf: (username, at) => `${username}@H0${at + 1}`,
  endpoints: {
    api_url: '/api',
  },
  standardEndpoints: true,
  build(context, people) {
    const oauth = createOAuth2Server(context, {
      brand,
      people,
      exchangePaths: ['/oauth/exchange', '/oauth/renew'],
      settings: {
        pkce: 'allowed',
        clientAuth: ['client_secret_basic'],
        refresh: 'keep',
        accessTtlSeconds: 300,
        scopeSeparator: ',',
        scopes: {
          profile: 'see your name, city and devices',
          activity: 'read your workouts, with where they started and ended',
          measures: 'read what your devices measure: weight, steps, sleep, heart rate',
        },
        defaultScopes: ['profile'],
      },
      tokenFields: (person) => ({ person_id: person.id }),
    })
    const data = createHealthData({ people, random: context.random, nowMs: context.dataClock.now() })
    const rateLimit = createRateLimit(context.clock, { limit: 600, windowSeconds: 900 })
    const subscriptions = createSubscriptions(context, oauth)
    const control = storeControl({
      store: data.store,
      clock: context.dataClock,
      kinds: ['activities', 'measures'],
      nextId: data.nextId,
    })
    return {
      access: oauth,
      groups: { rateLimit },
      routes: { ...oauth.routes, ...healthApi({ oauth, data, rateLimit }), ...subscriptions.routes },
      data: subscriptions.notifying(control, (person, id) => {
        const item = data.store.list(person, 'activities').find((each) => each.id === id)
        return item && presentActivity(item)
      }),
      hooks: subscriptions.hooks,
      kept: { ...oauth.kept, items: data.kept, subscriptions: subscriptions.keptFor(people) },
      later: (span) => {
        data.later(span)
        subscriptions.notifyAll(['activities', 'measures'])
      },
    }
  },
})
