import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { movableClock } from '../../base/clock.ts'
import type { LabService } from '../../base/service.ts'
import { crossPosts } from '../../data/cross-posts.ts'
import { type Lab, startLab } from '../../lab.ts'
import { appBrowser, authorizeUrl, callback, codeFor } from '../../testing/oauth2-client.ts'

interface Venue {
  id: string
  location: { lat: number; lng: number }
}
interface Checkin {
  id: string
  createdAt: number
  shout?: string
  entities?: { indices: [number, number]; id: string }[]
  venue?: Venue
  location?: { lat: number }
  user?: { id: string }
  with?: { id: string }[]
  photos: { count: number; items: { prefix: string; suffix: string }[] }
  comments: { count: number; items?: { user: { id: string } }[] }
  likes: { count: number; groups: { items: unknown[] }[] }
  checkinShortUrl?: string
}
interface Envelope<T> {
  meta: { code: number; errorType?: string; errorDetail?: string; requestId: string }
  notifications: unknown[]
  response: T
}
type Items<Name extends string, T> = Record<Name, { count: number; items: T[] }>

const now = Date.UTC(2026, 7, 1, 12)
let lab: Lab<'foursquare'>
let service: LabService
let flow: { service: LabService; key: string; secret: string }
let token: string

before(async () => {
  lab = await startLab({ services: ['foursquare'], clock: movableClock({ startMs: now, frozen: true }) })
  service = lab.services.foursquare
  flow = { service, ...service.register({ redirectUris: [callback] }) }
  token = await tokenOf('ada')
})
after(() => lab.close())

const exchange = (fields: Record<string, string>) =>
  fetch(
    `${service.endpoints['token_url']}?${new URLSearchParams({
      client_id: flow.key,
      client_secret: flow.secret,
      grant_type: 'authorization_code',
      redirect_uri: callback,
      ...fields,
    }).toString()}`,
  )

async function tokenOf(person: string): Promise<string> {
  const tokens = (await (await exchange({ code: await codeFor(flow, {}, person) })).json()) as Record<string, string>
  assert.deepEqual(Object.keys(tokens), ['access_token'])
  return tokens['access_token'] ?? ''
}

const raw = (path: string, by = token, version = '20260101') =>
  fetch(`${service.endpoints['api_url']}/${path}${path.includes('?') ? '&' : '?'}v=${version}&oauth_token=${by}`)

async function call<T>(path: string, by = token): Promise<T> {
  const { meta, response } = (await (await raw(path, by)).json()) as Envelope<T>
  assert.equal(meta.code, 200, `${path} ${meta.errorDetail}`)
  return response
}

const metaOf = async (response: Response) => ((await response.json()) as Envelope<unknown>).meta

async function allOf<Name extends string, T>(path: string, name: Name, limit: number): Promise<T[]> {
  const all: T[] = []
  for (;;) {
    const mark = path.includes('?') ? '&' : '?'
    const page = (await call<Items<Name, T>>(`${path}${mark}limit=${limit}&offset=${all.length}`))[name]
    all.push(...page.items)
    if (page.items.length === 0) {
      assert.equal(all.length, page.count)
      return all
    }
  }
}

test('login: the token is valid until it is revoked', async () => {
  const page = await appBrowser().walk(authorizeUrl(flow), { person: 'ben' })
  const back = new URL(page.url)
  assert.equal(back.hash, '#_=_')
  const code = back.searchParams.get('code') ?? ''
  const errorOf = async (fields: Record<string, string>) =>
    ((await (await exchange(fields)).json()) as { error: string }).error
  assert.equal(await errorOf({ code, client_secret: 'x' }), 'invalid_client')
  assert.equal(await errorOf({ code, grant_type: 'x' }), 'unsupported_grant_type')
  assert.equal(await errorOf({ code, redirect_uri: `${callback}x` }), 'redirect_uri_mismatch')
  assert.equal(await errorOf({ code }), 'invalid_grant')
  const denied = await appBrowser().walk(authorizeUrl(flow), { person: 'ben', decision: 'deny' })
  assert.deepEqual(Object.fromEntries(new URL(denied.url).searchParams), { error: 'access_denied', state: 's1' })
  const ben = await tokenOf('ben')
  lab.clock.advance(400 * 86_400_000)
  assert.equal((await raw('users/self', ben)).status, 200)
  lab.clock.set(now)
  service.tokens.revoke('ben')
  const meta = await metaOf(await raw('users/self', ben))
  assert.deepEqual([meta.code, meta.errorType], [401, 'invalid_auth'])
})

test('self: profile and counts', async () => {
  const { user } = await call<{ user: { id: string; relationship: string; checkins: { count: number } } }>('users/self')
  assert.deepEqual([user.id, user.relationship], [service.people[0]?.id, 'self'])
  const list = await call<Items<'checkins', Checkin>>('users/self/checkins?limit=1')
  assert.equal(user.checkins.count, list.checkins.count)
})

