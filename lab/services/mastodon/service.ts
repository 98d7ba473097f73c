import { createRateLimit } from '../../base/rate-limit.ts'
import { isFlag } from '../../base/settings.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService } from '../../declare/service.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { mastodonApi } from './api.ts'
import { createApps } from './apps.ts'
import { blankStatus, createMastodonData } from './data.ts'

const brand = { title: 'Mastodon', mark: '🐘', accent: '#6364ff' }
const READ = ['accounts', 'bookmarks', 'favourites', 'follows', 'lists', 'notifications', 'search', 'statuses']
const WRITE = ['favourites', 'media', 'statuses']

export const mastodon = declareService({
  name: 'mastodon',
  brand,
  idOf: (_username, at) => String(109_300_000_000_000_001n + BigInt(at) * 31n),
  endpoints: {
    api_url: '',
  },
  standardEndpoints: true,
  pictures: { path: '/system/:id/:name' },
  build(context, people) {
    const { clock } = context
    const oauth = createOAuth2Server(context, {
      brand,
      people,
      tokenFields: () => ({ created_at: Math.floor(clock.now() / 1000) }),
      settings: {
        refresh: 'none',
        expiry: 'none',
        accessTtlSeconds: 0,
        clientAuth: ['client_secret_post', 'client_secret_basic'],
        scopes: {
          read: 'read all your account data',
          write: 'modify all your account data',
          push: 'receive your push notifications',
          ...Object.fromEntries(READ.map((name) => [`read:${name}`, `see your ${name}`])),
          ...Object.fromEntries(WRITE.map((name) => [`write:${name}`, `change your ${name}`])),
        },
        defaultScopes: ['read'],
        scopeChoice: false,
      },
    })
    const setting = { namesApps: true }
    const apps = createApps(oauth, setting)
    const data = createMastodonData({ people, random: context.random, nowMs: clock.now(), now: () => clock.now() })
    const rateLimit = createRateLimit(clock, { limit: 300, windowSeconds: 300 })
    const slowLimit = createRateLimit(clock, { limit: 30, windowSeconds: 1800 })
    return {
      access: {
        ...oauth,
        register: apps.register,
        get settings() {
          return { ...oauth.settings, ...setting }
        },
        configure({ namesApps, ...rest }) {
          oauth.configure(rest)
          if (isFlag(namesApps)) setting.namesApps = namesApps as boolean
        },
      },
      groups: { rateLimit },
      routes: {
        ...oauth.routes,
        ...apps.routes,
        ...mastodonApi({ context, oauth, data, rateLimit, slowLimit }),
      },
      data: storeControl({
        store: data.store,
        clock,
        kinds: ['statuses', 'notifications'],
        nextId: data.nextId,
        blank: () => blankStatus(),
      }),
    }
  },
})
