import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import type { RateLimit } from '../../base/rate-limit.ts'
import { json, Refusal, type Reply, refusedAs } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Handler, Routes } from '../../base/router.ts'
import { isShown } from '../../data/item-store.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import type { OuraData } from './data.ts'

interface ApiParts {
  oauth: OAuth2Server
  data: OuraData
  rateLimit: RateLimit
}

const DAY_MS = 86_400_000
const PAGE = 50
const HEART_RATE_DAYS = 30

const problem = (status: number, title: string, detail: string) => new Refusal(json(status, { status, title, detail }))

export function ouraApi({ oauth, data, rateLimit }: ApiParts): Routes {
  const endpoint =
    (scope: string, act: (person: Person, request: LabRequest, scopes: readonly string[]) => Reply): Handler =>
    (request) => {
      const {
        person,
        scopes,
        client: { key: app },
      } = callerOf(oauth, request)
      countCall(rateLimit, app)
      if (!scopes.includes(scope))
        throw problem(401, 'Authorization Error', `Token is not authorized to access ${scope} scope.`)
      return act(person, request, scopes)
    }

  const paged = (request: LabRequest, items: object[]): Reply => {
    const offset = Number(Buffer.from(first(request.query, 'next_token') ?? '', 'base64url').toString() || 0)
    const end = offset + PAGE
    const next = end < items.length ? Buffer.from(String(end)).toString('base64url') : null
    return json(200, { data: items.slice(offset, end), next_token: next })
  }

  /** Oldest first, both days included; without `start_date` only the last day. */
  const documents = (kind: string, scope: string) =>
    endpoint(scope, (person, request) => {
      const end = first(request.query, 'end_date') ?? '2999-12-31'
      const start = first(request.query, 'start_date') ?? new Date(Date.parse(end) - DAY_MS).toISOString().slice(0, 10)
      if (Number.isNaN(Date.parse(start)) || start > end)
        throw problem(400, 'Bad Request', 'Start time is greater than end time')
      const found = data.store.list(person.username, kind).filter(isShown)
      const days = found
        .filter(({ fields }) => String(fields['day']) >= start && String(fields['day']) <= end)
        .reverse()
      return paged(
        request,
        days.map(({ id, fields }) => ({ id, ...fields })),
      )
    })

  const heartRate = endpoint('heartrate', (person, request) => {
    const [from, until] = ['start_datetime', 'end_datetime'].map((name) => Date.parse(first(request.query, name) ?? ''))
    if (!(from! < until!)) throw problem(400, 'Bad Request', 'Start time is greater than end time')
    if (until! - from! > HEART_RATE_DAYS * DAY_MS)
      throw problem(400, 'Bad Request', `The range must be at most ${HEART_RATE_DAYS} days`)
    const found = data.store.list(person.username, 'heartrate').filter(isShown)
    const within = found.filter(({ createdAtMs }) => createdAtMs >= from! && createdAtMs < until!).reverse()
    return paged(
      request,
      within.map(({ createdAtMs, fields }) => ({
        ...fields,
        timestamp: new Date(createdAtMs).toISOString().replace(/\.\d+Z$/, '+00:00'),
      })),
    )
  })

  const personal = endpoint('personal', (person, _request, scopes) =>
    json(200, {
      id: person.id,
      age: 31,
      weight: 74.8,
      height: 1.8,
      biological_sex: 'male',
      email: scopes.includes('email') ? (person.email ?? null) : null,
    }),
  )

  const base = '/v2/usercollection'
  return {
    [`GET ${base}/personal_info`]: personal,
    [`GET ${base}/heartrate`]: heartRate,
    [`GET ${base}/workout`]: documents('workout', 'workout'),
    [`GET ${base}/session`]: documents('session', 'session'),
    ...Object.fromEntries(
      ['daily_activity', 'daily_sleep', 'daily_readiness', 'sleep'].map((kind) => [
        `GET ${base}/${kind}`,
        documents(kind, 'daily'),
      ]),
    ),
  }
}

const callerOf = (oauth: OAuth2Server, request: LabRequest) =>
  refusedAs(
    () => oauth.guard(request),
    () => problem(401, 'Unauthorized', 'Invalid or expired access token'),
  )

const countCall = (rateLimit: RateLimit, key: string) =>
  refusedAs(
    () => rateLimit.acquire(key),
    (reply) =>
      new Refusal(
        json(
          429,
          { status: 429, title: 'Too Many Requests', detail: 'Request Rate Limit Exceeded' },
          { 'retry-after': String(reply.headers['retry-after']) },
        ),
      ),
  )
