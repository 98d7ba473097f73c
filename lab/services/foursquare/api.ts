import type { Person } from '../../base/people.ts'
import { refusedAs } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Handler, Routes } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import type { StoredItem } from '../../data/item-store.ts'
import { declareApi } from '../../declare/api.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import type { FoursquareData } from './data.ts'
import { apiError, enveloped, wrongParameter } from './envelope.ts'
import type { CheckinFields } from './generate.ts'
import { likedVenues } from './liked-venues.ts'
import type { FoursquareLimits } from './limits.ts'
import { listsOf, oneList } from './lists.ts'
import { checkVersion, offsetPage, readLimit, sorted, withinTimes } from './parameters.ts'
import {
  isHere,
  presentCheckin,
  presentFriend,
  presentOwnPhoto,
  presentSelf,
  presentTip,
  presentVenue,
  seconds,
} from './present.ts'
import type { Venue } from './venues.ts'

interface ApiParts {
  context: ServiceContext
  oauth: OAuth2Server
  data: FoursquareData
  limits: FoursquareLimits
}

interface Call {
  person: Person
  request: LabRequest
  params: Record<string, string>
  url: string
  data: FoursquareData
}

/** The name of a list, and the greatest number of items on a page. */
interface Need {
  named?: string
  greatest?: number
}

const recentMs = 3 * 3_600_000

export function foursquareApi({ context, oauth, data, limits }: ApiParts): Routes {
  const nowhere = (): never => {
    throw apiError(404, 'endpoint_error', 'No matching endpoint')
  }
  const { one, list, routes } = declareApi<Need, Call>({
    admit({ request, params }) {
      checkVersion(request)
      const person = callerOf(oauth, request)
      const finish = limits.acquire(`${person.id} ${groupOf(request.path)}`)
      return { call: { person, request, params, url: context.url(), data }, finish }
    },
    reply: enveloped,
    page: ({ request }, all, show, { named = '', greatest = 500 }) =>
      enveloped({ [named]: { count: all.length, items: offsetPage(request, all, 100, greatest).map(show) } }),
    unknown: { below: '/v2', depth: 4, reply: nowhere },
  })
  const stored = ({ person }: Call, kind: string) => data.store.list(person.username, kind)

  function recent(call: Call) {
    const { request, person } = call
    const now = context.clock.now()
    const all = data.friendsOf(person.username).flatMap((friend) =>
      withinTimes(request, data.store.list(friend.username, 'checkins'))
        .filter((item) => item.createdAtMs > now - recentMs && !(item.fields as CheckinFields).isPrivate)
        .map((item) => ({ friend, item })),
    )
    all.sort((a, b) => b.item.createdAtMs - a.item.createdAtMs)
    const shown = all.slice(0, readLimit(request, 20, 100))
    return { recent: shown.map(({ friend, item }) => presentCheckin(call, friend, item, 'with-user')) }
  }

  function oneCheckin(call: Call) {
    const { person, params } = call
    const { id = '' } = params
    const found = data.store.find('checkins', id)
    const seen = [person, ...data.friendsOf(person.username)]
    const author = found && seen.find(({ username }) => username === found.owner)
    if (!found) throw wrongParameter(`Value ${id} is invalid for checkin id`)
    if (!author || ((found.item.fields as CheckinFields).isPrivate && author.id !== person.id))
      throw apiError(403, 'not_authorized', 'You are not authorized to view this checkin.')
    return { checkin: presentCheckin(call, author, found.item, 'detail') }
  }

  function venueHistory(call: Call) {
    const visits = new Map<string, { venue: Venue; beenHere: number; last: StoredItem }>()
    for (const item of withinTimes(call.request, stored(call, 'checkins'))) {
      const { venue } = item.fields as CheckinFields
      const before = venue && visits.get(venue.id)
      if (before) before.beenHere += 1
      else if (venue) visits.set(venue.id, { venue, beenHere: 1, last: item })
    }
    const items = [...visits.values()].map(({ venue, beenHere, last }) => ({
      beenHere,
      lastHereAt: seconds(last.createdAtMs),
      venue: presentVenue(venue),
    }))
    return { venues: { count: items.length, items } }
  }

  function oneUser(call: Call) {
    const { person, url } = call
    const { id = '' } = call.params
    if (id === person.id) return { user: presentSelf(call, person) }
    const other = data.allPeople.find((each) => each.id === id)
    if (!other) throw wrongParameter(`Value ${id} is invalid for user id`)
    const isFriend = data.friendsOf(person.username).some((each) => each.id === id)
    return { user: presentFriend(url, other, isFriend ? 'friend' : undefined) }
  }

  function oneVenue({ params: { id = '' } }: Call) {
    const venue = data.venues.find((each) => each.id === id)
    if (!venue) throw wrongParameter(`Value ${id} is invalid for venue id`)
    return { venue: presentVenue(venue) }
  }

  const resources = {
    'GET /v2/users/self': one({}, (call) => ({ user: presentSelf(call, call.person) })),
    'GET /v2/users/self/checkins': list(
      { named: 'checkins', greatest: 250 },
      (call) => sorted(call.request, withinTimes(call.request, stored(call, 'checkins'))),
      (call, item) => presentCheckin(call, call.person, item),
    ),
    'GET /v2/users/self/friends': list(
      { named: 'friends' },
      ({ person }) => data.friendsOf(person.username),
      ({ url }, friend) => presentFriend(url, friend, 'friend'),
    ),
    'GET /v2/users/self/photos': list(
      { named: 'photos' },
      (call) => stored(call, 'photos').filter(isHere),
      presentOwnPhoto,
    ),
    'GET /v2/users/self/tips': list(
      { named: 'tips' },
      (call) => sorted(call.request, stored(call, 'tips').filter(isHere)),
      (_call, item) => presentTip(item),
    ),
    'GET /v2/users/self/venuehistory': one({}, venueHistory),
    'GET /v2/users/self/venuelikes': one({}, ({ person, request }) => likedVenues(data, person, request)),
    'GET /v2/users/self/lists': one({}, (call) => listsOf(call, call.person, call.request)),
    'GET /v2/users/:id': one({}, oneUser),
    'GET /v2/checkins/recent': one({}, recent),
    'GET /v2/checkins/:id': one({}, oneCheckin),
    'GET /v2/venues/:id': one({}, oneVenue),
    'GET /v2/lists/:id': one({}, (call) => oneList(call, call.person, call.request, call.params['id'] ?? '')),
    'GET /v2/lists/:owner/:list': one({}, (call) => {
      const { owner, list: name } = call.params
      return oneList(call, call.person, call.request, `${owner === 'self' ? call.person.id : owner}/${name}`)
    }),
  }
  const getOnly: Handler = () => {
    throw apiError(405, 'other', 'Only GET is supported on this endpoint')
  }
  const posted = Object.keys(resources).map((key) => [key.replace('GET', 'POST'), getOnly])
  return { ...routes(resources), ...Object.fromEntries(posted) }
}

function callerOf(oauth: OAuth2Server, request: LabRequest): Person {
  if (request.headers.authorization === undefined && !request.query.some(([name]) => name === 'oauth_token'))
    throw apiError(400, 'invalid_auth', 'Missing access credentials.')
  return refusedAs(
    () => oauth.guard(request).person,
    () => apiError(401, 'invalid_auth', 'OAuth token invalid or revoked.'),
  )
}

/** Endpoints with the same first part of their path are counted together. */
function groupOf(path: string): string {
  return path.split('/').find((part) => part !== '' && part !== 'v2') ?? ''
}
