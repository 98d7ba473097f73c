import type { Person } from '../../base/people.ts'
import type { RateLimit } from '../../base/rate-limit.ts'
import { Refusal, type Reply, refusedAs } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Handler, Routes } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import type { StoredItem } from '../../data/item-store.ts'
import type { Acquaintance } from '../../data/vocabulary.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import type { FoursquareData } from './data.ts'
import { apiError, enveloped, wrongParameter } from './envelope.ts'
import type { CheckinFields } from './generate.ts'
import { likedVenues } from './liked-venues.ts'
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
  rateLimit: RateLimit
}

type Act = (person: Person, request: LabRequest, params: Record<string, string>) => unknown

const recentMs = 3 * 3_600_000

export function foursquareApi({ context, oauth, data, rateLimit }: ApiParts): Routes {
  const view = () => ({ url: context.url(), data })
  const friendsAndSelf = (person: Person): Acquaintance[] => [person, ...data.friendsOf(person.username)]

  const endpoint =
    (act: Act): Handler =>
    (request, params) => {
      checkVersion(request)
      const person = callerOf(oauth, request)
      const counted = countedCall(rateLimit, `${person.id} ${groupOf(request.path)}`)
      try {
        return counted(enveloped(act(person, request, params)))
      } catch (error) {
        if (error instanceof Refusal) throw new Refusal(counted(error.reply))
        throw error
      }
    }

  const listed = (name: string, count: number, items: unknown[]) => ({ [name]: { count, items } })

  const checkins: Act = (person, request) => {
    const matching = sorted(request, withinTimes(request, data.store.list(person.username, 'checkins')))
    const items = offsetPage(request, matching, 100, 250)
    return listed(
      'checkins',
      matching.length,
      items.map((item) => presentCheckin(view(), person, item)),
    )
  }

  const recent: Act = (person, request) => {
    const now = context.clock.now()
    const all = data.friendsOf(person.username).flatMap((friend) =>
      withinTimes(request, data.store.list(friend.username, 'checkins'))
        .filter((item) => item.createdAtMs > now - recentMs && !(item.fields as CheckinFields).isPrivate)
        .map((item) => ({ friend, item })),
    )
    all.sort((a, b) => b.item.createdAtMs - a.item.createdAtMs)
    const shown = all.slice(0, readLimit(request, 20, 100))
    return { recent: shown.map(({ friend, item }) => presentCheckin(view(), friend, item, 'with-user')) }
  }

  const oneCheckin: Act = (person, _request, { id = '' }) => {
    const found = data.store.find('checkins', id)
    const author = found && friendsAndSelf(person).find(({ username }) => username === found.owner)
    if (!found) throw wrongParameter(`Value ${id} is invalid for checkin id`)
    if (!author || ((found.item.fields as CheckinFields).isPrivate && author.id !== person.id))
      throw apiError(403, 'not_authorized', 'You are not authorized to view this checkin.')
    return { checkin: presentCheckin(view(), author, found.item, 'detail') }
  }

  const friends: Act = (person, request) => {
    const all = data.friendsOf(person.username)
    const items = offsetPage(request, all, 100, 500)
    return listed(
      'friends',
      all.length,
      items.map((one) => presentFriend(context.url(), one, 'friend')),
    )
  }

  const photos: Act = (person, request) => {
    const all = data.store.list(person.username, 'photos').filter(isHere)
    const items = offsetPage(request, all, 100, 500)
    return listed(
      'photos',
      all.length,
      items.map((item) => presentOwnPhoto(view(), item)),
    )
  }

  const tips: Act = (person, request) => {
    const all = sorted(request, data.store.list(person.username, 'tips').filter(isHere))
    return listed('tips', all.length, offsetPage(request, all, 100, 500).map(presentTip))
  }

  const venueHistory: Act = (person, request) => {
    const visits = new Map<string, { venue: Venue; beenHere: number; last: StoredItem }>()
    for (const item of withinTimes(request, data.store.list(person.username, 'checkins'))) {
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
    return listed('venues', items.length, items)
  }

  const oneUser: Act = (person, _request, { id = '' }) => {
    if (id === person.id) return { user: presentSelf(view(), person) }
    const other = data.allPeople.find((one) => one.id === id)
    if (!other) throw wrongParameter(`Value ${id} is invalid for user id`)
    const isFriend = data.friendsOf(person.username).some((one) => one.id === id)
    return { user: presentFriend(context.url(), other, isFriend ? 'friend' : undefined) }
  }

  const oneVenue: Act = (_person, _request, { id = '' }) => {
    const venue = data.venues.find((one) => one.id === id)
    if (!venue) throw wrongParameter(`Value ${id} is invalid for venue id`)
    return { venue: presentVenue(venue) }
  }

  const routes: Routes = {
    'GET /v2/users/self': endpoint((person) => ({ user: presentSelf(view(), person) })),
    'GET /v2/users/self/checkins': endpoint(checkins),
    'GET /v2/users/self/friends': endpoint(friends),
    'GET /v2/users/self/photos': endpoint(photos),
    'GET /v2/users/self/tips': endpoint(tips),
    'GET /v2/users/self/venuehistory': endpoint(venueHistory),
    'GET /v2/users/self/venuelikes': endpoint((person, request) => likedVenues(data, person, request)),
    'GET /v2/users/self/lists': endpoint((person, request) => listsOf(view(), person, request)),
    'GET /v2/users/:id': endpoint(oneUser),
    'GET /v2/checkins/recent': endpoint(recent),
    'GET /v2/checkins/:id': endpoint(oneCheckin),
    'GET /v2/venues/:id': endpoint(oneVenue),
    'GET /v2/lists/:id': endpoint((person, request, { id = '' }) => oneList(view(), person, request, id)),
    'GET /v2/lists/:owner/:list': endpoint((person, request, { owner, list }) =>
      oneList(view(), person, request, `${owner === 'self' ? person.id : owner}/${list}`),
    ),
  }
  const nowhere: Handler = () => {
    throw apiError(404, 'endpoint_error', 'No matching endpoint')
  }
  const getOnly: Handler = () => {
    throw apiError(405, 'other', 'Only GET is supported on this endpoint')
  }
  for (const key of Object.keys(routes)) routes[key.replace('GET', 'POST')] = getOnly
  for (const pattern of ['/v2/:a', '/v2/:a/:b', '/v2/:a/:b/:c', '/v2/:a/:b/:c/:d']) routes[`GET ${pattern}`] ??= nowhere
  return routes
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

/** The reset time is sent only when the limit is exceeded. */
function countedCall(rateLimit: RateLimit, key: string): (reply: Reply) => Reply {
  try {
    const withLimits = rateLimit.acquire(key)
    return (reply) => {
      const { 'x-ratelimit-reset': _reset, ...headers } = withLimits(reply).headers
      return { ...reply, headers }
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { 'retry-after': _wait, 'content-type': _type, ...headers } = error.reply.headers
    throw apiError(403, 'rate_limit_exceeded', 'Quota exceeded', headers)
  }
}
