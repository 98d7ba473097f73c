import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import { spotify } from './connector.ts'

const { playlist_items: entries, followed_artists: artists, recently_played: plays } = spotify.endpoints

const track = {
  id: '11dFghVXANMlKmJXsNCbNl',
  uri: 'spotify:track:11dFghVXANMlKmJXsNCbNl',
  name: 'Cut To The Feeling',
  artists: [{ id: '6sFIWsNpZYqfjUpaCgueju', name: 'Carly Rae Jepsen' }],
  album: {
    id: '0tGPJ0bkWOUmH7MEOR77qc',
    name: 'Cut To The Feeling',
    images: [{ url: 'https://i.scdn.co/image/a', width: 640 }],
  },
  duration_ms: 207_959,
  external_urls: { spotify: 'https://open.spotify.com/track/11dFghVXANMlKmJXsNCbNl' },
}
const parent = { id: 'p1', record: { id: 'p1', name: 'Running', owner: { id: 'ada' }, snapshot_id: 'one' } }
const from = { parent, parents: [parent] }

suite('spotify', () => {
  test('entries of a playlist name it, in the new and in the older form; those that are gone are left out', () => {
    const added_at = '2026-05-01T10:00:00Z'
    const body = { items: [{ added_at, item: track }, { added_at, track }, { added_at, item: null }, null] }
    const records = entries?.items(body, from) ?? []
    assert.equal(records.length, 2)
    const read = itemReader(spotify, 'playlist_items', entries!, 'ada')
    for (const record of records) {
      const draft = read(record)
      assert.equal(draft.nativeId, `p1 ${track.uri} ${added_at}`)
      assert.deepEqual(draft.types, ['tracks'])
      assert.equal(draft.at, Date.UTC(2026, 4, 1, 10))
      const { title, artist, album, seconds } = mapOf(entries!, record, 'ada')
      assert.deepEqual([title, artist, album, seconds], [track.name, 'Carly Rae Jepsen', track.album.name, 208])
    }
    assert.equal(entries?.items({ error: { status: 500 } }, from), undefined)
  })

  test('only the playlists of the person and those they work on are read, by their snapshot', () => {
    const { where, version, when } = entries!.children!
    const person = { id: 'ada' }
    assert.equal(where?.(parent.record, person), true)
    assert.equal(where?.({ ...parent.record, owner: { id: 'spotify' } }, person), false)
    assert.equal(where?.({ ...parent.record, owner: { id: 'ben' }, collaborative: true }, person), true)
    assert.deepEqual([when, version?.(parent.record)], ['changed', 'one'])
  })

  test('plays continue after the newest, and the same track may be played twice', () => {
    const two = ['2026-05-01T10:00:00.123Z', '2026-05-01T10:05:00.456Z'].map((played_at) => ({ played_at, track }))
    const watermark = plays!.checkpoint!.advance({ items: two, body: {} }, undefined)
    assert.deepEqual(plays!.checkpoint!.query(watermark!), { after: String(Date.parse('2026-05-01T10:05:00.456Z')) })
    assert.equal(new Set(two.map((each) => plays!.kind.id(each))).size, 2)
  })

  test('lists are paged by offsets, not by an address that new apps may not call', () => {
    const { pages } = spotify.endpoints['playlists']!
    const first = pages.first({ method: 'GET', path: '/me/playlists', query: {} })
    const next = 'https://api.spotify.com/v1/users/ada/playlists?offset=50&limit=50'
    const second = pages.next({
      request: first,
      body: { items: [null], next, offset: 0, limit: 50 },
      headers: {},
      count: 0,
    })
    assert.deepEqual([second?.path, second?.query], ['/me/playlists', { limit: '50', offset: '50' }])
    const last = { items: [], next: null, offset: 50, limit: 50 }
    assert.equal(pages.next({ request: second!, body: last, headers: {}, count: 0 }), undefined)
  })

  test('followed artists are paged by a cursor within their list', () => {
    const request = artists!.pages.first({ method: 'GET', path: '/me/following', query: { type: 'artist' } })
    const next = (after: string | null) =>
      artists!.pages.next({ request, body: { artists: { items: [], cursors: { after } } }, headers: {}, count: 0 })
    assert.deepEqual(next('x')?.query, { type: 'artist', limit: '50', after: 'x' })
    assert.equal(next(null), undefined)
  })
})
