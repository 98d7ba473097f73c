import { makePeople } from '../../base/people.ts'
import { createRateLimit, withRateLimitSettings } from '../../base/rate-limit.ts'
import type { DataControl, ServiceDefinition } from '../../base/service-parts.ts'
import { isFlag, isNumber } from '../../base/settings.ts'
import { drawPicture } from '../../data/picture.ts'
import { storeControl } from '../../data/store-control.ts'
import { createAppGrants } from '../../graph/app-grants.ts'
import { createGuard } from '../../graph/caller.ts'
import { createLoginWindow } from '../../graph/login-window.ts'
import { withOwnSettings } from '../../graph/own-settings.ts'
import { currentVersion } from '../../graph/version.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { graphRoutes } from './api.ts'
import { createFacebookData, kinds } from './data.ts'
import { debugToken } from './debug-token.ts'
import { blankPost } from './generate-posts.ts'
import { type FacebookSettings, scopes } from './settings.ts'
import { createTokenEndpoint } from './token-endpoint.ts'

const brand = { title: 'Facebook', mark: 'f', accent: '#1459c9' }
const longLivedSeconds = 5_184_000

export const facebook: ServiceDefinition = {
  name: 'facebook',
  brand,
  build(context) {
    const { clock, url } = context
    const people = makePeople(
      (_username, at) => String(10_158_000_000_000_123n + BigInt(at) * 7_000_003n),
      context.maxActivity,
    )
    const oauth = createOAuth2Server(context, {
      brand,
      people,
      paths: { authorize: '/dialog/oauth', token: '/oauth/access_token' },
      tokenFields: (person) => ({ user_id: person.id }),
      settings: {
        clientAuth: ['client_secret_post'],
        scopes,
        defaultScopes: ['public_profile'],
        scopeSeparator: ',',
        refresh: 'none',
        accessTtlSeconds: 5400,
        codeTtlSeconds: 600,
        longLived: {
          grantType: 'fb_exchange_token',
          tokenParam: 'fb_exchange_token',
          path: '/oauth/access_token',
          ttlSeconds: longLivedSeconds,
          minAgeSeconds: 0,
          authenticated: true,
        },
      },
    })
    const apps = new Map<string, string>()
    const grants = createAppGrants(clock)
    const settings: FacebookSettings = {
      missingPermission: 'empty',
      requireProof: false,
      maxListBytes: Number.MAX_SAFE_INTEGER,
    }
    const window = createLoginWindow({
      brand,
      oauth,
      authorizePath: '/dialog/oauth',
      fragment: '#_=_',
      deniedDescription: 'Permissions error',
      always: ['public_profile'],
      responseTypeRequired: false,
    })
    const usernameOf = (id: string) => people.find((person) => person.id === id)?.username ?? ''
    const token = createTokenEndpoint({ oauth, grants, window, apps, usernameOf })
    const data = createFacebookData({ people, random: context.random, nowMs: clock.now() })
    const rateLimit = createRateLimit(clock, { limit: 20_000, windowSeconds: 3600 })
    return {
      people,
      routes: {
        ...window.routes,
        'GET /media/:name': (_request, { name = '' }) => drawPicture(name),
        ...graphRoutes({
          context,
          data,
          people,
          settings,
          rateLimit,
          usersOf: grants.usersOf,
          guard: createGuard({ grants, apps, people, clock, settings }),
          open: {
            'GET dialog/oauth': window.authorize,
            'GET oauth/access_token': token,
            'POST oauth/access_token': token,
            'GET debug_token': (request) => debugToken({ grants, apps, people }, request),
          },
        }),
      },
      endpoints: () => ({
        authorize_url: `${url()}/${currentVersion}/dialog/oauth`,
        token_url: `${url()}/${currentVersion}/oauth/access_token`,
        api_url: `${url()}/${currentVersion}`,
      }),
      register(registration) {
        const app = oauth.register(registration)
        apps.set(app.key, app.secret)
        return app
      },
      ...withOwnSettings(
        settings,
        { missingPermission: ['empty', 'error'], requireProof: isFlag, maxListBytes: isNumber },
        withRateLimitSettings(rateLimit, oauth),
      ),
      tokens: grants.control(oauth.tokens),
      data: dataControl(),
    }

    function dataControl(): DataControl {
      const forAdding = (username: string, kind: string) => {
        const person = people.find((one) => one.username === username)
        return storeControl({
          store: data.store,
          clock,
          kinds,
          nextId: () => (kind === 'posts' ? `${person?.id}_${data.nextId()}` : data.nextId()),
          blank: () => ({
            ...blankPost(person ?? people[0]!),
            width: 1080,
            height: 1080,
            hue: 20,
            tags: [],
            message: 'New',
          }),
        })
      }
      return {
        add: (person, kind, fields) => forAdding(person, kind).add(person, kind, fields),
        edit: (person, kind, id, fields) => forAdding(person, kind).edit(person, kind, id, fields),
        remove: (person, kind, id) => forAdding(person, kind).remove(person, kind, id),
      }
    }
  },
}
