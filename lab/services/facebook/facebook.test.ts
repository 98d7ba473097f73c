import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { movableClock } from '../../base/clock.ts'
import { crossPosts } from '../../data/cross-posts.ts'
import { type Lab, startLab } from '../../lab.ts'
import { callback } from '../../testing/oauth2-client.ts'
import { type App, type GraphError, graph, type Listing, tokenOf, walk } from './testing.ts'

interface Post {
  id: string
  created_time: string
  updated_time?: string
  message?: string
  story?: string
  from?: { id: string; name: string }
  place?: { location: { latitude: number; longitude: number } }
  message_tags?: { offset: number; length: number; name: string }[]
  attachments?: Listing<{ media_type: string; unshimmed_url?: string; subattachments?: Listing<unknown> }>
  likes?: Listing<{ id: string }>
  comments?: Listing<{ from?: { id: string } }>
}

const now = Date.UTC(2026, 7, 1, 12)
const postFields =
  'id,created_time,updated_time,message,story,from,place,message_tags,permalink_url,attachments{media_type,unshimmed_url,subattachments{media}},likes.limit(3).summary(true),comments.limit(2){from,message}'
let lab: Lab<'facebook'>
let app: App
let token: string
let newcomer: string

before(async () => {
  lab = await startLab({ services: ['facebook'], clock: movableClock({ startMs: now, frozen: true }) })
  const service = lab.services.facebook
  app = { service, ...service.register({ redirectUris: [callback] }) }
  token = await tokenOf(app)
  newcomer = await tokenOf(app, undefined, 'finn')
})
after(() => lab.close())

const ids = (entries: { id: string }[]) => entries.map(({ id }) => id)

