import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { movableClock } from '../../base/clock.ts'
import { crossPosts } from '../../data/cross-posts.ts'
import { type Lab, startLab } from '../../lab.ts'
import { callback } from '../../testing/oauth2-client.ts'
import { type App, type GraphError, graph, type Listing, walk } from '../facebook/testing.ts'
import { bothScopes, tokenOf } from './testing.ts'

interface Media {
  id: string
  timestamp: string
  caption?: string
  media_type: string
  media_url?: string
  permalink: string
  like_count?: number
  comments_count: number
  children?: Listing<{ id: string; media_type: string }>
  comments?: Listing<{ id: string; from: { username: string }; replies?: Listing<{ parent_id: string }> }>
}

const now = Date.UTC(2026, 7, 1, 12)
const fields =
  'id,caption,media_type,media_product_type,media_url,thumbnail_url,permalink,timestamp,username,like_count,comments_count,alt_text,children{id,media_type,media_url},comments.limit(50){id,text,from,timestamp,like_count,replies{parent_id,text,from}}'
let lab: Lab<'instagram'>
let app: App
let token: string

before(async () => {
  lab = await startLab({ services: ['instagram'], clock: movableClock({ startMs: now, frozen: true }) })
  const service = lab.services.instagram
  app = { service, ...service.register({ redirectUris: [callback] }) }
  token = await tokenOf(app)
})
after(() => lab.close())

test('me: returns only the id by default', async () => {
  const id = app.service.people[0]?.id
  assert.deepEqual(await graph(app, '/me', token), { id })
  const me = await graph<Record<string, unknown>>(
    app,
    '/me?fields=user_id,username,name,account_type,media_count',
    token,
  )
  assert.deepEqual([me['user_id'], me['username'], me['account_type']], [id, 'ada', 'MEDIA_CREATOR'])
  const { entries } = await walk(app, '/me/media?limit=100', token)
  assert.equal(me['media_count'], entries.length)
  assert.equal((await graph<GraphError>(app, '/me?fields=email', token)).error.code, 100)
})

test('media: every item once, newest first, with varying fields', async () => {
  const { entries } = await walk<Media>(app, `/me/media?limit=30&fields=${fields}`, token)
  assert.ok(entries.length > 200)
  assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length)
  const times = entries.map(({ timestamp }) => Date.parse(timestamp))
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  )
  const has = (test: (media: Media) => unknown) => entries.some((media) => Boolean(test(media)))
  assert.ok(has(({ caption }) => caption === undefined) && has(({ like_count: likes }) => likes === undefined))
  assert.ok(has(({ media_type: type, media_url: url }) => type === 'VIDEO' && url === undefined))
  for (const media of entries)
    assert.equal(media.media_type === 'CAROUSEL_ALBUM', (media.children?.data.length ?? 0) > 1, media.id)
  for (const { comments, comments_count: count } of entries) {
    const list = comments?.data ?? []
    assert.equal(list.length + list.flatMap(({ replies }) => replies?.data ?? []).length, count)
    for (const { id, replies } of list) for (const reply of replies?.data ?? []) assert.equal(reply.parent_id, id)
  }
  const links = entries.map(({ permalink }) => permalink)
  for (const { origin, url } of crossPosts('ada', now)) assert.equal(links.includes(url), origin === 'instagram')
})

test('since and until limit the list; a next link works by itself', async () => {
  const since = Math.floor(now / 1000) - 30 * 86_400
  const { entries } = await walk<Media>(app, `/me/media?since=${since}&fields=timestamp`, token)
  assert.ok(entries.length > 5 && entries.every(({ timestamp }) => Date.parse(timestamp) >= since * 1000))
  const page = await graph<Listing<Media>>(app, '/me/media?limit=2', token)
  assert.deepEqual(Object.keys(page.paging ?? {}), ['cursors', 'next'])
  assert.equal((await fetch(page.paging?.next ?? '')).status, 200)
})

test('stories last a day; tagged media belong to other people', async () => {
  assert.equal((await walk(app, '/me/stories', token)).entries.length, 6)
  lab.clock.advance(8 * 3_600_000)
  const fresh = await tokenOf(app)
  assert.equal((await walk(app, '/me/stories', fresh)).entries.length, 4)
  const tags = await walk<{ id: string; username: string; caption: string }>(
    app,
    '/me/tags?fields=username,caption',
    fresh,
  )
  assert.ok(tags.entries.length > 20)
  assert.ok(tags.entries.every(({ username, caption }) => username !== 'ada' && caption.includes('@ada')))
  token = fresh
})

