import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { since } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { cursorPages } from '#kit/endpoints/pages.ts'
import { timeOf } from '#kit/read/kind.ts'
import { artist, play, playlist, playlistEntry, savedAlbum, savedTrack, topTrack, trackOf } from './kinds.ts'
import type {
  Artist,
  Person,
  Play,
  Playlist,
  PlaylistEntry,
  SavedAlbum,
  SavedTrack,
  StoredEntry,
  Track,
} from './shapes.ts'

interface Paged<Raw> {
  /** Playlists of a list may be null. */
  items?: (Raw | null)[]
  next?: string | null
  offset?: number
  limit?: number
}

const present = <Raw>(body: Paged<Raw>) => body.items?.filter((each) => each !== null && each !== undefined)
const PAGE = 50
/** By offsets: `next` only says that there is more, because it was an address below `/users/{id}`, which new apps may not call. */
const pages = cursorPages({
  param: 'offset',
  from: ({ next, offset, limit }: Paged<unknown>) =>
    typeof next === 'string' ? (offset ?? 0) + (limit ?? PAGE) : undefined,
  size: { param: 'limit', value: PAGE },
})

/**
 * The Web API as it is for new apps. Since November 2024 it has no recommendations, audio features and playlists made by Spotify;
 * since February 2026 the entries of a playlist are at `/items`, only for playlists that the person owns or works on, and the
 * record of the person has no e-mail address. Apps with extended quota get the older fields too.
 */
export const spotify = defineConnector({
  service: 'spotify',
  title: 'Spotify',
  docs: 'https://developer.spotify.com/documentation/web-api',
  category: 'music',
  callback: 'loopback_ip',
  conditions: [
    {
      says: 'The redirect address must be https, or http at 127.0.0.1 or [::1]; localhost is refused.',
      source: 'https://developer.spotify.com/documentation/web-api/concepts/redirect_uri',
      checked: '2026-11-19',
    },
    {
      says: 'A new app is in development mode: five people, each entered by e-mail address, and its owner needs Spotify Premium.',
      source: 'https://developer.spotify.com/documentation/web-api/concepts/quota-modes',
      checked: '2026-11-19',
    },
    {
      says: 'All apps of one developer in development mode share one quota of calls.',
      source: 'https://developer.spotify.com/blog/2026-07-23-web-api-quota-updates',
      checked: '2026-11-19',
    },
  ],
  auth: oauth2({
    noAppCheck: 'No call names the app of a token.',
    authorizeUrl: 'https://accounts.spotify.com/authorize',
    tokenUrl: 'https://accounts.spotify.com/api/token',
    tokenAuth: 'basic',
    scope: {
      default: [
        'user-read-private',
        'user-read-email',
        'user-library-read',
        'user-read-recently-played',
        'user-follow-read',
        'user-top-read',
        'playlist-read-private',
        'playlist-read-collaborative',
      ],
    },
    forceLogin: { parameters: { show_dialog: 'true' } },
  }),
  api: {
    baseUrl: 'https://api.spotify.com/v1',
    // Pages, also of lists inside a record, and the full record of a shortened one.
    links: ['**.next', '**.previous', '**.href'],
    // Counted over 30 seconds and for the whole app; the number is not published. A 429 names the wait.
    limits: { app: { calls: 90, perS: 30 } },
    recovery: ({ status, body }) => {
      const { message } = (body as { error?: { message?: unknown } } | null | undefined)?.error ?? {}
      return status === 403 && message === 'Insufficient client scope' ? 'not_granted' : undefined
    },
  },
  self: self<Person>('/me', (person) => ({
    id: person.id,
    name: person.display_name ?? undefined,
    email: person.email,
    url: person.external_urls?.spotify,
    photo: person.images?.[0]?.url,
  })),
  endpoints: {
    saved_tracks: endpoint<Paged<SavedTrack>, SavedTrack>({
      path: '/me/tracks',
      items: present,
      kind: savedTrack,
      types: ['tracks'],
      pages,
      every: '12h',
      class: 'personal',
      deletes: 'all',
      scope: ['user-library-read'],
    }),
    saved_albums: endpoint<Paged<SavedAlbum>, SavedAlbum>({
      path: '/me/albums',
      items: present,
      kind: savedAlbum,
      types: [],
      pages,
      every: '1d',
      class: 'personal',
      deletes: 'all',
      scope: ['user-library-read'],
    }),
    playlists: endpoint<Paged<Playlist>, Playlist>({
      path: '/me/playlists',
      items: present,
      kind: playlist,
      types: [],
      pages,
      every: '6h',
      class: 'personal',
      deletes: 'all',
      scope: ['playlist-read-private'],
    }),
    playlist_items: endpoint<Paged<PlaylistEntry>, StoredEntry, Playlist>({
      each: 'playlists',
      when: 'changed',
      version: ({ snapshot_id }) => snapshot_id,
      allEvery: '7d',
      // The service refuses those of others.
      where: ({ owner, collaborative }, person) => owner?.id === person.id || collaborative === true,
      path: '/playlists/{parent}/items',
      query: { additional_types: 'track,episode' },
      items: (body, from) =>
        present(body)
          ?.filter((entry) => trackOf(entry) !== null && trackOf(entry) !== undefined)
          .map((entry) => ({ ...entry, playlist: { id: from.parent.id, name: from.parent.record.name } })),
      kind: playlistEntry,
      types: ['tracks'],
      pages,
      every: '6h',
      class: 'personal',
      deletes: 'all',
      scope: ['playlist-read-private'],
    }),
    // The service has only the last 50, so that pages are of no use.
    recently_played: endpoint<Paged<Play>, Play>({
      path: '/me/player/recently-played',
      query: { limit: '50' },
      items: present,
      kind: play,
      types: ['tracks'],
      checkpoint: since<Play>({ param: 'after', value: ({ played_at }) => timeOf(played_at) }),
      every: '15m',
      class: 'personal',
      scope: ['user-read-recently-played'],
    }),
    followed_artists: endpoint<{ artists?: Paged<Artist> & { cursors?: { after?: string | null } } }, Artist>({
      path: '/me/following',
      query: { type: 'artist' },
      items: ({ artists }) => artists && present(artists),
      kind: artist,
      types: ['contacts'],
      pages: cursorPages({
        param: 'after',
        from: (body: { artists?: { cursors?: { after?: string | null } } }) => body.artists?.cursors?.after,
        size: { param: 'limit', value: 50 },
      }),
      every: '1d',
      class: 'social',
      deletes: 'all',
      scope: ['user-follow-read'],
    }),
    top_artists: endpoint<Paged<Artist>, Artist>({
      path: '/me/top/artists',
      query: { time_range: 'medium_term' },
      items: present,
      kind: artist,
      types: [],
      pages,
      every: '1d',
      class: 'personal',
      deletes: 'all',
      scope: ['user-top-read'],
    }),
    top_tracks: endpoint<Paged<Track>, Track>({
      path: '/me/top/tracks',
      query: { time_range: 'medium_term' },
      items: present,
      kind: topTrack,
      types: [],
      pages,
      every: '1d',
      class: 'personal',
      deletes: 'all',
      scope: ['user-top-read'],
    }),
  },
})
