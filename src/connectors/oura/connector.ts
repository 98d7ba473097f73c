import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { type Checkpoint, since } from '#kit/endpoints/checkpoint.ts'
import { type EndpointInput, endpoint } from '#kit/endpoints/endpoint.ts'
import { timeOf } from '#kit/read/kind.ts'
import {
  type DailyActivity,
  type DailyScore,
  dailyActivity,
  dailyReadiness,
  dailySleep,
  type HeartRate,
  heartRate,
  type Session,
  type Sleep,
  session,
  sleep,
  type Workout,
  workout,
} from './kinds.ts'
import { dayPages, fromDay, heartRateWindows, newestHours } from './periods.ts'

interface Listing<Raw> {
  data?: Raw[]
  next_token?: string | null
}

// Where a run begins is decided by `newestHours`.
const newestTime: Checkpoint<HeartRate> = {
  ...since<HeartRate>({ param: '', value: ({ timestamp }) => timeOf(timestamp) }),
  query: () => ({}),
}

/** Documents by day. The last week is read again, because rings upload late and scores change. */
const documents = <Raw extends { day?: string }>(
  path: string,
  input: Pick<EndpointInput<Listing<Raw>, Raw>, 'kind' | 'types' | 'scope'>,
) =>
  endpoint<Listing<Raw>, Raw>({
    ...input,
    path,
    items: ({ data }) => data,
    pages: dayPages,
    prepare: fromDay,
    checkpoint: {
      advance: ({ items }, before) =>
        items.reduce<string | undefined>(
          (latest, { day }) => (day !== undefined && (latest === undefined || day > latest) ? day : latest),
          before as string | undefined,
        ),
      query: () => ({}),
      oldestFirst: true,
    },
    every: '1h',
    class: 'personal',
  })

export const oura = defineConnector({
  service: 'oura',
  title: 'Oura',
  docs: 'https://cloud.ouraring.com/v2/docs',
  category: 'health',
  auth: oauth2({
    noAppCheck: 'No call names the app of a token.',
    authorizeUrl: 'https://cloud.ouraring.com/oauth/authorize',
    tokenUrl: 'https://api.ouraring.com/oauth/token',
    pkce: false,
    scope: {
      default: ['email', 'personal', 'daily', 'heartrate', 'workout', 'session'],
      // People may deselect each of them; only the redirect says which they left.
      redirect: 'scope',
    },
    revokeUrl: 'https://api.ouraring.com/oauth/revoke',
    revoke: {
      method: 'POST',
      tokenPlacement: 'query',
      parameters: { access_token: '{token}' },
      isGone: ({ status }) => status === 401,
    },
    revokeEnds: 'token',
  }),
  api: {
    baseUrl: 'https://api.ouraring.com/v2/usercollection',
    limits: { app: { calls: 5000, perS: 300 } },
    recovery: ({ status, body }) => {
      const { detail = '' } = (body ?? {}) as { detail?: string }
      // The token is valid; the person did not grant this. 403: the person's membership has ended.
      if (status === 401 && typeof detail === 'string' && detail.startsWith('Token is not authorized'))
        return 'not_granted'
      return status === 403 ? 'skip' : undefined
    },
  },
  self: self('/personal_info', { id: 'id', email: 'email' }),
  endpoints: {
    daily_activity: documents<DailyActivity>('/daily_activity', {
      kind: dailyActivity,
      types: ['measures'],
      scope: ['daily'],
    }),
    daily_sleep: documents<DailyScore>('/daily_sleep', { kind: dailySleep, types: ['measures'], scope: ['daily'] }),
    daily_readiness: documents<DailyScore>('/daily_readiness', {
      kind: dailyReadiness,
      types: ['measures'],
      scope: ['daily'],
    }),
    sleep: documents<Sleep>('/sleep', { kind: sleep, types: ['measures'], scope: ['daily'] }),
    workouts: documents<Workout>('/workout', { kind: workout, types: ['activities'], scope: ['workout'] }),
    sessions: documents<Session>('/session', { kind: session, types: ['activities'], scope: ['session'] }),
    heartrate: endpoint<Listing<HeartRate>, HeartRate>({
      path: '/heartrate',
      items: ({ data }) => data,
      kind: heartRate,
      types: ['measures'],
      pages: heartRateWindows,
      prepare: newestHours,
      checkpoint: newestTime,
      every: '1h',
      class: 'personal',
      scope: ['heartrate'],
    }),
  },
})