test('check-ins: every one once by offset, newest first, with varying fields', async () => {
  const all = await allOf<'checkins', Checkin>('users/self/checkins', 'checkins', 100)
  assert.ok(all.length > 250)
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
  const times = all.map(({ createdAt }) => createdAt)
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  )
  const oldest = await allOf<'checkins', Checkin>('users/self/checkins?sort=oldestfirst', 'checkins', 250)
  assert.equal(oldest[0]?.createdAt, times.at(-1))
  const has = (test: (one: Checkin) => unknown) => all.some((one) => Boolean(test(one)))
  assert.ok(has(({ shout }) => shout === undefined) && has(({ with: friends }) => friends))
  assert.ok(has(({ venue, location }) => venue === undefined && location))
  for (const side of [-1, 1])
    assert.ok(
      has(({ venue }) => (venue?.location.lng ?? 0) * side > 179.9),
      String(side),
    )
  assert.ok(all.every(({ user, venue }) => user === undefined && Math.abs(venue?.location.lng ?? 0) <= 180))
  for (const { shout = '', entities = [] } of all)
    for (const { indices } of entities) assert.ok(shout.slice(...indices).length > 0)
  const pictured = all.find(({ photos }) => photos.count > 0)?.photos.items[0]
  const picture = await fetch(`${pictured?.prefix}300x300${pictured?.suffix}`)
  assert.equal(picture.headers.get('content-type'), 'image/svg+xml')
  const ids = all.map(({ id }) => id)
  for (const { origin, id } of crossPosts('ada', now)) assert.equal(ids.includes(id), origin === 'foursquare')
})

test('timestamps limit the list; a new check-in shifts offsets', async () => {
  const afterTimestamp = Math.floor(now / 1000) - 90 * 86_400
  const beforeTimestamp = afterTimestamp + 30 * 86_400
  const path = `users/self/checkins?afterTimestamp=${afterTimestamp}&beforeTimestamp=${beforeTimestamp}`
  const some = await allOf<'checkins', Checkin>(path, 'checkins', 50)
  assert.ok(some.length > 3 && some.every(({ createdAt: at }) => at >= afterTimestamp && at < beforeTimestamp))
  const page = async () =>
    (await call<Items<'checkins', Checkin>>('users/self/checkins?limit=5&offset=5')).checkins.items
  const before = await page()
  service.data.add('ada', 'checkins', { shout: 'here' })
  assert.equal((await page())[1]?.id, before[0]?.id)
})

test('a single check-in has comments, author and short URL; deleted and private ones are errors', async () => {
  const cross = crossPosts('ada', now).find(({ origin }) => origin === 'foursquare')
  const { checkin } = await call<{ checkin: Checkin }>(`checkins/${cross?.id}`)
  assert.equal(checkin.checkinShortUrl, cross?.url)
  assert.equal(checkin.user?.id, service.people[0]?.id)
  const list = (await call<Items<'checkins', Checkin>>('users/self/checkins?limit=250')).checkins.items
  const talked = list.find(({ comments }) => comments.count > 0)
  const detail = await call<{ checkin: Checkin }>(`checkins/${talked?.id}`)
  assert.equal(detail.checkin.comments.items?.length, talked?.comments.count)
  service.data.edit('ada', 'checkins', talked?.id ?? '', { shout: 'edited' })
  assert.equal((await call<{ checkin: Checkin }>(`checkins/${talked?.id}`)).checkin.shout, 'edited')
  service.data.remove('ada', 'checkins', talked?.id ?? '')
  assert.equal((await metaOf(await raw(`checkins/${talked?.id}`))).errorType, 'param_error')
  const secret = service.data.add('ben', 'checkins', { isPrivate: true })
  assert.equal((await metaOf(await raw(`checkins/${String(secret['id'])}`))).errorType, 'not_authorized')
})

test('recent: check-ins of friends in the last three hours', async () => {
  const { recent } = await call<{ recent: Checkin[] }>('checkins/recent?limit=100')
  const friends = await allOf<'friends', { id: string }>('users/self/friends', 'friends', 10)
  assert.equal(friends.length, 34)
  const known = new Set(friends.map(({ id }) => id))
  assert.ok(recent.length > 10 && recent.every(({ user }) => known.has(user?.id ?? '')))
  assert.ok(recent.every(({ createdAt }) => createdAt * 1000 > now - 3 * 3_600_000))
  service.data.add('chloe', 'checkins', { shout: 'just now' })
  const newest = await call<{ recent: Checkin[] }>(`checkins/recent?afterTimestamp=${Math.floor(now / 1000)}`)
  assert.deepEqual(
    newest.recent.map(({ shout }) => shout),
    ['just now'],
  )
})

