export interface Image {
  url?: string
  width?: number | null
}

interface Links {
  spotify?: string
}

export interface Artist {
  id: string
  name?: string
  uri?: string
  genres?: string[]
  images?: Image[]
  external_urls?: Links
}

export interface Album {
  id: string
  name?: string
  uri?: string
  artists?: Artist[]
  images?: Image[]
  external_urls?: Links
}

/** A track, or an episode of a show, which has a show instead of album and artists. */
export interface Track {
  /** Null for a file of the person's own computer. */
  id: string | null
  uri?: string
  name?: string
  type?: string
  artists?: Artist[]
  album?: Album
  show?: { name?: string; images?: Image[] }
  duration_ms?: number
  external_urls?: Links
}

export interface Playlist {
  id: string
  name?: string
  description?: string | null
  owner?: { id: string; display_name?: string | null }
  collaborative?: boolean
  /** Changes with every change of its entries. */
  snapshot_id?: string
  images?: Image[] | null
  external_urls?: Links
}

export interface SavedTrack {
  added_at?: string
  track: Track
}

export interface SavedAlbum {
  added_at?: string
  album: Album
}

/** `item` since February 2026; apps with extended quota may still get `track`. Null when it is not available any more. */
export interface PlaylistEntry {
  added_at?: string | null
  added_by?: { id?: string } | null
  is_local?: boolean
  item?: Track | null
  track?: Track | null
}

/** An entry as stored: with what is needed of its playlist. */
export interface StoredEntry extends PlaylistEntry {
  playlist: { id: string; name?: string | undefined }
}

export interface Play {
  played_at: string
  track: Track
}

export interface Person {
  id: string
  display_name?: string | null
  /** Not for apps in development mode since February 2026. */
  email?: string
  images?: Image[]
  external_urls?: Links
}
