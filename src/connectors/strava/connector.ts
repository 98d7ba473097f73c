import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { since } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import { timeOf } from '#kit/read/kind.ts'
import { api } from './api.ts'
import { type Activity, activity, type Club, club, type Route, route, type Segment, segment } from './kinds.ts'

interface Athlete {
  id: number | bigint
  username?: string | null
  firstname?: string
  lastname?: string
  bio?: string | null
  city?: string | null
  state?: string | null
  country?: string | null
  /** The address of the picture, or `avatar/athlete/large.png` where there is none. */
  profile?: string
}

/** A page may be short although it is not the last one: “iterate until an empty page is returned”. */
const pages = numberPages({ param: 'page', size: { param: 'per_page', value: 200 } })
/** Watches are synchronised late, and kudos arrive for weeks. */
const MONTH_S = 30 * 86_400

/** Details, laps, comments and streams of an activity cost a call each, of which an app has a thousand a day. */
export const strava = defineConnector({
  service: 'strava',
  title: 'Strava',
  docs: 'https://developers.strava.com/docs/reference',
  category: 'health',
  conditions: [
    {
      says: 'Creating an app needs a paid Strava subscription.',
      source: 'https://developers.strava.com/docs/getting-started/',
      checked: '2026-11-19',
    },
    {
      says: 'A new app is in single-player mode: only its owner can sign in. Its settings raise that to ten people, a review to more.',
      source: 'https://developers.strava.com/docs/getting-started/',
      checked: '2026-11-19',
    },
  ],
  auth: oauth2({
    noAppCheck: 'No call names the app of a token.',
    authorizeUrl: 'https://www.strava.com/oauth/authorize',
    // Tokens live six hours; a refresh may return another refresh token.
    tokenUrl: 'https://www.strava.com/api/v3/oauth/token',
    // PKCE is not documented.
    pkce: false,
    scope: {
      default: ['read', 'read_all', 'profile:read_all', 'activity:read', 'activity:read_all'],
      separator: ',',
      // People may untick each of them; only the redirect says which they left.
      redirect: 'scope',
      includes: { read_all: ['read'], 'activity:read_all': ['activity:read'] },
    },
    revokeUrl: 'https://www.strava.com/oauth/deauthorize',
    revoke: {
      method: 'POST',
      tokenPlacement: 'form',
      parameters: { access_token: '{token}' },
      isGone: ({ status }) => status === 401,
    },
    // It removes the app from the person's account, with all its tokens.
    revokeEnds: 'grant',
    errors: { RefreshToken: 'reauthorize', AuthorizationCode: 'reauthorize', Application: 'stop' },
  }),
  api,
  self: self<Athlete>({
    path: '/athlete',
    // One app has a thousand reads a day for everybody.
    every: '7d',
    read: ({ id, username, firstname, lastname, bio, city, state, country, profile }) => ({
      id: String(id),
      name: joined([firstname, lastname], ' '),
      handle: username ?? undefined,
      url: `https://www.strava.com/athletes/${id}`,
      photo: profile?.startsWith('http') ? profile : undefined,
      description: bio ?? undefined,
      location: joined([city, state, country], ', '),
    }),
  }),
  endpoints: {
    activities: endpoint<Activity[], Activity>({
      path: '/athlete/activities',
      items: (body) => body,
      kind: activity,
      types: ['activities'],
      pages,
      checkpoint: since({
        param: 'after',
        value: ({ start_date }) => {
          const ms = timeOf(start_date)
          return ms === undefined ? undefined : Math.floor(ms / 1000)
        },
        overlap: MONTH_S,
      }),
      every: '6h',
      wholeEvery: '7d',
      class: 'personal',
      deletes: 'all',
      scope: ['activity:read'],
    }),
    routes: endpoint<Route[], Route>({
      path: '/athletes/{id}/routes',
      items: (body) => body,
      kind: route,
      types: [],
      pages,
      every: '2d',
      class: 'personal',
      deletes: 'all',
      scope: ['read'],
    }),
    clubs: endpoint<Club[], Club>({
      path: '/athlete/clubs',
      items: (body) => body,
      kind: club,
      types: [],
      pages,
      every: '7d',
      class: 'personal',
      deletes: 'all',
      scope: ['read'],
    }),
    segments: endpoint<Segment[], Segment>({
      path: '/segments/starred',
      items: (body) => body,
      kind: segment,
      types: [],
      pages,
      every: '7d',
      class: 'personal',
      deletes: 'all',
      scope: ['read'],
    }),
  },
})

function joined(parts: (string | null | undefined)[], separator: string): string | undefined {
  const present = parts.filter((part) => part)
  return present.length === 0 ? undefined : present.join(separator)
}
