import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { rateFrom } from '#kit/connector/rate.ts'
import { since, untilKnown } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { offsetPages } from '#kit/endpoints/pages.ts'
import { dayWindows, newestWindow } from './day-windows.ts'
import { hook } from './hook.ts'
import { type Activity, activity, type Device, device, type Measure, measure } from './kinds.ts'

interface Person {
  id: string
  username: string
  display_name: string
  email: string | null
  city?: string
}

const WEEK_S = 604_800

export const demoHealth = defineConnector({
  service: 'demo-health',
  title: 'Demo Health',
  docs: 'lab/services/demo-health/README.md',
  category: 'health',
  auth: oauth2({
    noAppCheck: 'No call names the app of a token.',
    authorizeUrl: 'https://demo-health.test/oauth/authorize',
    tokenUrl: 'https://demo-health.test/oauth/token',
    revokeUrl: 'https://demo-health.test/oauth/revoke',
    revokeEnds: 'token',
    tokenAuth: 'basic',
    scope: { default: ['profile', 'activity', 'measures'], separator: ',' },
    subject: 'person_id',
    forceLogin: { parameters: { prompt: 'login' } },
  }),
  api: {
    baseUrl: 'https://demo-health.test/api',
    limits: { person: { calls: 600, perS: 900 } },
    rate: rateFrom({ remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset', of: 'person' }),
  },
  self: self<Person>('/profile', (person) => ({
    id: person.id,
    name: person.display_name,
    handle: person.username,
    email: person.email ?? undefined,
    location: person.city,
  })),
  hook,
  endpoints: {
    // Offsets shift during a walk, so a missing record may still exist.
    activities: endpoint<{ activities: Activity[] }, Activity>({
      path: '/activities',
      items: ({ activities }) => activities,
      kind: activity,
      types: ['activities'],
      pages: offsetPages({ param: 'offset', size: { param: 'limit', value: 100 } }),
      checkpoint: since({ param: 'updated_after', value: ({ updated_at }) => updated_at, overlap: 60 }),
      every: '30m',
      class: 'personal',
      scope: ['activity'],
    }),
    // Watches and scales upload late, so the last week is read again.
    measures: endpoint<{ measures: Measure[] }, Measure>({
      path: '/measures',
      items: ({ measures }) => measures,
      kind: measure,
      types: ['measures'],
      pages: dayWindows,
      prepare: newestWindow,
      checkpoint: untilKnown({ value: ({ taken_at }) => taken_at, overlap: WEEK_S }),
      every: '1h',
      class: 'personal',
      scope: ['measures'],
    }),
    devices: endpoint<{ devices: Device[] }, Device>({
      path: '/devices',
      items: ({ devices }) => devices,
      kind: device,
      types: [],
      every: '1d',
      class: 'core',
      deletes: 'all',
      scope: ['profile'],
    }),
  },
})