test('photos, tips, venues and lists', async () => {
  const photos = await allOf<'photos', { id: string; venue: Venue; checkin?: { id: string } }>(
    'users/self/photos',
    'photos',
    60,
  )
  assert.ok(photos.length > 120 && new Set(photos.map(({ id }) => id)).size === photos.length)
  assert.ok(photos.some(({ checkin }) => checkin) && photos.some(({ checkin }) => !checkin))
  const tips = await allOf<'tips', { id: string; text: string }>('users/self/tips', 'tips', 30)
  assert.ok(tips.length > 40)
  const { venues } = await call<Items<'venues', { beenHere: number; venue: Venue }>>('users/self/venuehistory')
  const all = await allOf<'checkins', Checkin>('users/self/checkins', 'checkins', 250)
  const visits = venues.items.reduce((sum, { beenHere }) => sum + beenHere, 0)
  assert.equal(visits, all.filter(({ venue }) => venue).length)
  const liked = await allOf<'venues', Venue & { like: boolean }>('users/self/venuelikes', 'venues', 7)
  assert.ok(liked.length > 20 && new Set(liked.map(({ id }) => id)).size === liked.length)
  const [first] = venues.items
  assert.equal((await call<{ venue: Venue }>(`venues/${first?.venue.id}`)).venue.id, first?.venue.id)
})

interface List {
  id: string
  type: string
  user?: { id: string }
  createdAt?: number
  updatedAt?: number
  listItems: { count: number; items?: unknown[] }
}

test('lists: default lists, own lists with times, and followed lists', async () => {
  const { lists } = await call<{ lists: { count: number; groups: { type: string; items: List[] }[] } }>(
    'users/self/lists',
  )
  const [created = [], followed = []] = lists.groups.map(({ items }) => items)
  assert.deepEqual(
    lists.groups.map(({ type }) => type),
    ['created', 'followed'],
  )
  const self = service.people[0]?.id
  for (const { type, createdAt, user } of created)
    assert.deepEqual([createdAt === undefined, user?.id], type === 'others' ? [false, self] : [true, undefined])
  assert.ok(followed.length > 2 && followed.every(({ user }) => user?.id !== self))
  assert.equal(lists.count, created.length + followed.length)
  for (const { id, listItems } of [...created, ...followed]) {
    const { list } = await call<{ list: List }>(`lists/${id}?limit=200`)
    assert.equal(list.listItems.items?.length, listItems.count)
  }
  assert.deepEqual(await call('users/self/lists?group=followed'), {
    lists: { count: followed.length, items: followed },
  })
  assert.deepEqual(await call('users/self/lists?group=suggested'), { lists: { count: 0, items: [] } })
  assert.equal((await metaOf(await raw('lists/0123456789abcdef01234567'))).errorType, 'param_error')
})

test('a new person has no items', async () => {
  const finn = await tokenOf('finn')
  for (const name of ['checkins', 'friends', 'photos', 'tips'])
    assert.deepEqual(await call(`users/self/${name}`, finn), { [name]: { count: 0, items: [] } })
  assert.deepEqual(await call('checkins/recent', finn), { recent: [] })
})

test('rejects invalid versions, credentials, parameters, paths and methods', async () => {
  const base = service.endpoints['api_url']
  const errorOf = async (response: Response | Promise<Response>) => {
    const { code, errorType } = await metaOf(await response)
    return [code, errorType]
  }
  assert.deepEqual(await errorOf(fetch(`${base}/users/self?oauth_token=${token}`)), [410, 'param_error'])
  assert.deepEqual(await errorOf(raw('users/self', token, 'today')), [400, 'param_error'])
  assert.deepEqual(await errorOf(fetch(`${base}/users/self?v=20260101`)), [400, 'invalid_auth'])
  assert.deepEqual(await errorOf(raw('users/self', 'x')), [401, 'invalid_auth'])
  for (const query of ['limit=251', 'limit=x', 'offset=-1', 'sort=size', 'afterTimestamp=now'])
    assert.deepEqual(await errorOf(raw(`users/self/checkins?${query}`)), [400, 'param_error'], query)
  assert.deepEqual(await errorOf(raw('users/self/badgers')), [404, 'endpoint_error'])
  assert.deepEqual(await errorOf(raw('checkins/abc')), [400, 'param_error'])
  const bearer = { headers: { authorization: `Bearer ${token}` } }
  assert.equal((await fetch(`${base}/users/self?v=20260101`, bearer)).status, 200)
  const posted = await fetch(`${base}/users/self?v=20260101&oauth_token=${token}`, { method: 'POST' })
  assert.equal(posted.status, 405)
})

test('limits: reported in every response; the reset time only when exceeded', async () => {
  service.configure({ rateLimit: { limit: 2, windowSeconds: 3600 } })
  lab.clock.advance(3_600_000)
  const first = await raw('users/self')
  assert.deepEqual([first.headers.get('x-ratelimit-limit'), first.headers.get('x-ratelimit-remaining')], ['2', '1'])
  assert.equal(first.headers.get('x-ratelimit-reset'), null)
  await raw('users/self')
  const refused = await raw('users/self')
  assert.equal(refused.status, 403)
  assert.ok(Number(refused.headers.get('x-ratelimit-reset')) * 1000 > lab.clock.now())
  assert.equal((await metaOf(refused)).errorType, 'rate_limit_exceeded')
  assert.equal((await raw('users/self/friends')).status, 403, 'the same group')
  assert.equal((await raw('checkins/recent')).status, 200, 'another group')
})
