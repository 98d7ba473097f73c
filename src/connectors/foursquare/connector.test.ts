import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { suite, test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import type { ItemDraft } from '#kit/connector/read-item.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import { foursquare } from './connector.ts'

const OWNER = '8800123'
const { endpoints, api, hook } = foursquare
const read = (name: keyof typeof endpoints, raw: unknown): ItemDraft =>
  itemReader(foursquare, name, endpoints[name]!, OWNER)(raw)

const venue = {
  id: '4b0588a1f964a520d0dd22e3',
  name: 'Café Aroma',
  canonicalUrl: 'https://foursquare.com/v/cafe-aroma/4b0588a1f964a520d0dd22e3',
  location: { lat: 52.5163, lng: 13.3777, city: 'Berlin' },
}
const friend = { id: '771', firstName: 'Noa', lastName: 'Lind', relationship: 'friend', handle: 'noal' }
const photo = {
  id: '65f0c1d2e3f4a5b6c7d8e9f0',
  createdAt: 1_700_000_100,
  prefix: 'https://fastly.4sqi.net/img/general/',
  suffix: '/8800123_x.jpg',
  width: 1440,
  height: 1080,
  checkin: { id: '65f0c1d2e3f4a5b6c7d8e9aa' },
  venue,
}
const checkin = {
  id: '65f0c1d2e3f4a5b6c7d8e9aa',
  createdAt: 1_700_000_000,
  type: 'checkin',
  shout: 'Second breakfast with @Ida',
  timeZoneOffset: 60,
  venue,
  with: [{ id: '990' }],
  entities: [{ type: 'user', id: '991', indices: [22, 26] }],
  photos: { count: 1, items: [photo] },
  likes: { count: 1, groups: [{ type: 'others', count: 1, items: [friend] }] },
  comments: { count: 1, items: [{ id: 'c1', user: { id: '555' }, text: 'Save me some' }] },
  source: { name: 'Swarm for iOS', url: 'https://www.swarmapp.com' },
}
const tip = {
  id: 't65f0',
  createdAt: 1_690_000_000,
  venue,
  tip: { id: '65f0', createdAt: 1_690_000_000, text: 'Ask for the window seat', likes: { count: 3 } },
}
const records: [keyof typeof endpoints, object][] = [
  ['checkins', checkin],
  ['photos', photo],
  ['friends', { ...friend, contact: { email: 'noa@mail.test', phone: '+49301' }, homeCity: 'Malmö', bio: 'walks' }],
  ['tips', tip],
  ['venuehistory', { beenHere: 4, lastHereAt: 1_699_000_000, venue }],
  ['venuelikes', venue],
  ['lists', { id: '8800123/todos', name: 'To do', createdAt: 1_600_000_000, user: friend }],
]

suite('Foursquare records', () => {
  test('a check-in: place, people, types, dedupe key', () => {
    const item = read('checkins', checkin)
    assert.deepEqual(item.faults, [])
    assert.equal(item.idr, `checkin:${OWNER}@foursquare/checkins#${checkin.id}`)
    assert.equal(item.at, 1_700_000_000_000)
    assert.deepEqual(item.types, ['checkins', 'photos'])
    assert.deepEqual(item.guid.slice(1), [
      `guid:foursquare/#${checkin.id}`,
      'guid:foursquare/#65f0c1d2e3f4a5b6c7d8e9f0',
    ])
    assert.deepEqual(item.place, { lat: 52.5163, lng: 13.3777 })
    assert.deepEqual(item.participants, [OWNER, '555', '771', '990', '991'])
    assert.equal(item.hasAuthor, true)
    assert.equal(item.card.type, 'checkin')
    assert.equal(item.card.title, 'Café Aroma')
    assert.equal(item.card.description, checkin.shout)
    assert.equal(item.card.thumbnail_url, 'https://fastly.4sqi.net/img/general/original/8800123_x.jpg')
    assert.ok(item.texts.includes(checkin.shout))
    const { photos } = item.cards
    assert.deepEqual(
      [photos?.type, photos?.url, photos?.title, photos?.description, photos?.width],
      [
        'photo',
        'https://fastly.4sqi.net/img/general/original/8800123_x.jpg',
        'Café Aroma',
        checkin.shout,
        checkin.photos.items[0]!.width,
      ],
    )
    assert.equal(item.card.width, undefined)
  })

  test('a friend’s check-in has its author and belongs to the feed', () => {
    const item = read('recent', { ...checkin, user: friend, photos: { count: 0, items: [] } })
    assert.deepEqual(item.types, ['checkins_feed'])
    assert.equal(item.participants[0], '771')
    assert.equal(mapOf(endpoints['recent']!, { ...checkin, user: friend })['author'] !== undefined, true)
    assert.equal(item.card.author_name, 'Noa Lind')
  })

  test('a shout without a venue is a status; a venueless check-in has its own place', () => {
    assert.deepEqual(read('checkins', { id: 's', createdAt: 1, type: 'shout', shout: 'hi' }).types, ['statuses'])
    const venueless = read('checkins', { id: 'v', type: 'venueless', location: { name: 'Pier', lat: -10, lng: 179.5 } })
    assert.deepEqual(venueless.place, { lat: -10, lng: 179.5 })
    assert.equal(venueless.card.title, 'Pier')
  })

  test('photo, tip, friend, visit and list', () => {
    const shot = read('photos', photo)
    assert.deepEqual(shot.guid, [
      'guid:foursquare/#65f0c1d2e3f4a5b6c7d8e9f0',
      'file:fastly.4sqi.net/img/general/original/8800123_x.jpg',
    ])
    assert.equal(shot.card.width, 1440)
    assert.equal(shot.card.url, 'https://fastly.4sqi.net/img/general/original/8800123_x.jpg')
    const advice = read('tips', tip)
    assert.equal(advice.nativeId, '65f0')
    assert.equal(advice.card.text, 'Ask for the window seat')
    const person = read('friends', records[2]![1])
    assert.deepEqual(person.types, ['contacts'])
    assert.deepEqual(person.texts, ['Noa Lind', '@noal', 'noa@mail.test'])
    assert.equal(person.card.location, 'Malmö')
    assert.equal(read('venuehistory', records[4]![1]).nativeId, venue.id)
    assert.equal(read('lists', records[6]![1]).card.title, 'To do')
  })
})

suite('Foursquare walks', () => {
  test('offsets continue until a page is empty', () => {
    const { pages } = endpoints['checkins']!
    const first = pages.first({ method: 'GET', path: '/users/self/checkins', query: { sort: 'newestfirst' } })
    assert.deepEqual(first.query, { limit: '250', offset: '0', sort: 'newestfirst' })
    const page = { request: first, body: {}, headers: {} }
    assert.equal(pages.next({ ...page, count: 249 })?.query['offset'], '250')
    assert.equal(pages.next({ ...page, count: 0 }), undefined)
  })

  test('the records of each response', () => {
    const response = { meta: { code: 200 }, response: { checkins: { count: 1, items: [checkin] } } }
    assert.deepEqual(endpoints['checkins']!.items(response), [checkin])
    assert.equal(endpoints['checkins']!.items({ meta: { code: 200 }, response: {} }), undefined)
    assert.equal(endpoints['lists']!.items({ meta: { code: 200 }, response: {} }), undefined)
    const recent = { response: { recent: [{ id: '1', user: { id: OWNER, relationship: 'self' } }, { id: '2' }] } }
    assert.deepEqual(endpoints['recent']!.items(recent), [{ id: '2' }])
    const groups = [
      { type: 'created', items: [{ id: 'a' }] },
      { type: 'followed', items: [{ id: 'a' }, { id: 'b' }] },
      { type: 'suggested' },
    ]
    assert.deepEqual(endpoints['lists']!.items({ response: { lists: { groups } } }), [{ id: 'a' }, { id: 'b' }])
  })

  test('the next run starts a week before the newest', () => {
    const checkpoint = endpoints['checkins']!.checkpoint!
    const watermark = checkpoint.advance(
      { items: [{ createdAt: 1_700_000_000 }, { createdAt: 5 }], body: {} },
      undefined,
    )
    assert.equal(watermark, 1_700_000_000)
    assert.deepEqual(checkpoint.query(watermark), { afterTimestamp: String(1_700_000_000 - 604_800) })
  })
})

suite('Foursquare limits and push', () => {
  test('a 403 can be a rate limit', () => {
    const recovery = (status: number, body: unknown, headers = {}) => api.recovery!({ status, body, headers })
    assert.equal(recovery(403, { meta: { code: 403, errorType: 'rate_limit_exceeded' } }), 'retry')
    assert.equal(recovery(403, undefined, { 'x-ratelimit-remaining': '0' }), 'retry')
    assert.equal(recovery(403, { meta: { code: 403, errorType: 'not_authorized' } }), 'skip')
    assert.equal(recovery(401, { meta: { code: 401, errorType: 'invalid_auth' } }), 'reauthorize')
    assert.equal(recovery(200, { meta: { code: 200, errorType: 'deprecated' } }), undefined)
    const headers = { 'x-ratelimit-limit': '500', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1700003600' }
    assert.deepEqual(api.rate!(headers, 0), { remaining: 0, resetAtMs: 1_700_003_600_000, of: 'group' })
    assert.equal(api.rate!({}, 0), undefined)
  })

  test('a push is accepted by its secret and identifies the person', () => {
    const secret = 'PUSHSECRET'
    const sign = (algorithm: string, text: string) => createHmac(algorithm, secret).update(text).digest('hex')
    const user = JSON.stringify({ id: OWNER, firstName: 'Ida' })
    const body = new URLSearchParams({ user, checkin: JSON.stringify(checkin), secret }).toString()
    assert.equal(hook!.verify({ headers: {}, body, secret, sign }), true)
    assert.equal(hook!.verify({ headers: {}, body: body.replace(secret, 'other'), secret, sign }), false)
    assert.deepEqual(hook!.people(body), [OWNER])
    assert.deepEqual(hook!.people({ checkin: { user: { id: 7 } } }), ['7'])
    assert.deepEqual(hook!.people('nonsense'), [])
  })
})

test('the token is sent in a header, not in the address, which proxies log', () => {
  assert.ok(foursquare.auth.kind === 'oauth2')
  assert.deepEqual(foursquare.auth.tokenPlacement, { in: 'header', scheme: 'Bearer' })
})
