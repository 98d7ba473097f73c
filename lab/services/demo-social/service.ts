import { createRateLimit } from '../../base/rate-limit.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService } from '../../declare/service.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { socialApi } from './api.ts'
import { createSocialData } from './data.ts'

const brand = { title: 'Demo Social', mark: '◐', accent: '#1d5fbf' }

export const demoSocial = declareService({
  name: 'demo-social',
  brand,
  idOf: (_username, at) => String(1_576_860_000 + at * 37),
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
      access: oauth,
      groups: { rateLimit },
      routes: { ...oauth.routes, ...socialApi({ brand, context, oauth, data, rateLimit, people }) },
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
})
