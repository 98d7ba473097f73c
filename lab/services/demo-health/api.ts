import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import type { RateLimit } from '../../base/rate-limit.ts'
import { json, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import type { HealthData } from './data.ts'
import { dayWindow, whole } from './windows.ts'

interface ApiParts {
  oauth: OAuth2Server
  data: HealthData
  rateLimit: RateLimit
}

type Act = (person: Person, request: LabRequest, params: Record<string, string>) => Reply

const devices = [
  { id: 'scale-2', model: 'Balance 2', kind: 'scale' },
  { id: 'band-1', model: 'Band', kind: 'wrist' },
  { id: 'cuff-1', model: 'Cuff', kind: 'blood_pressure' },
]

export function healthApi({ oauth, data, rateLimit }: ApiParts): Routes {
  const endpoint =
    (scope: string, act: Act) =>
    (request: LabRequest, params: Record<string, string>): Reply => {
      const { person } = oauth.guard(request, scope)
      const withHeaders = rateLimit.acquire(person.id)
      return withHeaders(act(person, request, params))
    }

  const profile: Act = ({ id, username, name, email, city, timezone }) =>
    json(200, { id, username, display_name: name, email: email ?? null, city, timezone, units: 'metric' })

  const activities: Act = (person, request) => {
    const after = whole(request, 'after', 0)
    const before = whole(request, 'before', Number.MAX_SAFE_INTEGER)
    const offset = whole(request, 'offset', 0)
    const limit = whole(request, 'limit', 30, 100)
    const updatedAfter = whole(request, 'updated_after', 0)
    const matching = data.store
      .list(person.username, 'activities')
      .filter(
        (item) =>
          isShown(item) &&
          item.createdAtMs > after * 1000 &&
          item.createdAtMs < before * 1000 &&
          item.updatedAtMs > updatedAfter * 1000,
      )
    const page = matching.slice(offset, offset + limit)
    return json(200, { total: matching.length, offset, limit, activities: page.map(presentActivity) })
  }

  const activity: Act = (person, _request, { id = '' }) => {
    const item = data.store.list(person.username, 'activities').find((one) => one.id === id)
    if (!item) return json(404, { error: 'not_found' })
    return isShown(item) ? json(200, presentActivity(item)) : json(410, { error: 'deleted' })
  }

  const measures: Act = (person, request) => {
    const { fromMs, untilMs } = dayWindow(request)
    const metric = first(request.query, 'metric')
    const found = data.store
      .list(person.username, 'measures')
      .filter((item) => isShown(item) && item.createdAtMs >= fromMs && item.createdAtMs < untilMs)
      .filter((item) => metric === undefined || item.fields['metric'] === metric)
    return json(200, { timezone: person.timezone, measures: found.reverse().map(presentMeasure) })
  }

  return {
    'GET /api/profile': endpoint('profile', profile),
    'GET /api/activities': endpoint('activity', activities),
    'GET /api/activities/:id': endpoint('activity', activity),
    'GET /api/measures': endpoint('measures', measures),
    'GET /api/devices': endpoint('profile', ({ activity }) => json(200, { devices: activity === 0 ? [] : devices })),
  }
}

export const presentActivity = (item: StoredItem) => ({
  id: Number(item.id),
  ...item.fields,
  updated_at: Math.floor(item.updatedAtMs / 1000),
})

const presentMeasure = (item: StoredItem) => ({
  id: Number(item.id),
  taken_at: Math.floor(item.createdAtMs / 1000),
  ...item.fields,
})