test('me: returns name and id by default and pictures in the requested size', async () => {
  const me = await graph<Record<string, unknown>>(app, '/me', token)
  assert.deepEqual(Object.keys(me), ['name', 'id'])
  const more = await graph<Record<string, never>>(
    app,
    '/me?fields=email,birthday,location,picture.width(320).height(320),first_name',
    token,
  )
  assert.equal(more['email'], 'ada@people.test')
  assert.equal((more['picture'] as unknown as { data: { width: number } }).data.width, 320)
  const wrong = await graph<GraphError>(app, '/me?fields=id,shoesize', token)
  assert.match(wrong.error.message, /^\(#100\) Tried accessing nonexisting field \(shoesize\) on node type \(User\)/)
  assert.equal((await graph<GraphError>(app, '/me?fields=id,posts{', token)).error.code, 2500)
})

test('posts and feed: every post once, newest first; an empty page in the middle and at the end', async () => {
  const { entries, sizes } = await walk<Post>(app, `/me/posts?limit=50&fields=${postFields}`, token)
  assert.ok(entries.length > 150, String(entries.length))
  assert.equal(new Set(ids(entries)).size, entries.length)
  const times = entries.map((entry) => Date.parse(entry.created_time))
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  )
  assert.ok(sizes.slice(0, -1).includes(0) && sizes.at(-1) === 0)
  assert.ok(entries.every(({ from }) => from?.id === app.service.people[0]?.id))
  const feed = (await walk<Post>(app, '/me/feed?limit=100&fields=from', token)).entries
  assert.ok(feed.length > entries.length && feed.some(({ from }) => from?.id !== app.service.people[0]?.id))
  assert.match(entries[0]?.created_time ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/)
})

test('posts vary: some lack a message, comments or the names of people', async () => {
  const { entries } = await walk<Post>(app, `/me/posts?limit=100&fields=${postFields}`, token)
  const count = (test: (post: Post) => unknown) => entries.filter((post) => Boolean(test(post))).length
  for (const [name, test] of Object.entries<(post: Post) => unknown>({
    wordless: (post) => post.message === undefined && post.story,
    edited: (post) => post.updated_time !== post.created_time,
    placed: (post) => post.place,
    albums: (post) => post.attachments?.data.some(({ subattachments }) => (subattachments?.data.length ?? 0) > 1),
    anonymous: (post) => post.comments?.data.some(({ from }) => from === undefined),
    'fewer likers named than counted': (post) =>
      (post.likes?.summary?.total_count ?? 0) > (post.likes?.data.length ?? 0),
    'without comments': (post) => post.comments === undefined,
  }))
    assert.ok(count(test) > 0, name)
  for (const post of entries)
    for (const { offset, length, name } of post.message_tags ?? [])
      assert.equal(post.message?.slice(offset, offset + length), name)
  const links = entries.flatMap((post) => post.attachments?.data.map((one) => one.unshimmed_url) ?? [])
  for (const { url } of crossPosts('ada', now)) assert.ok(links.includes(url), url)
})

test('since and until limit the list; previous returns the previous page; nested lists have their own links', async () => {
  const sinceSeconds = Math.floor(now / 1000) - 60 * 86_400
  const recent = (await walk<Post>(app, `/me/posts?limit=10&since=${sinceSeconds}`, token)).entries
  assert.ok(recent.length > 10 && recent.every((post) => Date.parse(post.created_time) >= sinceSeconds * 1000))
  const first = await graph<Listing<Post>>(app, '/me/posts?limit=5', token)
  const second = (await (await fetch(first.paging?.next ?? '')).json()) as Listing<Post>
  const back = (await (await fetch(second.paging?.previous ?? '')).json()) as Listing<Post>
  assert.deepEqual(ids(back.data), ids(first.data))
  assert.ok(first.paging?.next?.includes(`access_token=${token}`))
  const liked = (await walk<Post>(app, '/me/posts?limit=100&fields=likes.limit(1)', token)).entries.find(
    ({ likes }) => likes?.paging?.next,
  )
  const more = (await (await fetch(liked?.likes?.paging?.next ?? '')).json()) as Listing<{ id: string }>
  assert.notEqual(more.data[0]?.id, liked?.likes?.data[0]?.id)
})

test('photos, albums, videos, events, likes and friends', async () => {
  const uploaded = await walk<{ id: string }>(app, '/me/photos?type=uploaded&limit=40', token)
  assert.ok(uploaded.entries.length > 150 && new Set(ids(uploaded.entries)).size === uploaded.entries.length)
  assert.deepEqual((await walk(app, '/me/photos/uploaded?limit=100', token)).entries, uploaded.entries)
  const tagged = await walk<{ id: string; tags: Listing<{ id: string }> }>(app, '/me/photos?fields=tags', token)
  assert.ok(tagged.entries.every(({ tags }) => ids(tags.data).includes(app.service.people[0]?.id ?? '')))
  const { entries: albums } = await walk<{ id: string; count: number }>(app, '/me/albums?fields=count', token)
  assert.equal(albums.length, 5)
  const inAlbums = await Promise.all(
    albums.map(async ({ id, count }) => {
      const { entries } = await walk<{ id: string }>(app, `/${id}/photos?limit=20`, token)
      assert.equal(entries.length, count)
      return ids(entries)
    }),
  )
  assert.deepEqual(inAlbums.flat().sort(), ids(uploaded.entries).sort())
  const [photo] = (
    await graph<Listing<{ images: { source: string }[] }>>(app, '/me/photos?type=uploaded&fields=images', token)
  ).data
  assert.equal((await fetch(photo?.images[0]?.source ?? '')).headers.get('content-type'), 'image/svg+xml')
  for (const path of ['/me/videos', '/me/events', '/me/likes']) {
    const { entries } = await walk<{ id: string }>(app, `${path}?limit=10`, token)
    assert.ok(entries.length > 20 && new Set(ids(entries)).size === entries.length, path)
  }
  for (const field of ['about', 'category', 'website', 'location', 'picture']) {
    const { error } = await graph<{ error: { code: number; message: string } }>(
      app,
      `/me/likes?fields=name,${field}`,
      token,
    )
    assert.deepEqual([error.code, error.message.startsWith('(#10)')], [10, true], field)
  }
  const friends = await graph<Listing<{ id: string }>>(app, '/me/friends?limit=100', token)
  assert.equal(friends.summary?.total_count, 50)
  assert.ok(friends.data.length > 10 && friends.data.length < 50)
})

test('edits are visible; deleted items disappear from lists and are errors by id', async () => {
  const [one, two] = (await graph<Listing<Post>>(app, '/me/posts', token)).data
  lab.clock.advance(60_000)
  app.service.data.edit('ada', 'posts', one?.id ?? '', { message: 'edited ✎' })
  app.service.data.remove('ada', 'posts', two?.id ?? '')
  const added = app.service.data.add('ada', 'posts', { message: 'fresh' })
  const list = (await graph<Listing<Post>>(app, '/me/posts?fields=message,updated_time,created_time', token)).data
  assert.deepEqual([list[0]?.id, list[0]?.message], [added['id'], 'fresh'])
  assert.equal(list[1]?.message, 'edited ✎')
  assert.notEqual(list[1]?.updated_time, list[1]?.created_time)
  assert.ok(!ids(list).includes(two?.id ?? ''))
  const deleted = await graph<GraphError>(app, `/${two?.id}`, token)
  assert.deepEqual([deleted.error.code, deleted.error.error_subcode], [100, 33])
  const many = await graph<Record<string, Post>>(app, `/?ids=${one?.id},${String(added['id'])}&fields=message`, token)
  assert.equal(many[one?.id ?? '']?.message, 'edited ✎')
  assert.equal((await graph<GraphError>(app, `/?ids=${one?.id},${two?.id}`, token)).error.code, 803)
})

test('a cursor is invalid after its item is deleted', async () => {
  const page = await graph<Listing<{ id: string }>>(app, '/me/photos?type=uploaded&limit=3', token)
  app.service.data.remove('ada', 'photos', page.data[2]?.id ?? '')
  const next = (await (await fetch(page.paging?.next ?? '')).json()) as GraphError
  assert.equal(next.error.code, 100)
})

test('a new person has no items; versions, unknown paths, removed fields and invalid parameters', async () => {
  for (const path of ['posts', 'feed', 'photos', 'albums', 'videos', 'events', 'likes'])
    assert.deepEqual(await graph(app, `/me/${path}`, newcomer), { data: [] })
  const status = async (path: string) =>
    (await fetch(`${app.service.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status
  assert.deepEqual(await Promise.all(['/me', '/v21.0/me', '/v12.0/me', '/v99.0/me'].map(status)), [200, 200, 200, 400])
  assert.equal((await graph<GraphError>(app, '/me/home', token)).error.code, 2500)
  assert.equal((await graph<GraphError>(app, '/me/posts?fields=link', token)).error.code, 12)
  for (const query of ['limit=0', 'limit=x', 'since=soon'])
    assert.equal((await graph<GraphError>(app, `/me/posts?${query}`, token)).error.code, 100)
  assert.equal((await graph<GraphError>(app, '/me/photos?after=x', token)).error.code, 100)
  assert.equal((await graph<GraphError>(app, '/me/feed', token, 'POST')).error.error_subcode, 33)
})

test('refuses a list that is too long; a smaller page is not', async () => {
  app.service.configure({ maxListBytes: 3000 })
  const list = (limit: number) =>
    graph<GraphError>(app, `/me/posts?fields=id,message,permalink_url,comments&limit=${limit}`, token)
  const { error } = await list(100)
  assert.equal(error.code, 1)
  assert.match(error.message, /^Please reduce the amount of data/)
  assert.equal((await list(1)).error, undefined)
  app.service.configure({ maxListBytes: Number.MAX_SAFE_INTEGER })
})

test('reports usage in percent and the limit as error 4; supports If-None-Match', async () => {
  app.service.configure({ rateLimit: { limit: 4, windowSeconds: 3600 } })
  lab.clock.advance(3_600_000)
  const call = (headers: Record<string, string> = {}) =>
    fetch(`${app.service.endpoints['api_url']}/me`, { headers: { authorization: `Bearer ${token}`, ...headers } })
  const first = await call()
  assert.deepEqual(JSON.parse(first.headers.get('x-app-usage') ?? ''), {
    call_count: 25,
    total_time: 13,
    total_cputime: 9,
  })
  assert.equal((await call({ 'if-none-match': first.headers.get('etag') ?? '' })).status, 304)
  await call()
  await call()
  const refused = await call()
  const { error } = (await refused.json()) as GraphError & { error: { is_transient: boolean } }
  assert.deepEqual([refused.status, error.code, error.is_transient], [403, 4, true])
  assert.equal(refused.headers.get('retry-after'), null)
})
