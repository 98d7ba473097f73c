import { makePeople } from '../../base/people.ts'
import { createRateLimit, withRateLimitSettings } from '../../base/rate-limit.ts'
import type { ServiceDefinition } from '../../base/service-parts.ts'
import { storeControl } from '../../data/store-control.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { socialApi } from './api.ts'
import { createSocialData } from './data.ts'

const brand = { title: 'Demo Social', mark: '◐', accent: '#1d5fbf' }

export const demoSocial: ServiceDefinition = {
  name: 'demo-social',
  brand,
  build(context) {
    const people = makePeople((_username, at) => String(1_576_860_000 + at * 37), context.maxActivity)
    const oauth = createOAuth2Server(context, {
      brand,
      people,
      exchangePaths: ['/oauth/exchange', '/oauth/renew'],
      settings: {
        pkce: 'required',
        refresh: 'rotate',
        clientAuth: ['client_secret_post', 'none'],
        iss: 'on',
        introspection: true,
        registration: true,
        par: 'allowed',
        scopes: {
          profile: 'see your name, picture and the city you live in',
          email: 'see your e-mail address',
          'posts.read': 'read your posts and check-ins',
          'posts.write': 'post in your name',
          'photos.read': 'see your photos',
          'friends.read': 'see who your friends are',
          'feed.read': 'read what your friends post',
        },
        defaultScopes: ['profile'],
      },
    })
    const data = createSocialData({ people, random: context.random, nowMs: context.dataClock.now(), url: context.url })
    const rateLimit = createRateLimit(context.clock, { limit: 5000, windowSeconds: 3600 })
    return {
      people,
      routes: { ...oauth.routes, ...socialApi({ brand, context, oauth, data, rateLimit, people }) },
      endpoints: () => ({ ...oauth.endpoints(), api_url: `${context.url()}/api` }),
      register: oauth.register,
      ...withRateLimitSettings(rateLimit, oauth),
      tokens: oauth.tokens,
      data: storeControl({
        store: data.store,
        clock: context.dataClock,
        kinds: ['posts', 'photos'],
        nextId: data.nextId,
      }),
      kept: { ...oauth.kept, items: data.kept },
      later: data.later,
    }
  },
}
