import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { movableClock } from '../../base/clock.ts'
import type { LabService } from '../../base/service.ts'
import { type Lab, startLab } from '../../lab.ts'
import { apiCall, callback, tokensFor } from '../../testing/oauth2-client.ts'

interface Entry {
  id: string
  created_at: string
  edited_at: string | null
  author: { id: string }
  deleted?: boolean
  place?: { lat: number }
  images?: { url: string }[]
  likes: { count: number; people: unknown[] }
}
interface Listing {
  data: Entry[]
  paging: { next_cursor: string | null; next: string | null }
}

const scope = 'profile posts.read posts.write photos.read friends.read feed.read'
let lab: Lab<'demo-social'>
let service: LabService
let token: string
let newcomer: string

before(async () => {
  lab = await startLab({ services: ['demo-social'], clock: movableClock({ startMs: Date.UTC(2026, 5, 1) }) })
  service = lab.services['demo-social']
  const flow = { service, ...service.register({ redirectUris: [callback] }) }
  token = (await tokensFor(flow, { scope })).access_token
  newcomer = (await tokensFor(flow, { scope }, 'finn')).access_token
})
after(() => lab.close())

const read = async (path: string, by = token) => (await (await apiCall(service, path, by)).json()) as Listing

async function walk(path: string): Promise<{ entries: Entry[]; sizes: number[] }> {
  const entries: Entry[] = []
  const sizes: number[] = []
  for (let next: string | null = `${path}?limit=50`; next !== null; ) {
    const page: Listing = await read(next)
    entries.push(...page.data)
    sizes.push(page.data.length)
    next = page.paging.next?.slice(service.url.length) ?? null
  }
  return { entries, sizes }
}

test('posts: newest first, no repeats, one empty page with a next cursor', async () => {
  const { entries, sizes } = await walk('/api/me/posts')
  assert.ok(entries.length > 150)
  assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length)
  const times = entries.map((entry) => Date.parse(entry.created_at))
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  )
  assert.ok(sizes.slice(0, -1).includes(0))
  assert.ok(entries.some((entry) => entry.edited_at !== null) && entries.some((entry) => entry.place))
  assert.ok(entries.every((entry) => entry.likes.people.length === entry.likes.count))
})

test('photos have working image URLs; friends and feed contain other people', async () => {
  const { entries } = await walk('/api/me/photos')
  assert.ok(entries.length > 100)
  const picture = await fetch(entries[0]?.images?.[0]?.url ?? '')
  assert.equal(picture.headers.get('content-type'), 'image/svg+xml')
  assert.equal((await walk('/api/me/friends')).entries.length, 45)
  const feed = (await walk('/api/me/feed')).entries
  assert.ok(feed.length > 300 && feed.every(({ author }) => author.id !== service.people[0]?.id))
})

test('a new item does not shift the pages', async () => {
  const first = await read('/api/me/photos?limit=10')
  const expected = await read(`/api/me/photos?limit=10&cursor=${first.paging.next_cursor}`)
  lab.clock.advance(1000)
  service.data.add('ada', 'photos', { caption: 'new', width: 10, height: 10, hue: 1, likes: { count: 0, people: [] } })
  assert.deepEqual(await read(`/api/me/photos?limit=10&cursor=${first.paging.next_cursor}`), expected)
})

test('updated_since returns edits, and deletions as tombstones', async () => {
  const [one, two] = (await read('/api/me/posts')).data
  lab.clock.advance(1000)
  const since = new Date(lab.clock.now()).toISOString()
  service.data.edit('ada', 'posts', one?.id ?? '', { text: 'edited' })
  service.data.remove('ada', 'posts', two?.id ?? '')
  const changes = (await read(`/api/me/posts?updated_since=${since}`)).data
  const deletedById = Object.fromEntries(changes.map(({ id, deleted }) => [id, deleted ?? false]))
  assert.deepEqual(deletedById, { [one?.id ?? '']: false, [two?.id ?? '']: true })
  assert.equal((await apiCall(service, `/api/posts/${two?.id}`, token)).status, 404)
})

test('creates and deletes own posts; another person’s post cannot be deleted', async () => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const made = await fetch(`${service.url}/api/me/posts`, { method: 'POST', headers, body: '{"text":"hi"}' })
  assert.equal(made.status, 201)
  const { id } = (await made.json()) as { id: string }
  const remove = (by: string) =>
    fetch(`${service.url}/api/posts/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${by}` } })
  assert.equal((await remove(newcomer)).status, 404)
  assert.equal((await remove(token)).status, 204)
})

test('a new person has no items; invalid parameters are rejected', async () => {
  for (const path of ['posts', 'photos', 'friends', 'feed'])
    assert.deepEqual(await read(`/api/me/${path}`, newcomer), { data: [], paging: { next_cursor: null, next: null } })
  for (const query of ['limit=0', 'limit=51', 'limit=x', 'cursor=x', 'updated_since=x'])
    assert.equal((await apiCall(service, `/api/me/posts?${query}`, token)).status, 400)
})

test('the same seed and clock generate the same data, another seed different data', async () => {
  const firstPost = async (seed: number) => {
    const own = await startLab({
      services: ['demo-social'],
      seed,
      clock: movableClock({ startMs: Date.UTC(2026, 0, 1), frozen: true }),
    })
    const own1 = own.services['demo-social']
    const flow = { service: own1, ...own1.register({ redirectUris: [callback] }) }
    const { access_token } = await tokensFor(flow, { scope })
    const body = await (await apiCall(own1, '/api/me/posts', access_token)).text()
    await own.close()
    return body.replaceAll(own1.url, '')
  }
  const one = await firstPost(7)
  assert.equal(await firstPost(7), one)
  assert.notEqual(await firstPost(8), one)
})
