import { createHash } from 'node:crypto'
import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { createItemStore, type ItemStore } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'

/** Kinds that tests may change. Entries of a playlist are a kind of their own: `entries <id of the playlist>`. */
export const kinds = ['saved_tracks', 'saved_albums', 'playlists', 'plays'] as const

export interface ArtistFields {
  id: string
  name: string
}

export interface AlbumFields {
  id: string
  name: string
  artist: ArtistFields
}

export interface TrackFields {
  id: string
  name: string
  seconds: number
  album: AlbumFields
}

export interface SpotifyData {
  store: ItemStore
  tracks: readonly TrackFields[]
  artists: readonly ArtistFields[]
  followed(username: string): readonly ArtistFields[]
  top(username: string): readonly TrackFields[]
  nextId: () => string
}

const firstWords = ['Slow', 'Silver', 'Northern', 'Paper', 'Second', 'Blue', 'Salt', 'Midnight']
const lastWords = ['Trains', 'Harbour', 'Letters', 'Kitchens', 'Tides', 'Maps', 'Machines', 'Gardens']

export function createSpotifyData(parts: { people: Person[]; random: Random; nowMs: number }): SpotifyData {
  const { people, random, nowMs } = parts
  const store = createItemStore()
  let sequence = 0
  const nextId = () => base62(`spotify ${(sequence += 1)}`)
  const named = random.fork('names')
  const name = () => `${named.pick(firstWords)} ${named.pick(lastWords)}`
  const artists = Array.from({ length: 60 }, () => ({ id: nextId(), name: name() }))
  const albums = Array.from({ length: 90 }, () => ({ id: nextId(), name: name(), artist: named.pick(artists) }))
  const tracks = Array.from({ length: 400 }, () => ({
    id: nextId(),
    name: `${name()} ${named.int(1, 9)}`,
    seconds: named.int(90, 420),
    album: named.pick(albums),
  }))
  const taste = (username: string) => random.fork(`taste ${username}`)

  for (const person of people.filter(({ activity }) => activity > 0)) {
    const own = random.fork(person.username)
    const put = (kind: string, createdAtMs: number, fields: Record<string, unknown>) =>
      store.put(person.username, kind, { id: nextId(), createdAtMs, updatedAtMs: createdAtMs, fields })
    const savedTracks = own.some(tracks, Math.min(person.activity, 180))
    momentsBack(own, savedTracks.length, nowMs, 900).forEach((ms, at) =>
      put('saved_tracks', ms, { track: savedTracks[at] }),
    )
    const savedAlbums = own.some(albums, 25)
    momentsBack(own, savedAlbums.length, nowMs, 900).forEach((ms, at) =>
      put('saved_albums', ms, { album: savedAlbums[at] }),
    )
    for (const ms of momentsBack(own, 70, nowMs, 5)) put('plays', ms, { track: own.pick(tracks) })
    for (const [at, ms] of momentsBack(own, 8, nowMs, 1200).entries()) {
      const owner = at === 5 ? 'spotify' : at === 6 ? 'somebody' : person.id
      const { id } = put('playlists', ms, { name: name(), owner, collaborative: at === 7 })
      const entries = own.some(tracks, at === 0 ? 120 : own.int(1, 30))
      momentsBack(own, entries.length, nowMs, 300).forEach((added, n) =>
        put(`entries ${id}`, added, { track: entries[n], addedBy: person.id }),
      )
    }
  }
  return {
    store,
    tracks,
    artists,
    followed: (username) => taste(username).some(artists, isNew(people, username) ? 0 : 55),
    top: (username) => taste(username).some(tracks, isNew(people, username) ? 0 : 60),
    nextId,
  }
}

const isNew = (people: Person[], username: string) =>
  people.find((person) => person.username === username)?.activity === 0

const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** 22 digits, as the ids of the vendor have. */
export function base62(seed: string): string {
  return [...createHash('sha256').update(seed).digest().subarray(0, 22)].map((byte) => digits[byte % 62]).join('')
}
