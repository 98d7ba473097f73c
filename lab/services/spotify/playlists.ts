import type { Person } from '../../base/people.ts'
import { json, type Reply } from '../../base/reply.ts'
import { jsonOf } from '../../base/request.ts'
import type { Handler, Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { type ApiParts, failure, pageOf, spotifyEndpoint } from './api.ts'
import type { TrackFields } from './data.ts'
import { entriesName, entriesOf, type PlaylistFields, presentEntry, presentPlaylist } from './present.ts'

const created = (value: unknown): Reply => json(201, value)
const empty = (): Reply => ({ status: 200, headers: {}, body: '' })
const READ = 'playlist-read-private'

/** Playlists and their entries. What apps with extended quota find at `/tracks`, others find at `/items`. */
export function playlistRoutes(parts: ApiParts): Routes {
  const { context, data, quota } = parts
  const { store } = data
  const endpoint = spotifyEndpoint(parts)
  const view = () => ({ url: context.url(), data, ...quota })

  const found = (person: Person, id: string | undefined): StoredItem<PlaylistFields> => {
    const playlist = store.list(person.username, 'playlists').find((one) => one.id === id && isShown(one))
    if (playlist === undefined || playlist.fields['owner'] === 'spotify') throw failure(404, 'Resource not found')
    return playlist as StoredItem<PlaylistFields>
  }
  const worksOn = (person: Person, { fields }: StoredItem<PlaylistFields>) =>
    fields.owner === person.id || fields.collaborative === true
  /** A playlist whose entries the person may change. */
  const changeable = (person: Person, id: string | undefined, scopes: readonly string[]) => {
    const playlist = found(person, id)
    if (!worksOn(person, playlist)) throw failure(403, 'Forbidden')
    requireScope(scopes, playlist.fields.isPublic)
    return playlist
  }
  const snapshot = (person: Person, playlist: StoredItem) => ({
    snapshot_id: presentPlaylist(view(), person, playlist).snapshot_id,
  })
  /** Numbers the entries in this order. */
  const arrange = (person: Person, id: string, entries: readonly StoredItem[]) => {
    for (const [place, entry] of entries.entries())
      if (entry.fields['place'] !== place)
        store.edit(person.username, `entries ${id}`, entry.id, { place }, context.clock.now())
  }
  const add = (person: Person, id: string, uris: unknown): StoredItem[] => {
    const tracks = tracksOf(data.tracks, uris)
    const atMs = context.clock.now()
    return tracks.map((track) => {
      const fields = { track, addedBy: person.id }
      return store.put(person.username, `entries ${id}`, {
        id: data.nextId(),
        createdAtMs: atMs,
        updatedAtMs: atMs,
        fields,
      })
    })
  }
  const remove = (person: Person, id: string, entries: readonly StoredItem[]) => {
    for (const entry of entries) store.remove(person.username, `entries ${id}`, entry.id, context.clock.now())
  }

  const create = endpoint(
    undefined,
    ({ person, request, params, scopes }) => {
      if (params['id'] !== undefined && params['id'] !== person.id)
        throw failure(403, 'You cannot create a playlist for another user')
      const { name, description, public: isPublic = true, collaborative = false } = jsonOf(request)
      if (typeof name !== 'string' || name === '') throw failure(400, 'Missing required field: name')
      if (collaborative === true && isPublic !== false)
        throw failure(400, 'Collaborative playlists can only be private')
      requireScope(scopes, isPublic !== false)
      const atMs = context.clock.now()
      const fields = { name, description, owner: person.id, collaborative, isPublic: isPublic !== false }
      const item = { id: data.nextId(), createdAtMs: atMs, updatedAtMs: atMs, fields }
      return whole(person, store.put(person.username, 'playlists', item))
    },
    created,
  )

  /** With its first entries. */
  const whole = (person: Person, playlist: StoredItem) => {
    const name = entriesName(view())
    const shown = presentPlaylist(view(), person, playlist)
    const entries = entriesOf(view(), person, playlist.id)
    const first: Parameters<typeof pageOf>[1] = {
      path: `/v1/playlists/${playlist.id}/${name}`,
      query: [['limit', '50']],
    }
    const page = pageOf(context.url(), first, entries, (entry) =>
      presentEntry(view(), entry, quota.quota === 'extended' ? 'track' : 'item'),
    )
    return { ...shown, followers: { href: null, total: 0 }, primary_color: null, [name]: page }
  }

  const items = (kind: 'items' | 'tracks'): Record<string, Handler> => {
    const name = kind === 'tracks' ? 'track' : 'item'
    return {
      GET: endpoint(READ, ({ person, request, params: { id } }) => {
        const playlist = found(person, id)
        if (kind === 'items' && !worksOn(person, playlist)) throw failure(403, 'Forbidden')
        return pageOf(context.url(), request, entriesOf(view(), person, playlist.id), (entry) =>
          presentEntry(view(), entry, name),
        )
      }),
      POST: endpoint(
        undefined,
        ({ person, request, params, scopes }) => {
          const playlist = changeable(person, params['id'], scopes)
          const { uris, position } = jsonOf(request)
          const before = entriesOf(view(), person, playlist.id)
          const at = placeOf(position ?? before.length, before.length)
          arrange(person, playlist.id, before.toSpliced(at, 0, ...add(person, playlist.id, uris)))
          return snapshot(person, playlist)
        },
        created,
      ),
      PUT: endpoint(undefined, ({ person, request, params, scopes }) => {
        const playlist = changeable(person, params['id'], scopes)
        const { uris, range_start, insert_before, range_length = 1 } = jsonOf(request)
        const before = entriesOf(view(), person, playlist.id)
        if (uris === undefined) {
          const from = placeOf(range_start, before.length - 1)
          const [to, length] = [placeOf(insert_before, before.length), Number(range_length)]
          const moved = before.slice(from, from + length)
          const rest = before.toSpliced(from, length)
          arrange(person, playlist.id, rest.toSpliced(to > from ? Math.max(from, to - length) : to, 0, ...moved))
        } else {
          const added = add(person, playlist.id, uris)
          remove(person, playlist.id, before)
          arrange(person, playlist.id, added)
        }
        return snapshot(person, playlist)
      }),
      DELETE: endpoint(undefined, ({ person, request, params, scopes }) => {
        const playlist = changeable(person, params['id'], scopes)
        const given = jsonOf(request)[kind]
        if (!Array.isArray(given)) throw failure(400, `Missing required field: ${kind}`)
        const gone = new Set((given as { uri?: string }[]).map(({ uri }) => uri))
        const isGone = ({ fields }: StoredItem) => gone.has(`spotify:track:${(fields['track'] as TrackFields).id}`)
        remove(person, playlist.id, entriesOf(view(), person, playlist.id).filter(isGone))
        return snapshot(person, playlist)
      }),
    }
  }
  const onlyExtended =
    (handler: Handler): Handler =>
    (request, params) => {
      if (quota.quota === 'development') throw failure(403, 'Forbidden')
      return handler(request, params)
    }

  return {
    'GET /v1/playlists/:id': endpoint(READ, ({ person, params: { id } }) => whole(person, found(person, id))),
    'PUT /v1/playlists/:id': endpoint(
      undefined,
      ({ person, request, params: { id }, scopes }) => {
        const playlist = found(person, id)
        if (playlist.fields.owner !== person.id) throw failure(403, 'Forbidden')
        requireScope(scopes, playlist.fields.isPublic)
        const { name, description, collaborative, public: isPublic } = jsonOf(request)
        const given = Object.entries({ name, description, collaborative, isPublic })
        const changes = Object.fromEntries(given.filter(([, value]) => value !== undefined))
        store.edit(person.username, 'playlists', playlist.id, changes, context.clock.now())
      },
      empty,
    ),
    'POST /v1/me/playlists': create,
    'POST /v1/users/:id/playlists': onlyExtended(create),
    ...Object.fromEntries(
      Object.entries(items('items')).map(([method, handler]) => [`${method} /v1/playlists/:id/items`, handler]),
    ),
    ...Object.fromEntries(
      Object.entries(items('tracks')).map(([method, handler]) => [
        `${method} /v1/playlists/:id/tracks`,
        onlyExtended(handler),
      ]),
    ),
  }
}

function requireScope(scopes: readonly string[], isPublic: boolean | undefined): void {
  if (!scopes.includes(isPublic === true ? 'playlist-modify-public' : 'playlist-modify-private'))
    throw failure(403, 'Insufficient client scope')
}

function placeOf(value: unknown, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most)
    throw failure(400, 'Index out of bounds')
  return value
}

function tracksOf(tracks: readonly TrackFields[], uris: unknown): TrackFields[] {
  if (!Array.isArray(uris)) throw failure(400, 'No uris provided')
  if (uris.length > 100) throw failure(400, 'You can add a maximum of 100 tracks per request.')
  return uris.map((uri) => {
    const track = tracks.find(({ id }) => uri === `spotify:track:${id}`)
    if (track === undefined) throw failure(400, 'Payload contains a non-existing ID')
    return track
  })
}
