import { kind, timeOf } from '#kit/read/kind.ts'
import type { Album, Artist, Image, Play, Playlist, SavedAlbum, SavedTrack, StoredEntry, Track } from './shapes.ts'

const names = (artists: Artist[] | null | undefined) =>
  artists
    ?.flatMap((artist) => artist?.name ?? [])
    .filter((name) => name !== '')
    .join(', ')
const largest = (images: Image[] | null | undefined) => images?.[0]?.url
const secondsOf = (track: Track | null | undefined) =>
  typeof track?.duration_ms === 'number' ? Math.round(track.duration_ms / 1000) : undefined

/** The readers of what is the same for every record with a track. */
function trackMap<Raw>(trackOf: (raw: Raw) => Track | null | undefined) {
  return {
    title: (raw: Raw) => trackOf(raw)?.name,
    artist: (raw: Raw) => names(trackOf(raw)?.artists),
    album: (raw: Raw) => trackOf(raw)?.album?.name ?? trackOf(raw)?.show?.name,
    seconds: (raw: Raw) => secondsOf(trackOf(raw)),
    url: (raw: Raw) => trackOf(raw)?.external_urls?.spotify,
    image: (raw: Raw) => largest(trackOf(raw)?.album?.images ?? trackOf(raw)?.show?.images),
  }
}

export const savedTrack = kind<SavedTrack>({
  name: 'saved_track',
  id: ({ track }) => track.uri ?? track.id ?? '',
  at: ({ added_at }) => timeOf(added_at),
  map: trackMap<SavedTrack>(({ track }) => track),
})

export const play = kind<Play>({
  name: 'play',
  // The same track may be played again.
  id: ({ played_at, track }) => (track.uri ? `${played_at} ${track.uri}` : ''),
  at: ({ played_at }) => timeOf(played_at),
  map: trackMap<Play>(({ track }) => track),
})

export const trackOf = ({ item, track }: Pick<StoredEntry, 'item' | 'track'>) => item ?? track

export const playlistEntry = kind<StoredEntry>({
  name: 'playlist_item',
  // The position changes when entries are moved. A track that was added twice at once is one item.
  id: (entry) => {
    const uri = trackOf(entry)?.uri
    return uri ? [entry.playlist.id, uri, entry.added_at ?? ''].join(' ') : ''
  },
  at: ({ added_at }) => timeOf(added_at),
  map: trackMap<StoredEntry>(trackOf),
})

const albumMap = {
  title: (album: Album | undefined) => album?.name,
  artist: (album: Album | undefined) => names(album?.artists),
  url: (album: Album | undefined) => album?.external_urls?.spotify,
  image: (album: Album | undefined) => largest(album?.images),
}

export const savedAlbum = kind<SavedAlbum>({
  name: 'saved_album',
  id: ({ album }) => album.id,
  at: ({ added_at }) => timeOf(added_at),
  map: {
    title: ({ album }) => albumMap.title(album),
    artist: ({ album }) => albumMap.artist(album),
    url: ({ album }) => albumMap.url(album),
    image: ({ album }) => albumMap.image(album),
  },
})

export const playlist = kind<Playlist>({
  name: 'playlist',
  id: ({ id }) => id,
  map: {
    title: ({ name }) => name,
    text: ({ description }) => description,
    url: ({ external_urls }) => external_urls?.spotify,
    image: ({ images }) => largest(images),
  },
})

export const artist = kind<Artist>({
  name: 'artist',
  id: ({ id }) => id,
  map: {
    name: ({ name }) => name,
    url: ({ external_urls }) => external_urls?.spotify,
    photo: ({ images }) => largest(images),
  },
})

export const topTrack = kind<Track>({
  name: 'track',
  id: ({ id, uri }) => uri ?? id ?? '',
  map: trackMap<Track>((track) => track),
})
