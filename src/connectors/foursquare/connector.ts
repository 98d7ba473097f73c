import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { since } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { offsetPages } from '#kit/endpoints/pages.ts'
import { api } from './api.ts'
import { checkin, list, photo, tip, venue, visit } from './kinds.ts'
import { contact, imageUrl, nameOf, profileUrl } from './people.ts'
import { push } from './push.ts'
import type { Checkin, List, Photo, TipEntry, User, Venue, Visit } from './shapes.ts'

interface Envelope<Response> {
  response?: Response
}

interface Items<Raw> {
  count?: number
  items?: Raw[]
}

const pagesOf = (limit: number) => offsetPages({ param: 'offset', size: { param: 'limit', value: limit } })
const WEEK_S = 7 * 86_400

/**
 * The v2 API of Foursquare and Swarm, now called the Personalization API. It has no scopes, and tokens do not expire.
 */
export const foursquare = defineConnector({
  service: 'foursquare',
  title: 'Foursquare',
  docs: 'https://docs.foursquare.com/developer/reference/personalization-apis-authentication',
  category: 'travel',
  auth: oauth2({
    noAppCheck: 'No call names the app of a token, and there is no refresh token.',
    authorizeUrl: 'https://foursquare.com/oauth2/authenticate',
    tokenUrl: 'https://foursquare.com/oauth2/access_token',
    tokenMethod: 'GET',
    pkce: false,
  }),
  api,
  self: self<Envelope<{ user: User }>>('/users/self', (body) => {
    const { user } = body.response!
    return {
      id: user.id,
      name: nameOf(user),
      handle: user.handle ?? user.contact?.twitter,
      email: user.contact?.email,
      url: profileUrl(user),
      photo: imageUrl(user.photo, '500x500'),
      description: user.bio,
      location: user.homeCity,
    }
  }),
  hook: push,
  endpoints: {
    friends: endpoint({
      path: '/users/self/friends',
      items: (body: Envelope<{ friends?: Items<User> }>) => body.response?.friends?.items,
      kind: contact,
      types: ['contacts'],
      pages: pagesOf(500),
      every: '1d',
      class: 'core',
      deletes: 'all',
    }),
    checkins: endpoint({
      path: '/users/self/checkins',
      query: { sort: 'newestfirst' },
      items: (body: Envelope<{ checkins?: Items<Checkin> }>) => body.response?.checkins?.items,
      kind: checkin,
      types: ['checkins'],
      pages: pagesOf(250),
      // Reads the last week again, because likes, comments and edits arrive late.
      checkpoint: since({ param: 'afterTimestamp', value: (raw: Checkin) => raw.createdAt, overlap: WEEK_S }),
      every: '10m',
      class: 'personal',
      deletes: 'window',
    }),
    recent: endpoint({
      path: '/checkins/recent',
      query: { limit: '100' },
      // The newest check-in of each friend in the last hours, and the person's own.
      items: (body: Envelope<{ recent?: Checkin[] }>) =>
        body.response?.recent?.filter(({ user }) => user?.relationship !== 'self'),
      kind: checkin,
      types: ['checkins'],
      feed: true,
      every: '10m',
      class: 'social',
    }),
    photos: endpoint({
      path: '/users/self/photos',
      items: (body: Envelope<{ photos?: Items<Photo> }>) => body.response?.photos?.items,
      kind: photo,
      types: ['photos'],
      pages: pagesOf(500),
      every: '12h',
      class: 'personal',
      deletes: 'all',
    }),
    tips: endpoint({
      path: '/lists/{id}/tips',
      query: { sort: 'recent' },
      items: (body: Envelope<{ list?: { listItems?: Items<TipEntry> } }>) => body.response?.list?.listItems?.items,
      kind: tip,
      types: ['statuses'],
      pages: pagesOf(200),
      every: '1d',
      class: 'personal',
      deletes: 'all',
    }),
    venuehistory: endpoint({
      path: '/users/self/venuehistory',
      items: (body: Envelope<{ venues?: Items<Visit> }>) => body.response?.venues?.items,
      kind: visit,
      types: [],
      every: '1d',
      class: 'personal',
      deletes: 'all',
    }),
    venuelikes: endpoint({
      path: '/users/self/venuelikes',
      items: (body: Envelope<{ venues?: Items<Venue> }>) => body.response?.venues?.items,
      kind: venue,
      types: [],
      pages: pagesOf(200),
      every: '1d',
      class: 'personal',
      deletes: 'all',
    }),
    lists: endpoint({
      path: '/users/self/lists',
      // Created, edited and followed lists are in groups; a list in two groups is read once.
      items: (body: Envelope<{ lists?: Items<List> & { groups?: Items<List>[] } }>) => {
        const { groups, items } = body.response?.lists ?? {}
        const all = groups?.flatMap((group) => group.items ?? []) ?? items
        return all && [...new Map(all.map((one) => [one.id, one])).values()]
      },
      kind: list,
      types: [],
      every: '1d',
      class: 'personal',
      // A group has only some of its lists, so a missing one may still exist.
    }),
  },
})
