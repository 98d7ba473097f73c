import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { get, type Listed, type Listing, startX, tokensFor, walkAll, type XApp } from './testing.ts'

let app: XApp
let token: string
let newcomer: string
let me: Listed
before(async () => {
  app = await startX()
  token = (await tokensFor(app)).access_token
  newcomer = (await tokensFor(app, undefined, 'finn')).access_token
  me = ((await (await get(app, '/2/users/me', token)).json()) as { data: Listed }).data
})
after(() => app.lab.close())

const read = async (path: string, by = token) => (await (await get(app, path, by)).json()) as Listing
const idsOf = (items: readonly Listed[]) => items.map(({ id }) => id)

test('returns only the requested fields', async () => {
  assert.deepEqual(Object.keys(me).sort(), ['id', 'name', 'username'])
  assert.ok(BigInt(me.id) > BigInt(Number.MAX_SAFE_INTEGER))
  const [post] = (await read(`/2/users/${me.id}/tweets`)).data ?? []
  assert.deepEqual(Object.keys(post ?? {}).sort(), ['edit_history_tweet_ids', 'id', 'text'])
  const mail = (await read('/2/users/me?user.fields=confirmed_email')) as unknown as { data: Listed }
  assert.equal(mail.data['confirmed_email'], 'ada@people.test')
})

for (const [path, least, size] of [
  ['tweets', 300, 100],
  ['mentions', 100, 100],
  ['timelines/reverse_chronological', 1000, 100],
  ['liked_tweets', 250, 100],
  ['bookmarks', 140, 100],
  ['followers', 15, 1000],
  ['following', 38, 1000],
] as const)
  test(`${path}: returns every item once for every page size`, async () => {
    const address = `/2/users/${me.id}/${path}`
    const big = await walkAll(app, `${address}?max_results=${size}`, token)
    const small = await walkAll(app, `${address}?max_results=${path.startsWith('follow') ? 7 : 37}`, token)
    assert.ok(big.items.length >= least, `${big.items.length} items`)
    assert.equal(new Set(idsOf(big.items)).size, big.items.length)
    assert.deepEqual(idsOf(small.items), idsOf(big.items))
  })

test('a page may be empty and still have a next token', async () => {
  const { sizes, pages } = await walkAll(app, `/2/users/${me.id}/liked_tweets?max_results=100`, token)
  const empty = sizes.indexOf(0)
  assert.ok(empty > 0 && empty < sizes.length - 1, sizes.join())
  assert.equal('data' in (pages[empty] ?? {}), false)
  assert.ok(pages[empty]?.meta.next_token)
})

test('previous_token returns the previous page; an unknown token is rejected', async () => {
  const address = `/2/users/${me.id}/tweets?max_results=20`
  const first = await read(address)
  const second = await read(`${address}&pagination_token=${first.meta.next_token}`)
  const back = await read(`${address}&pagination_token=${second.meta.previous_token}`)
  assert.deepEqual(back.data, first.data)
  assert.equal((await get(app, `${address}&pagination_token=00`, token)).status, 400)
})

test('filters by since_id, until_id, times and exclude', async () => {
  const address = `/2/users/${me.id}/tweets?max_results=100`
  const { items } = await walkAll(app, `${address}&tweet.fields=created_at,referenced_tweets`, token)
  const [newest, middle] = [items[0], items[50]]
  const since = await walkAll(app, `${address}&since_id=${middle?.id}`, token)
  assert.deepEqual(idsOf(since.items), idsOf(items).slice(0, 50))
  const until = await walkAll(app, `${address}&until_id=${middle?.id}`, token)
  assert.deepEqual(idsOf(until.items), idsOf(items).slice(51))
  const started = await walkAll(app, `${address}&start_time=${middle?.created_at}`, token)
  assert.equal(started.items.length, 51)
  assert.deepEqual(await read(`${address}&since_id=${newest?.id}`), { meta: { result_count: 0 } })
  const original = await walkAll(app, `${address}&exclude=replies,retweets&tweet.fields=referenced_tweets`, token)
  const types = original.items.flatMap((item) => (item['referenced_tweets'] as { type: string }[] | undefined) ?? [])
  assert.deepEqual([...new Set(types.map(({ type }) => type))], ['quoted'])
})

const everything =
  'tweet.fields=author_id,created_at,entities,geo,public_metrics,referenced_tweets,attachments,conversation_id,lang,note_tweet' +
  '&expansions=author_id,referenced_tweets.id,referenced_tweets.id.author_id,attachments.media_keys,geo.place_id,entities.mentions.username' +
  '&media.fields=url,preview_image_url,variants,alt_text,width,height&place.fields=geo,country_code,full_name&user.fields=username,profile_image_url'