test('edits and deletions; single comments; unknown ids', async () => {
  const [one, two] = (await graph<Listing<Media>>(app, '/me/media', token)).data
  app.service.data.edit('ada', 'media', one?.id ?? '', { caption: 'edited' })
  app.service.data.remove('ada', 'media', two?.id ?? '')
  const added = app.service.data.add('ada', 'media', { caption: 'new' })
  const list = (await graph<Listing<Media>>(app, '/me/media?fields=caption', token)).data
  assert.deepEqual(
    list.slice(0, 2).map(({ id, caption }) => [id, caption]),
    [
      [added['id'], 'new'],
      [one?.id, 'edited'],
    ],
  )
  assert.equal((await graph<GraphError>(app, `/${two?.id}?fields=caption`, token)).error.error_subcode, 33)
  const commented = (await walk<Media>(app, '/me/media?fields=comments&limit=100', token)).entries.find(
    ({ comments }) => comments,
  )
  const [comment] = commented?.comments?.data ?? []
  assert.equal((await graph<{ id: string }>(app, `/${comment?.id}`, token)).id, comment?.id)
  assert.ok((await graph<Listing<unknown>>(app, `/${commented?.id}/comments`, token)).data.length > 0)
  assert.equal((await graph<GraphError>(app, '/me/feed', token)).error.code, 2500)
  assert.equal((await graph<GraphError>(app, '/me/media?limit=-1', token)).error.code, 100)
})

interface Message {
  id: string
  created_time: string
  from?: { id: string; username: string }
  to?: Listing<{ id: string }>
  message?: string
}
interface Conversation {
  id: string
  updated_time: string
  participants: Listing<{ id: string; username: string }>
  messages: Listing<Message>
}

test('conversations: most recently active first, details of twenty messages, no inactive requests', async () => {
  const scope = `${bothScopes},instagram_business_manage_messages`
  const by = await tokenOf(app, scope)
  const self = app.service.people[0]?.id
  const fields = 'updated_time,participants,messages.limit(100){created_time,from,to,message,attachments,shares}'
  const { entries } = await walk<Conversation>(
    app,
    `/me/conversations?platform=instagram&limit=10&fields=${fields}`,
    by,
  )
  assert.equal(entries.length, 31)
  const times = entries.map(({ updated_time }) => updated_time)
  assert.deepEqual(times, times.toSorted().reverse())
  const all = entries.flatMap(({ messages }) => messages.data)
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
  assert.ok(all.some(({ from }) => from?.id === self) && all.some(({ to }) => to?.data[0]?.id === self))
  const long = entries.find(({ messages }) => messages.data.length > 20)
  assert.deepEqual(
    long?.messages.data.map(({ from }) => from !== undefined),
    long?.messages.data.map((_, at) => at < 20),
  )
  const partner = long?.participants.data.find(({ id }) => id !== self)?.id
  const one = await graph<Listing<Conversation>>(app, `/me/conversations?user_id=${partner}`, by)
  assert.deepEqual(one.data, [{ id: long?.id, updated_time: long?.updated_time }])
  const listed = await graph<Conversation>(app, `/${long?.id}?fields=messages`, by)
  assert.deepEqual(Object.keys(listed.messages.data[0] ?? {}), ['created_time', 'id'])
  const [newest] = long?.messages.data ?? []
  const single = await graph<Message>(app, `/${newest?.id}?fields=id,created_time,from,to,message`, by)
  assert.deepEqual(single.from, newest?.from)
  const oldest = await graph<GraphError>(app, `/${long?.messages.data.at(-1)?.id}?fields=message`, by)
  assert.match(oldest.error.message, /deleted/)
  const basic = await tokenOf(app, scope, 'esra', ['instagram_business_basic'])
  assert.equal((await graph<GraphError>(app, '/me/conversations', basic)).error.code, 10)
  assert.equal((await graph<GraphError>(app, '/me/conversations?platform=messenger', by)).error.code, 100)
})

test('comments require their permission; a new person has no items', async () => {
  const basic = await tokenOf(app, bothScopes, 'ben', ['instagram_business_basic'])
  assert.equal((await graph<GraphError>(app, '/me/media?fields=comments', basic)).error.code, 10)
  const newcomer = await tokenOf(app, bothScopes, 'finn')
  for (const edge of ['media', 'stories', 'tags'])
    assert.deepEqual(await graph(app, `/me/${edge}`, newcomer), { data: [] })
})

test('limits apply per account and are reported in percent and minutes', async () => {
  app.service.configure({ rateLimit: { limit: 2, windowSeconds: 86_400 } })
  lab.clock.advance(86_400_000)
  const fresh = await tokenOf(app)
  const call = () => fetch(`${app.service.endpoints['api_url']}/me?access_token=${fresh}`)
  await call()
  await call()
  const refused = await call()
  assert.equal(((await refused.json()) as GraphError).error.code, 80_002)
  const usage = JSON.parse(refused.headers.get('x-business-use-case-usage') ?? '{}') as Record<
    string,
    { call_count: number; estimated_time_to_regain_access: number }[]
  >
  const [accountUsage] = usage[app.service.people[0]?.id ?? ''] ?? []
  assert.equal(accountUsage?.call_count, 100)
  assert.ok((accountUsage?.estimated_time_to_regain_access ?? 0) > 0)
})
