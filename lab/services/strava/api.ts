import type { Person } from '../../base/people.ts'
import { json, refusedAs } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { declareApi } from '../../declare/api.ts'
import { matching, readParam } from '../../declare/parameters.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import type { Kind, StravaData } from './data.ts'
import { fault } from './fault.ts'
import type { StravaLimits } from './limits.ts'

interface ApiParts {
  context: ServiceContext
  oauth: OAuth2Server
  data: StravaData
  limits: StravaLimits
}

interface Call {
  person: Person
  scopes: readonly string[]
  request: LabRequest
  params: Record<string, string>
}

export function stravaApi({ context, oauth, data, limits }: ApiParts): Routes {
  const { one, list, routes } = declareApi<string, Call>({
    admit({ request, params }) {
      const { person, scopes, client } = callerOf(oauth, request)
      return { call: { person, scopes, request, params }, finish: limits.acquire(client.key) }
    },
    check({ scopes }, scope) {
      if (!scopes.includes(scope) && !scopes.includes(`${scope}_all`))
        throw fault(401, 'Authorization Error', 'AccessToken', `${scope}_permission`, 'missing')
      return undefined
    },
    reply: (value) => json(200, value),
    page: ({ request }, items, show) => json(200, pageOf(request, items).map(show)),
  })

  const stored = (kind: Kind, seesPrivate: string) => (call: Call) => {
    const all = data.store.list(call.person.username, kind).filter(isShown)
    const seesAll = call.scopes.includes(seesPrivate)
    return within(
      call.request,
      all.filter(({ fields }) => seesAll || fields['isPrivate'] !== true),
    )
  }
  const shown = (present: (item: StoredItem, person: Person) => object) => (call: Call, item: StoredItem) =>
    present(item, call.person)

  return routes({
    'GET /api/v3/athlete': one('read', ({ person }) => athleteOf(context.url(), person, 2)),
    'GET /api/v3/athlete/activities': list(
      'activity:read',
      stored('activities', 'activity:read_all'),
      shown(presentActivity),
    ),
    'GET /api/v3/athletes/:id/routes': list(
      'read',
      (call) => {
        if (call.params['id'] !== call.person.id) throw fault(403, 'Forbidden', 'Athlete', 'id', 'forbidden')
        return stored('routes', 'read_all')(call)
      },
      shown(presentRoute),
    ),
    'GET /api/v3/athlete/clubs': list('read', stored('clubs', 'read'), shown(presentClub)),
    'GET /api/v3/segments/starred': list('read', stored('segments', 'read'), shown(presentSegment)),
  })
}

const callerOf = (oauth: OAuth2Server, request: LabRequest) =>
  refusedAs(
    () => oauth.guard(request),
    () => fault(401, 'Authorization Error', 'Athlete', 'access_token', 'invalid'),
  )

const maxPerPage = 200

const wholeNumber = (request: LabRequest, name: string): number | undefined =>
  readParam(request, name, matching(/^\d{1,15}$/, Number), () =>
    fault(400, 'Bad Request', 'Application', name, 'invalid'),
  )

/** With `after` the oldest comes first, otherwise the newest. */
function within(request: LabRequest, items: readonly StoredItem[]): StoredItem[] {
  const [after, before] = [wholeNumber(request, 'after'), wholeNumber(request, 'before')]
  const seconds = ({ createdAtMs }: StoredItem) => Math.floor(createdAtMs / 1000)
  const found = items.filter((item) => seconds(item) > (after ?? -1) && seconds(item) < (before ?? Infinity))
  return after === undefined ? found : found.reverse()
}

function pageOf<T>(request: LabRequest, items: readonly T[]): T[] {
  const [page, size] = [wholeNumber(request, 'page') ?? 1, wholeNumber(request, 'per_page') ?? 30]
  if (size > maxPerPage || page === 0) throw fault(400, 'Bad Request', 'Application', 'per_page', 'invalid')
  return items.slice((page - 1) * size, page * size)
}

const iso = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** Detail level 2 is a summary. */
export function athleteOf(url: string, person: Person, resource_state: number): object {
  const [firstname = '', ...rest] = person.name.split(' ')
  return {
    id: Number(person.id),
    username: person.username,
    resource_state,
    firstname,
    lastname: rest.join(' '),
    bio: person.bio,
    city: person.city,
    state: null,
    country: null,
    sex: null,
    premium: false,
    created_at: '2019-04-01T08:00:00Z',
    profile_medium: `${url}/pictures/62x62-${Number(person.id) % 360}.svg`,
    profile: `${url}/pictures/124x124-${Number(person.id) % 360}.svg`,
  }
}

function presentActivity({ id, createdAtMs, fields }: StoredItem, person: Person): object {
  const { isPrivate, ...rest } = fields
  return {
    resource_state: 2,
    athlete: { id: Number(person.id), resource_state: 1 },
    ...rest,
    id: BigInt(id),
    start_date: iso(createdAtMs),
    start_date_local: iso(createdAtMs),
    timezone: `(GMT+00:00) ${person.timezone}`,
    visibility: isPrivate === true ? 'only_me' : 'everyone',
    private: isPrivate === true,
    map: { id: `a${id}`, summary_polyline: '', resource_state: 2 },
  }
}

function presentRoute({ id, createdAtMs, updatedAtMs, fields }: StoredItem, person: Person): object {
  const { isPrivate, ...rest } = fields
  return {
    ...rest,
    id: BigInt(id),
    id_str: id,
    private: isPrivate === true,
    starred: false,
    created_at: iso(createdAtMs),
    updated_at: iso(updatedAtMs),
    athlete: { id: Number(person.id), resource_state: 1 },
    map: { id: `r${id}`, summary_polyline: '', resource_state: 2 },
  }
}

function presentClub({ id, fields }: StoredItem): object {
  return { ...fields, id: Number(id), resource_state: 2 }
}

function presentSegment({ id, createdAtMs, fields }: StoredItem): object {
  return { ...fields, id: Number(id), resource_state: 2, starred: true, starred_date: iso(createdAtMs) }
}
