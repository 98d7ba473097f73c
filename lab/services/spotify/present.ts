import type { Person } from '../../base/people.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { type AlbumFields, type ArtistFields, base62, type SpotifyData, type TrackFields } from './data.ts'

export type Quota = 'development' | 'extended'

export interface View {
  url: string
  data: SpotifyData
  quota: Quota
}

const linked = ({ url }: View, kind: string, id: string) => ({
  external_urls: { spotify: `https://open.spotify.com/${kind}/${id}` },
  href: `${url}/v1/${kind}s/${id}`,
  type: kind,
  uri: `spotify:${kind}:${id}`,
})

const images = ({ url }: View, id: string) =>
  [640, 300, 64].map((side) => ({ url: `${url}/image/${side}-${id}`, width: side, height: side }))

export const presentArtist = (view: View, { id, name }: ArtistFields, detail = true) => ({
  id,
  name,
  ...linked(view, 'artist', id),
  ...(detail ? { genres: ['indie'], images: images(view, id) } : {}),
})

export const presentAlbum = (view: View, { id, name, artist }: AlbumFields) => ({
  id,
  name,
  album_type: 'album',
  total_tracks: 12,
  release_date: '2019-05-03',
  release_date_precision: 'day',
  artists: [presentArtist(view, artist, false)],
  images: images(view, id),
  ...linked(view, 'album', id),
})

export const presentTrack = (view: View, { id, name, seconds, album }: TrackFields) => ({
  id,
  name,
  artists: [presentArtist(view, album.artist, false)],
  album: presentAlbum(view, album),
  duration_ms: seconds * 1000 + 321,
  explicit: false,
  is_local: false,
  disc_number: 1,
  track_number: 1,
  ...linked(view, 'track', id),
})

/** Seconds since 1970 as the vendor writes times of the library; plays have milliseconds. */
export const seconds = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** In the order of the playlist: where nothing was moved, that in which they were added. */
export function entriesOf({ data }: Pick<View, 'data'>, { username }: Person, playlist: string): StoredItem[] {
  const place = ({ fields }: StoredItem) => Number(fields['place'] ?? Infinity)
  const all = data.store.list(username, `entries ${playlist}`).filter(isShown).toReversed()
  return all.some(({ fields }) => fields['place'] !== undefined)
    ? all.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)))
    : all
}

export function presentEntry(view: View, { createdAtMs, fields }: StoredItem, name: 'item' | 'track') {
  const addedBy = String(fields['addedBy'])
  const { external_urls, href, type, uri } = linked(view, 'user', addedBy)
  return {
    added_at: seconds(createdAtMs),
    added_by: { external_urls, href, id: addedBy, type, uri },
    is_local: false,
    [name]: fields['track'] === null ? null : presentTrack(view, fields['track'] as TrackFields),
  }
}

export const entriesName = ({ quota }: Pick<View, 'quota'>) => (quota === 'extended' ? 'tracks' : 'items')

const snapshotOf = (name: string, entries: readonly StoredItem[]): string =>
  base62(`${name} ${entries.map((entry) => `${entry.id} ${entry.updatedAtMs}`).join()}`)

export interface PlaylistFields extends Record<string, unknown> {
  name: string
  owner: string
  collaborative?: boolean
  description?: string
  isPublic?: boolean
}

export function presentPlaylist(view: View, person: Person, { id, fields }: StoredItem) {
  const { name, owner, collaborative, description, isPublic } = fields as PlaylistFields
  const entries = entriesOf(view, person, id)
  return {
    id,
    name,
    description: description ?? '',
    collaborative: collaborative === true,
    public: isPublic === true,
    owner: { id: owner, display_name: owner === person.id ? person.name : owner, ...linked(view, 'user', owner) },
    snapshot_id: snapshotOf(name, entries),
    images: entries.length === 0 ? null : images(view, id),
    // `tracks` until February 2026.
    [entriesName(view)]: { href: `${view.url}/v1/playlists/${id}/${entriesName(view)}`, total: entries.length },
    ...linked(view, 'playlist', id),
  }
}
