import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import type { RateLimit } from '../../base/rate-limit.ts'
import { json, refusedAs } from '../../base/reply.ts'
import { formOf, type LabRequest } from '../../base/request.ts'
import type { Handler, Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import type { WithingsData } from './data.ts'
import { failed } from './signed.ts'

interface ApiParts {
  oauth: OAuth2Server
  data: WithingsData
  rateLimit: RateLimit
}

const PAGE = 100
const seconds = (ms: number): number => Math.floor(ms / 1000)
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

export function withingsApi({ oauth, data, rateLimit }: ApiParts): Routes {
  type Act = (person: Person, request: LabRequest) => object
  const actions =
    (table: Record<string, { scope: string; act: Act }>): Handler =>
    (request) => {
      const {
        person,
        scopes,
        client: { key: app },
      } = callerOf(oauth, request)
      countCall(rateLimit, app)
      const found = table[first(formOf(request), 'action') ?? '']
      if (found === undefined) throw failed(2556, 'Not implemented')
      if (!scopes.includes(found.scope)) throw failed(214, 'Insufficient scope')
      return json(200, { status: 0, body: found.act(person, request) })
    }

  /** Those changed after `lastupdate`, or between two days; oldest change first, in pages by `offset`. */
  const page = (person: Person, request: LabRequest, kind: string) => {
    const form = formOf(request)
    const changedAfter = first(form, 'lastupdate')
    const [from, until] = [first(form, 'startdateymd'), first(form, 'enddateymd')]
    const hasTimes = from !== undefined || first(form, 'startdate') !== undefined
    if (changedAfter === undefined && !hasTimes) throw failed(293, 'Invalid Params: missing date')
    const offset = Number(first(form, 'offset') ?? 0)
    const all = [...data.store.list(person.username, kind)]
      .filter(isShown)
      .filter((item) => changedAfter === undefined || seconds(item.updatedAtMs) >= Number(changedAfter))
      .filter((item) => from === undefined || dayOf(item.createdAtMs) >= from)
      .filter((item) => until === undefined || dayOf(item.createdAtMs) <= until)
      .reverse()
    const isMore = offset + PAGE < all.length
    return { items: all.slice(offset, offset + PAGE), paging: { more: isMore, offset: isMore ? offset + PAGE : 0 } }
  }

  const measures: Act = (person, request) => {
    const { items, paging } = page(person, request, 'measures')
    return {
      updatetime: seconds(Math.max(0, ...items.map(({ updatedAtMs }) => updatedAtMs))),
      timezone: person.timezone,
      measuregrps: items.map((item) => ({
        grpid: Number(item.id),
        attrib: 0,
        date: seconds(item.createdAtMs),
        created: seconds(item.createdAtMs),
        modified: seconds(item.updatedAtMs),
        category: 1,
        deviceid: '892359876fd8805ac45bab078c4828692f0276b1',
        measures: (item.fields['values'] as number[][]).map(([value, type, unit, position]) => ({
          value,
          type,
          unit,
          ...(position !== undefined && { position }),
        })),
        comment: '',
      })),
      // `more` is a number here, and missing on the last page.
      ...(paging.more ? { more: 1, offset: paging.offset } : {}),
    }
  }

  const activities: Act = (person, request) => {
    const { items, paging } = page(person, request, 'activities')
    const present = ({ createdAtMs, updatedAtMs, fields }: StoredItem) => ({
      date: dayOf(createdAtMs),
      timezone: person.timezone,
      deviceid: null,
      brand: 18,
      is_tracker: true,
      steps: fields['steps'],
      distance: fields['distance'],
      elevation: 0,
      calories: fields['calories'],
      totalcalories: 1600 + Number(fields['calories']),
      modified: seconds(updatedAtMs),
    })
    return { activities: items.map(present), ...paging }
  }

  const sleep: Act = (person, request) => {
    const { items, paging } = page(person, request, 'sleep')
    const present = ({ id, createdAtMs, updatedAtMs, fields }: StoredItem) => ({
      id: Number(id),
      timezone: person.timezone,
      model: 32,
      model_id: 63,
      startdate: seconds(createdAtMs),
      enddate: seconds(createdAtMs) + Number(fields['seconds']) + 1200,
      date: dayOf(createdAtMs),
      created: seconds(updatedAtMs),
      modified: seconds(updatedAtMs),
      data: { total_sleep_time: fields['seconds'], sleep_score: fields['score'], hr_average: fields['heartRate'] },
    })
    return { series: items.map(present), ...paging }
  }

  const workouts: Act = (person, request) => {
    const { items, paging } = page(person, request, 'workouts')
    const present = ({ id, createdAtMs, updatedAtMs, fields }: StoredItem) => ({
      id: Number(id),
      category: fields['category'],
      timezone: person.timezone,
      model: 93,
      attrib: 0,
      startdate: seconds(createdAtMs),
      enddate: seconds(createdAtMs) + Number(fields['seconds']),
      date: dayOf(createdAtMs),
      deviceid: null,
      data: { calories: fields['calories'], distance: fields['distance'], hr_average: fields['heartRate'] },
      modified: seconds(updatedAtMs),
    })
    return { series: items.map(present), ...paging }
  }

  const devices: Act = ({ activity }) => ({
    devices:
      activity === 0
        ? []
        : [
            {
              type: 'Scale',
              model: 'Body Cardio',
              model_id: 6,
              battery: 'medium',
              deviceid: '892359876fd8805ac45bab078c4828692f0276b1',
            },
            {
              type: 'Activity Tracker',
              model: 'ScanWatch',
              model_id: 93,
              battery: 'high',
              deviceid: 'd41d8cd98f00b204e9800998ecf8427e01234567',
            },
          ],
  })

  return {
    'POST /measure': actions({ getmeas: { scope: 'user.metrics', act: measures } }),
    'POST /v2/measure': actions({
      getactivity: { scope: 'user.activity', act: activities },
      getworkouts: { scope: 'user.activity', act: workouts },
    }),
    'POST /v2/sleep': actions({ getsummary: { scope: 'user.activity', act: sleep } }),
    'POST /v2/user': actions({ getdevice: { scope: 'user.info', act: devices } }),
  }
}

const callerOf = (oauth: OAuth2Server, request: LabRequest) =>
  refusedAs(
    () => oauth.guard(request),
    () => failed(401, 'XRequestID: Not provided invalid_token: The access token provided is invalid'),
  )

const countCall = (rateLimit: RateLimit, key: string) =>
  refusedAs(
    () => rateLimit.acquire(key),
    () => failed(601, 'Too Many Requests'),
  )