test('expansions include users, posts, media and places, and report missing ones', async () => {
  const { pages, items } = await walkAll(app, `/2/users/${me.id}/tweets?max_results=100&${everything}`, token)
  const included = (kind: string) => pages.flatMap(({ includes }) => includes?.[kind] ?? [])
  const keys = items.flatMap((item) => (item['attachments'] as { media_keys: string[] } | undefined)?.media_keys ?? [])
  assert.deepEqual(new Set(included('media').map((one) => one['media_key'])), new Set(keys))
  const referenced = items.flatMap((item) => (item['referenced_tweets'] as { id: string }[] | undefined) ?? [])
  const found = new Set(idsOf(included('tweets')))
  const reported = new Set(pages.flatMap(({ errors }) => errors?.map(({ value }) => value) ?? []))
  assert.ok(reported.size > 0 && found.size > 30)
  for (const { id } of referenced) assert.notEqual(found.has(id), reported.has(id))
  const boxes = included('places').map((one) => (one['geo'] as { bbox: number[] }).bbox)
  assert.ok(boxes.some(([west = 0]) => west < -179) && boxes.some(([, , east = 0]) => east > 179))
})

test('entity positions count characters, also after emoji', async () => {
  const { items } = await walkAll(
    app,
    `/2/users/${me.id}/timelines/reverse_chronological?max_results=100&${everything}`,
    token,
  )
  let checked = 0
  for (const item of items) {
    const entities = (item['entities'] ?? {}) as { mentions?: Span[]; hashtags?: Span[]; urls?: Span[] }
    const at = ({ start, end }: Span) =>
      Array.from(item.text ?? '')
        .slice(start, end)
        .join('')
    for (const one of entities.mentions ?? []) assert.equal(at(one), `@${one.username}`)
    for (const one of entities.hashtags ?? []) assert.equal(at(one), `#${one.tag}`)
    for (const one of entities.urls ?? []) assert.equal(at(one), one.url)
    checked += (entities.mentions ?? []).length
  }
  assert.ok(checked > 100)
})
interface Span {
  start: number
  end: number
  username?: string
  tag?: string
  url?: string
}

test('cross-posts link to their source', async () => {
  const { items } = await walkAll(app, `/2/users/${me.id}/tweets?max_results=100&${everything}`, token)
  const links = JSON.stringify(items)
  for (const host of ['www.instagram.com/p/', 'www.swarmapp.com/c/', 'gist.github.com/ada/', 'ada.tumblr.com'])
    assert.ok(links.includes(host), host)
})

test('an edit creates a new post with a history; a deleted post is not found', async () => {
  const [old, other] = (await read(`/2/users/${me.id}/tweets`)).data ?? []
  const { id } = app.service.data.edit('ada', 'posts', old?.id ?? '', { text: 'Second thoughts' })
  const [top] = (await read(`/2/users/${me.id}/tweets`)).data ?? []
  // The newest post may already have been edited, so its history may be longer.
  const before = old?.['edit_history_tweet_ids'] as string[]
  assert.equal(before.at(-1), old?.id)
  assert.deepEqual([top?.id, top?.text, top?.['edit_history_tweet_ids']], [id, 'Second thoughts', [...before, id]])
  assert.ok(!idsOf((await read(`/2/users/${me.id}/tweets`)).data ?? []).includes(old?.id ?? ''))
  app.service.data.remove('ada', 'posts', other?.id ?? '')
  const looked = await read(`/2/tweets?ids=${top?.id},${old?.id},${other?.id}`)
  assert.deepEqual(idsOf(looked.data ?? []), [top?.id, old?.id])
  assert.deepEqual(
    looked.errors?.map(({ value, type }) => [value, type]),
    [[other?.id, 'https://api.x.com/2/problems/resource-not-found']],
  )
})

test('direct messages: the last thirty days, by event type, by participant and by conversation', async () => {
  const fields =
    'dm_event.fields=dm_conversation_id,created_at,sender_id,participant_ids,referenced_tweets&expansions=sender_id,participant_ids,referenced_tweets.id'
  const { items } = await walkAll(app, `/2/dm_events?max_results=50&${fields}`, token)
  assert.ok(items.length > 100)
  const month = app.lab.clock.now() - 30 * 86_400_000
  for (const { created_at } of items) assert.ok(Date.parse(created_at ?? '') >= month)
  assert.deepEqual(new Set(items.map((item) => item['event_type'])).size, 3)
  const pair = items.map((item) => String(item['dm_conversation_id'])).find((id) => id.includes('-'))
  const otherId = pair?.split('-').find((id) => id !== me.id)
  const withOne = await walkAll(app, `/2/dm_conversations/with/${otherId}/dm_events?${fields}`, token)
  assert.ok(withOne.items.length > 0 && withOne.items.every((item) => item['dm_conversation_id'] === pair))
  const joins = await walkAll(app, '/2/dm_events?event_types=ParticipantsJoin', token)
  assert.ok(joins.items.every((item) => item['event_type'] === 'ParticipantsJoin'))
})

