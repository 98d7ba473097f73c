import { oauth2 } from '#kit/auth/auth.ts'
import { selfFromToken } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { bodyCursorPages } from '#kit/endpoints/body-cursor-pages.ts'
import { since } from '#kit/endpoints/checkpoint.ts'
import { type EndpointInput, endpoint } from '#kit/endpoints/endpoint.ts'
import { type Activity, activity, type Device, device, type Sleep, sleep, type Workout, workout } from './kinds.ts'
import { type Measure, type MeasureGroup, measure, measuresOf } from './measures.ts'

interface Envelope<Body> {
  status?: number
  body?: Body & { more?: boolean | number; offset?: number }
}

/** What a status in the body means; 0 is a success. The HTTP status is always 200. */
const DEAD_TOKEN = [100, 101, 102, 200, 401]
const NOT_GRANTED = [214, 277, 2553]
const TRY_AGAIN = [522, 524, 601, 2551]

const pages = bodyCursorPages({
  param: 'offset',
  from: ({ body }: Envelope<object>) => (body?.more === true || body?.more === 1 ? body.offset : undefined),
})

const HOUR_S = 3600

/** Reads what changed since the last run: devices upload late, and people correct values. */
function changed<Body extends object, Raw extends { modified?: number }>(
  action: string,
  fields: Record<string, string>,
  input: Pick<
    EndpointInput<Envelope<Body>, Raw>,
    'path' | 'items' | 'kind' | 'types' | 'scope' | 'wholeEvery' | 'deletes'
  >,
) {
  return endpoint<Envelope<Body>, Raw>({
    ...input,
    method: 'POST',
    body: { form: { action, lastupdate: '1', ...fields } },
    pages,
    checkpoint: since<Raw>({ param: 'lastupdate', value: ({ modified }) => modified, overlap: HOUR_S }),
    every: '1h',
    class: 'personal',
  })
}

/**
 * Every call is a POST of a form with an `action`. Token and revocation are signed with a nonce instead of the secret. No call
 * names the person: the token response does.
 */
export const withings = defineConnector({
  service: 'withings',
  title: 'Withings',
  docs: 'https://developer.withings.com/api-reference',
  category: 'health',
  conditions: [
    {
      says: 'The callback address must be on a public server that Withings reaches when it is entered; an app in the development environment has at most ten people.',
      source:
        'https://developer.withings.com/developer-guide/v3/integration-guide/public-health-data-api/get-access/developer-account/',
      checked: '2026-11-19',
    },
  ],
  auth: oauth2({
    noAppCheck: 'No call names the app of a token.',
    authorizeUrl: 'https://account.withings.com/oauth2_user/authorize2',
    tokenUrl: 'https://wbsapi.withings.net/v2/oauth2',
    pkce: false,
    scope: { default: ['user.info', 'user.metrics', 'user.activity'], separator: ',' },
    tokenAuth: 'signed_nonce',
    signedNonce: {
      url: 'https://wbsapi.withings.net/v2/signature',
      parameters: { action: 'getnonce' },
      signs: ['action', 'client_id'],
      nonce: 'body.nonce',
    },
    parameters: { token: { action: 'requesttoken' }, refresh: { action: 'requesttoken' } },
    tokenPath: ['body'],
    subject: 'userid',
    errorField: 'status',
    errors: {
      // Invalid parameters: of a token request, the code or the refresh token.
      503: 'reauthorize',
      401: 'reauthorize',
      100: 'reauthorize',
      522: 'retry',
      524: 'retry',
      601: 'retry',
      2551: 'retry',
      2554: 'stop',
      2555: 'stop',
      2556: 'stop',
    },
    // Ends what the person granted to this app, which signs the call; other apps keep theirs.
    revokeUrl: 'https://wbsapi.withings.net/v2/oauth2',
    revoke: { method: 'POST', tokenPlacement: 'none', parameters: { action: 'revoke', userid: '{sub}' } },
    revokeEnds: 'grant',
  }),
  api: {
    baseUrl: 'https://wbsapi.withings.net',
    limits: { app: { calls: 120, perS: 60 } },
    recovery: ({ body }) => {
      const { status } = (body ?? {}) as Envelope<object>
      if (status === undefined || status === 0) return undefined
      if (DEAD_TOKEN.includes(status)) return 'reauthorize'
      if (NOT_GRANTED.includes(status)) return 'not_granted'
      return TRY_AGAIN.includes(status) ? 'retry' : 'stop'
    },
  },
  self: selfFromToken(),
  endpoints: {
    measures: changed<{ measuregrps?: (MeasureGroup | null)[] }, Measure>(
      'getmeas',
      { category: '1' },
      {
        path: '/measure',
        items: ({ body }) => measuresOf(body?.measuregrps),
        kind: measure,
        types: ['measures'],
        // A deleted value only changes the time of its group.
        wholeEvery: '30d',
        deletes: 'all',
        scope: ['user.metrics'],
      },
    ),
    activities: changed<{ activities?: Activity[] }, Activity>(
      'getactivity',
      { data_fields: 'steps,distance,elevation,calories,totalcalories,hr_average' },
      {
        path: '/v2/measure',
        items: ({ body }) => body?.activities,
        kind: activity,
        types: ['measures'],
        scope: ['user.activity'],
      },
    ),
    workouts: changed<{ series?: Workout[] }, Workout>(
      'getworkouts',
      { data_fields: 'calories,distance,steps,hr_average' },
      {
        path: '/v2/measure',
        items: ({ body }) => body?.series,
        kind: workout,
        types: ['activities'],
        scope: ['user.activity'],
      },
    ),
    sleep: changed<{ series?: Sleep[] }, Sleep>(
      'getsummary',
      { data_fields: 'total_sleep_time,sleep_score,hr_average' },
      {
        path: '/v2/sleep',
        items: ({ body }) => body?.series,
        kind: sleep,
        types: ['measures'],
        scope: ['user.activity'],
      },
    ),
    devices: endpoint<Envelope<{ devices?: Device[] }>, Device>({
      method: 'POST',
      path: '/v2/user',
      body: { form: { action: 'getdevice' } },
      items: ({ body }) => body?.devices,
      kind: device,
      types: [],
      every: '1d',
      class: 'core',
      deletes: 'all',
      scope: ['user.info'],
    }),
  },
})
