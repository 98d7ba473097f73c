import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import type { RateLimit } from '../../base/rate-limit.ts'
import { json, Refusal, type Reply, refusedAs } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Handler, Routes } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import { isShown } from '../../data/item-store.ts'
import type { Caller } from '../../oauth2/bearer.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import type { AlbumFields, SpotifyData, TrackFields } from './data.ts'
import { presentAlbum, presentArtist, presentPlaylist, presentTrack, type Quota, seconds } from './present.ts'

export interface ApiParts {
  context: ServiceContext
  oauth: OAuth2Server
  data: SpotifyData
  rateLimit: RateLimit
  /** Apps with extended quota have the interface of before February 2026. */
  quota: { quota: Quota }
}

interface Call {
  person: Person
  request: LabRequest
  params: Record<string, string>
  scopes: readonly string[]
}

type Act = (call: Call) => unknown

export const failure = (status: number, message: string, headers = {}) =>
  new Refusal(json(status, { error: { status, message } }, headers))

export const spotifyEndpoint =
  ({ oauth, rateLimit }: Pick<ApiParts, 'oauth' | 'rateLimit'>) =>
  (scope: string | undefined, act: Act, reply = (value: unknown): Reply => json(200, value)): Handler =>
  (request, params): Reply => {
    const { person, scopes, client } = callerOf(oauth, request, scope)
    counted(rateLimit, client.key)
    return reply(act({ person, request, params, scopes }))
  }

/** A page by offset: `next` is the whole address. */
export function pageOf<Raw>(
  url: string,
  request: Pick<LabRequest, 'path' | 'query'>,
  all: readonly Raw[],
  show: (raw: Raw) => unknown,
) {
  const limit = whole(request, 'limit', 20, 1, 50)
  const offset = whole(request, 'offset', 0, 0, 100_000)
  const address = (at: number) => {
    const query = new URLSearchParams()
    for (const [name, value] of request.query) query.append(name, value)
    query.set('offset', String(at))
    query.set('limit', String(limit))
    return `${url}${request.path}?${query.toString()}`
  }
  return {
    href: address(offset),
    limit,
    offset,
    total: all.length,
    next: offset + limit < all.length ? address(offset + limit) : null,
    previous: offset > 0 ? address(Math.max(0, offset - limit)) : null,
    items: all.slice(offset, offset + limit).map(show),
  }
}

export function spotifyApi({ context, oauth, data, rateLimit, quota }: ApiParts): Routes {
  const view = () => ({ url: context.url(), data, ...quota })
  const listed = (person: Person, kind: string) => data.store.list(person.username, kind).filter(isShown)
  const endpoint = spotifyEndpoint({ oauth, rateLimit })
  const page = <Raw>(request: LabRequest, all: readonly Raw[], show: (raw: Raw) => unknown) =>
    pageOf(context.url(), request, all, show)

  const recentlyPlayed: Act = ({ person, request }) => {
    const limit = whole(request, 'limit', 20, 1, 50)
    const [after, before] = [first(request.query, 'after'), first(request.query, 'before')]
    if (after !== undefined && before !== undefined) throw failure(400, 'Only one of after and before may be given')
    // The vendor has no more than the last fifty.
    const plays = listed(person, 'plays')
      .slice(0, 50)
      .filter(({ createdAtMs }) => createdAtMs > Number(after ?? 0) && createdAtMs < Number(before ?? Infinity))
      .slice(0, limit)
    const [newest, oldest] = [plays[0], plays.at(-1)]
    return {
      href: `${context.url()}${request.path}`,
      limit,
      next: null,
      cursors: newest && oldest ? { after: String(newest.createdAtMs), before: String(oldest.createdAtMs) } : null,
      items: plays.map(({ createdAtMs, fields }) => ({
        track: presentTrack(view(), fields['track'] as TrackFields),
        played_at: new Date(createdAtMs).toISOString(),
        context: null,
      })),
    }
  }

  const following: Act = ({ person, request }) => {
    if (first(request.query, 'type') !== 'artist') throw failure(400, 'Unsupported type')
    const all = data.followed(person.username)
    const limit = whole(request, 'limit', 20, 1, 50)
    const after = first(request.query, 'after')
    const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
    const shown = all.slice(from, from + limit)
    const last = from + limit < all.length ? shown.at(-1)?.id : undefined
    return {
      artists: {
        href: `${context.url()}${request.path}`,
        limit,
        total: all.length,
        next: last === undefined ? null : `${context.url()}${request.path}?type=artist&after=${last}&limit=${limit}`,
        cursors: { after: last ?? null },
        items: shown.map((one) => presentArtist(view(), one)),
      },
    }
  }

  const me: Act = ({ person }) => ({
    id: person.id,
    display_name: person.name,
    external_urls: { spotify: `https://open.spotify.com/user/${person.id}` },
    href: `${context.url()}/v1/users/${person.id}`,
    images: [{ url: `${context.url()}/image/300-${person.id}`, width: 300, height: 300 }],
    type: 'user',
    uri: `spotify:user:${person.id}`,
  })

  const saved =
    (kind: string, name: string, show: (fields: Record<string, unknown>) => unknown): Act =>
    ({ person, request }) =>
      page(request, listed(person, kind), ({ createdAtMs, fields }) => ({
        added_at: seconds(createdAtMs),
        [name]: show(fields),
      }))

  return {
    'GET /v1/me': endpoint(undefined, me),
    'GET /v1/me/tracks': endpoint(
      'user-library-read',
      saved('saved_tracks', 'track', ({ track }) => presentTrack(view(), track as TrackFields)),
    ),
    'GET /v1/me/albums': endpoint(
      'user-library-read',
      saved('saved_albums', 'album', ({ album }) => presentAlbum(view(), album as AlbumFields)),
    ),
    'GET /v1/me/playlists': endpoint('playlist-read-private', ({ person, request }) =>
      page(request, listed(person, 'playlists'), (item) => presentPlaylist(view(), person, item)),
    ),
    'GET /v1/me/player/recently-played': endpoint('user-read-recently-played', recentlyPlayed),
    'GET /v1/me/following': endpoint('user-follow-read', following),
    'GET /v1/me/top/tracks': endpoint('user-top-read', ({ person, request }) =>
      page(request, data.top(person.username), (track) => presentTrack(view(), track)),
    ),
    'GET /v1/me/top/artists': endpoint('user-top-read', ({ person, request }) =>
      page(request, data.followed(person.username).slice(0, 30), (artist) => presentArtist(view(), artist)),
    ),
  }
}

function callerOf(oauth: OAuth2Server, request: LabRequest, scope: string | undefined): Caller {
  if (request.headers.authorization === undefined) throw failure(401, 'No token provided')
  return refusedAs(
    () => oauth.guard(request, scope),
    ({ status }) =>
      status === 403 ? failure(403, 'Insufficient client scope') : failure(401, 'The access token expired'),
  )
}

/** The limit is of the app and says nothing in its headers before it is reached. */
const counted = (rateLimit: RateLimit, app: string) =>
  refusedAs(
    () => rateLimit.acquire(app),
    ({ headers }) => failure(429, 'API rate limit exceeded', { 'retry-after': headers['retry-after'] }),
  )

function whole(
  request: Pick<LabRequest, 'query'>,
  name: string,
  otherwise: number,
  least: number,
  most: number,
): number {
  const value = Number(first(request.query, name) ?? otherwise)
  if (!Number.isInteger(value) || value < least || value > most) throw failure(400, `Invalid ${name}`)
  return value
}
