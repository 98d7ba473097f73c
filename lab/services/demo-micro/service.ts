import { createRateLimit } from '../../base/rate-limit.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService } from '../../declare/service.ts'
import { createOAuth1Server } from '../../oauth1/server.ts'
import { microApi } from './api.ts'
import { createMicroData } from './data.ts'
import { blankStatus } from './generate.ts'

const brand = { title: 'Demo Micro', mark: '✎', accent: '#0b7a5c' }

const read = { name: 'read', description: 'read your statuses, your timeline and your favourites' }
const write = { name: 'write', description: 'post and delete statuses in your name' }
const messages = { name: 'direct_messages', description: 'read your direct messages' }

export const demoMicro = declareService({
  name: 'demo-micro',
  brand,
  idOf: (_username, at) => String(7_042_118_006_123_451_000n + BigInt(at) * 4_096n),
  endpoints: {
    authorize_dm_url: '/oauth/authorize',
    api_url: '/api',
  },
  standardEndpoints: true,
  build(context, people) {
    const oauth = createOAuth1Server(context, {
      brand,
      people,
      pages: [
        { path: '/oauth/authenticate', permissions: [read, write] },
        {
          path: '/oauth/authorize',
          permissions: [read, write, messages],
          note: 'This app also asks for your direct messages.',
        },
      ],
      tokenFields: (person) => ({ account_id: person.id, handle: person.username }),
    })
    const { clock, dataClock } = context
    const now = () => dataClock.now()
    const data = createMicroData({ people, random: context.random, nowMs: now(), now })
    const rateLimit = createRateLimit(clock, { limit: 900, windowSeconds: 900 })
    return {
      access: oauth,
      groups: { rateLimit },
      routes: { ...oauth.routes, ...microApi({ brand, context, oauth, data, rateLimit }) },
      data: storeControl({
        store: data.store,
        clock: dataClock,
        kinds: ['statuses'],
        nextId: data.nextId,
        blank: () => blankStatus('A new status'),
      }),
      kept: { oauth: oauth.kept, items: data.kept },
      later: data.later,
    }
  },
})