test('post.fields selects the newer names: posts and reposts', async () => {
  const query = 'post.fields=public_metrics&expansions=author_id,referenced_posts'
  const page = await read(`/2/users/${me.id}/tweets?max_results=100&${query}`)
  assert.ok(page.includes?.['posts'] && !page.includes['tweets'])
  assert.match(JSON.stringify(page.data?.[0]?.['public_metrics']), /repost_count/)
  assert.ok(page.data?.some((item) => 'referenced_posts' in item))
})

test('posts can be created and deleted', async () => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const made = await fetch(`${app.service.url}/2/tweets`, { method: 'POST', headers, body: '{"text":"hi #there"}' })
  assert.equal(made.status, 201)
  const { id } = ((await made.json()) as { data: Listed }).data
  assert.equal((await read(`/2/users/${me.id}/tweets`)).data?.[0]?.id, id)
  const remove = (by: string) =>
    fetch(`${app.service.url}/2/tweets/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${by}` } })
  assert.equal((await remove(newcomer)).status, 403)
  assert.deepEqual(await (await remove(token)).json(), { data: { deleted: true } })
  assert.notEqual((await read(`/2/users/${me.id}/tweets`)).data?.[0]?.id, id)
})

test('a new person has no items', async () => {
  const { data } = (await (await get(app, '/2/users/me', newcomer)).json()) as { data: Listed }
  for (const path of ['tweets', 'timelines/reverse_chronological', 'liked_tweets', 'bookmarks', 'following'])
    assert.deepEqual(await read(`/2/users/${data.id}/${path}`, newcomer), { meta: { result_count: 0 } }, path)
})

test('rejects the requests that the vendor rejects', async () => {
  const statusOf = async (path: string, by = token) => (await get(app, path, by)).status
  const wrong = await get(app, `/2/users/${me.id}/tweets?max_results=500`, token)
  assert.equal(wrong.status, 400)
  const problem = (await wrong.json()) as { title: string; errors: { parameters: object }[] }
  assert.deepEqual([problem.title, problem.errors[0]?.parameters], ['Invalid Request', { max_results: ['500'] }])
  for (const query of [
    'max_results=4',
    'tweet.fields=nonsense',
    'count=5',
    'since_id=abc',
    'start_time=yesterday',
    'expansions=all',
  ])
    assert.equal(await statusOf(`/2/users/${me.id}/tweets?${query}`), 400, query)
  const [other] = (await read(`/2/users/${me.id}/following`)).data ?? []
  assert.equal(await statusOf(`/2/users/${other?.id}/bookmarks`), 400)
  assert.equal((await read('/2/users/999/tweets')).errors?.[0]?.value, '999')
  const narrow = (await tokensFor(app, 'tweet.read users.read')).access_token
  for (const path of ['liked_tweets', 'bookmarks', 'followers'])
    assert.equal(await statusOf(`/2/users/${me.id}/${path}`, narrow), 403)
  assert.equal(await statusOf('/2/dm_events', narrow), 403)
  assert.equal(await statusOf('/2/users/me', 'nonsense'), 401)
  assert.equal(await statusOf('/2/nothing/here'), 404)
})

test('limits apply per endpoint and report their reset time', async () => {
  const by = (await tokensFor(app, undefined, 'esra')).access_token
  const first = await get(app, '/2/users/me', by)
  assert.deepEqual([first.headers.get('x-rate-limit-limit'), first.headers.get('x-rate-limit-remaining')], ['75', '74'])
  app.service.configure({ rateLimit: { limit: 2 } })
  assert.equal((await get(app, '/2/users/me', by)).status, 200)
  const refused = await get(app, '/2/users/me', by)
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, null])
  const resetMs = Number(refused.headers.get('x-rate-limit-reset')) * 1000
  assert.equal(((await refused.json()) as { title: string }).title, 'Too Many Requests')
  assert.equal((await get(app, '/2/dm_events', by)).status, 200)
  app.lab.clock.set(resetMs)
  assert.equal((await get(app, '/2/users/me', by)).status, 200)
  app.service.configure({ rateLimit: { limit: 0 } })
})
