import type { Person } from '../../base/people.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { type AlbumFields, type ArtistFields, base62, type SpotifyData, type TrackFields } from './data.ts'

export interface View {
  url: string
  data: SpotifyData
}

const linked = (kind: string, id: string) => ({
  external_urls: { spotify: `https://open.spotify.com/${kind}/${id}` },
  href: `https://api.spotify.com/v1/${kind}s/${id}`,
  type: kind,
  uri: `spotify:${kind}:${id}`,
})

const images = ({ url }: View, id: string) =>
  [640, 300, 64].map((side) => ({ url: `${url}/image/${side}-${id}`, width: side, height: side }))

export const presentArtist = (view: View, { id, name }: ArtistFields, detail = true) => ({
  id,
  name,
  ...linked('artist', id),
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
  ...linked('album', id),
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
  ...linked('track', id),
})

/** Seconds since 1970 as the vendor writes times of the library; plays have milliseconds. */
export const seconds = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`

export const entriesOf = ({ data }: View, { username }: Person, playlist: string): StoredItem[] =>
  data.store.list(username, `entries ${playlist}`).filter(isShown).toReversed()

export function presentPlaylist(view: View, person: Person, { id, fields }: StoredItem) {
  const { name, owner, collaborative } = fields as { name: string; owner: string; collaborative?: boolean }
  const entries = entriesOf(view, person, id)
  return {
    id,
    name,
    description: '',
    collaborative: collaborative === true,
    public: false,
    owner: { id: owner, display_name: owner === person.id ? person.name : owner, ...linked('user', owner) },
    snapshot_id: base62(`${name} ${entries.map((entry) => `${entry.id} ${entry.updatedAtMs}`).join()}`),
    images: entries.length === 0 ? null : images(view, id),
    // `tracks` until February 2026.
    items: { href: `${view.url}/v1/playlists/${id}/items`, total: entries.length },
    ...linked('playlist', id),
  }
}
