import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { suite, test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { type ItemDraft, itemReader } from '#kit/connector/read-item.ts'
import { facebook } from './connector.ts'

const OWNER = '10153001'
const { endpoints, api, hook, auth } = facebook
const read = (name: keyof typeof endpoints, raw: unknown): ItemDraft =>
  itemReader(facebook, name, endpoints[name]!, OWNER)(raw)

const place = { id: '77', name: 'Harbour', location: { latitude: 59.91, longitude: 10.75, city: 'Oslo' } }
const post = {
  id: `${OWNER}_9001`,
  created_time: '2026-03-01T10:00:00+0000',
  updated_time: '2026-03-02T11:00:00+0000',
  from: { id: OWNER, name: 'Ida Berg' },
  to: { data: [{ id: '404', name: 'Per' }] },
  message: 'Read this with @Per: https://news.test/a',
  message_tags: [
    { id: '404', name: 'Per', type: 'user', offset: 15, length: 4 },
    { id: '5', name: 'A Page', type: 'page' },
  ],
  place,
  permalink_url: `https://www.facebook.com/${OWNER}/posts/9001`,
  full_picture: 'https://cdn.test/p.jpg',
  attachments: {
    data: [
      {
        title: 'A headline',
        description: 'What happened',
        media_type: 'link',
        type: 'share',
        url: 'https://l.facebook.com/l.php?u=x',
        unshimmed_url: 'https://www.instagram.com/p/Cabc-12_Z/',
        media: { image: { src: 'https://cdn.test/big.jpg', width: 720, height: 480 } },
      },
    ],
  },
  comments: { data: [{ id: 'c', from: { id: '606', name: 'Ole' }, message: 'ha' }], summary: { total_count: 7 } },
  reactions: { data: [{ id: '505', name: 'Siv', type: 'LOVE' }], summary: { total_count: 12 } },
  shares: { count: 2 },
}
const photo = {
  id: '3001',
  created_time: '2026-02-01T10:00:00+0000',
  from: { id: OWNER, name: 'Ida Berg' },
  name: 'Sunset',
  alt_text: 'May be an image of the sea',
  link: 'https://www.facebook.com/photo.php?fbid=3001',
  picture: 'https://cdn.test/s.jpg',
  images: [
    { source: 'https://cdn.test/m.jpg', width: 600, height: 400 },
    { source: 'https://cdn.test/l.jpg', width: 2048, height: 1365 },
  ],
  place,
  album: { id: '1', name: 'Timeline photos' },
  tags: { data: [{ id: '404', name: 'Per' }, { name: 'somebody' }] },
}
const video = {
  id: '4001',
  created_time: '2026-02-03T10:00:00+0000',
  from: { id: OWNER },
  title: 'Waves',
  description: 'Loud',
  permalink_url: `/${OWNER}/videos/4001/`,
  picture: 'https://cdn.test/v.jpg',
  source: 'https://cdn.test/v.mp4',
  length: 12.5,
}
const event = {
  id: '6001',
  name: 'Concert',
  start_time: '2026-07-01T19:00:00+0200',
  end_time: '2026-07-01T22:00:00+0200',
  place,
  owner: { id: '88', name: 'The Club' },
}
const records: [keyof typeof endpoints, object][] = [
  ['posts', post],
  ['feed', post],
  ['photos', photo],
  ['videos', video],
  ['events', event],
  ['albums', { id: '1', name: 'Trips', created_time: post.created_time, from: post.from, count: 4, place }],
  ['likes', { id: '2', name: 'A Page', created_time: post.created_time }],
  ['friends', { id: '404', name: 'Per', picture: { data: { url: 'https://cdn.test/per.jpg' } } }],
]

suite('Facebook records', () => {
  test('a post: types, people, place, dedupe keys, card', () => {
    const item = read('posts', post)
    assert.deepEqual(item.faults, [])
    assert.equal(item.idr, `post:${OWNER}@facebook/posts#${OWNER}_9001`)
    assert.equal(item.at, Date.UTC(2026, 2, 1, 10))
    assert.deepEqual(item.types, ['statuses', 'checkins', 'news'])
    assert.deepEqual(item.participants, [OWNER, '606', '505', '404'])
    assert.deepEqual(item.place, { lat: 59.91, lng: 10.75 })
    const [ofText, ...links] = item.guid
    assert.match(ofText!, /^text:[0-9a-f]{20}$/)
    assert.deepEqual(links, [
      'page:facebook.com/10153001/posts/9001',
      'of:guid:instagram/#Cabc-12_Z',
      'link:news.test/a',
      'link:instagram.com/p/Cabc-12_Z',
    ])
    assert.equal(item.card.title, 'Harbour')
    assert.equal(item.card.author_name, 'Ida Berg')
    const { news, statuses } = item.cards
    assert.deepEqual(
      [news?.type, news?.title, news?.url, news?.thumbnail_url],
      ['link', 'A headline', 'https://www.instagram.com/p/Cabc-12_Z/', 'https://cdn.test/big.jpg'],
    )
    assert.deepEqual([statuses?.type, statuses?.text, statuses?.url], ['text', post.message, post.permalink_url])
    assert.ok(item.texts.includes('A headline') && item.texts.includes('https://www.instagram.com/p/Cabc-12_Z/'))
    const map = mapOf(endpoints['posts']!, post)
    assert.deepEqual(map['urls'], ['https://news.test/a', 'https://www.instagram.com/p/Cabc-12_Z/'])
    assert.deepEqual(map['counts'], { likes: 12, comments: 7, shares: 2 })
  })

  test('a link without a place is news, searchable by title and target', () => {
    const item = read('posts', { ...post, place: undefined, message: undefined })
    assert.deepEqual(item.types, ['news'])
    assert.equal(item.card.type, 'link')
    assert.equal(item.card.title, 'A headline')
    assert.equal(item.card.url, 'https://www.instagram.com/p/Cabc-12_Z/')
    assert.equal(item.card.provider_url, post.permalink_url)
  })

  test('the attachment determines the type', () => {
    const attached = (one: object) => read('posts', { id: '1_2', attachments: { data: [one] } }).types
    assert.deepEqual(attached({ media_type: 'album', type: 'album' }), ['photos'])
    assert.deepEqual(attached({ media_type: 'video', type: 'video_inline' }), ['videos'])
    assert.deepEqual(attached({ type: 'cover_photo' }), ['photos'])
    assert.deepEqual(attached({ media_type: 'event', type: 'event' }), [])
    assert.deepEqual(read('posts', { id: '1_2', story: 'Ida updated her bio.' }).types, ['statuses'])
    assert.deepEqual(read('posts', { id: '1_2', story: 'Ida and Per are now friends.' }).types, [])
    assert.deepEqual(read('feed', { id: '1_2', message: 'hi' }).types, ['statuses_feed'])
  })

  test('cross-posts link to the original', () => {
    const id = '65f0c1d2e3f4a5b6c7d8e9aa'
    const swarm = { id: '1_2', message: `I am here https://www.swarmapp.com/user/8/checkin/${id}?s=x` }
    assert.deepEqual(read('posts', swarm).guid, [
      `of:guid:foursquare/#${id}`,
      `link:swarmapp.com/user/8/checkin/${id}?s=x`,
    ])
  })

  test('photo, video, event, friend', () => {
    const shot = read('photos', photo)
    assert.equal(shot.card.url, 'https://cdn.test/l.jpg')
    assert.equal(shot.card.width, 2048)
    assert.deepEqual(shot.participants, [OWNER, '404'])
    assert.deepEqual(shot.texts, ['Sunset', 'May be an image of the sea'])
    assert.deepEqual(read('tagged_photos', { ...photo, from: { id: '404' } }).types, ['photos_feed'])
    assert.deepEqual(read('tagged_photos', photo).types, [], 'the person’s own')
    const film = read('videos', video)
    assert.equal(film.card.url, `https://www.facebook.com/${OWNER}/videos/4001/`)
    assert.equal(film.card.title, 'Waves')
    const concert = read('events', event)
    assert.equal(concert.at, Date.UTC(2026, 6, 1, 17))
    assert.equal(mapOf(endpoints['events']!, event)['ends'], Date.UTC(2026, 6, 1, 20))
    assert.equal(read('friends', records[7]![1]).card.thumbnail_url, 'https://cdn.test/per.jpg')
  })
})

suite('Facebook walks', () => {
  test('follow the next URLs, without the token in them', () => {
    const { pages } = endpoints['posts']!
    const first = pages.first({ method: 'GET', path: '/me/posts', query: { fields: 'id', since: '5' } })
    assert.deepEqual(first.query, { limit: '25', fields: 'id', since: '5' })
    const next =
      'https://graph.facebook.com/v26.0/10153001/posts?fields=id&limit=25&until=17&access_token=SECRET&appsecret_proof=P'
    const page = { request: first, headers: {}, count: 0 }
    assert.deepEqual(pages.next({ ...page, body: { data: [], paging: { next } } }), {
      method: 'GET',
      path: 'https://graph.facebook.com/v26.0/10153001/posts?fields=id&limit=25&until=17',
      query: {},
    })
    assert.equal(pages.next({ ...page, body: { data: [post], paging: { cursors: { after: 'x' } } } }), undefined)
    assert.equal(pages.next({ ...page, body: { data: [] } }), undefined)
  })

  test('the timeline of others omits the person’s own posts', () => {
    const others = [{ id: `${OWNER}_1`, from: { id: '404' } }, { id: `${OWNER}_2` }]
    assert.deepEqual(endpoints['feed']!.items({ data: [post, ...others] }), others)
    assert.deepEqual(endpoints['posts']!.items({ data: [] }), [])
    assert.equal(endpoints['posts']!.items({ error: { message: 'Please retry' } }), undefined)
  })

  test('the next run starts two weeks before the newest', () => {
    const checkpoint = endpoints['posts']!.checkpoint!
    const watermark = checkpoint.advance({ items: [post, { id: 'x' }], body: {} }, undefined)
    assert.equal(watermark, Date.UTC(2026, 2, 1, 10) / 1000)
    assert.deepEqual(checkpoint.query(watermark), { since: String(Date.UTC(2026, 1, 15, 10) / 1000) })
  })
})

suite('Facebook errors, limits and webhooks', () => {
  test('a 400 is classified by its code', () => {
    const recovery = (code: number) => api.recovery!({ status: 400, body: { error: { code } }, headers: {} })
    assert.deepEqual([190, 4, 341, 17, 613, 80_001, 2, 10, 200, 100].map(recovery), [
      'reauthorize',
      'pause_app',
      'pause_app',
      'pause_person',
      'pause_person',
      'pause_person',
      'retry',
      'not_granted',
      'not_granted',
      undefined,
    ])
    const tooMuch = "Please reduce the amount of data you're asking for, then retry your request"
    const answer = (message: string) =>
      api.recovery!({ status: 500, body: { error: { code: 1, message } }, headers: {} })
    assert.deepEqual([answer(tooMuch), answer('An unknown error occurred')], ['smaller', 'retry'])
    assert.equal(api.recovery!({ status: 200, body: { data: [] }, headers: {} }), undefined)
    assert.equal(api.recovery!({ status: 502, body: undefined, headers: {} }), undefined)
  })

  test('usage is in percent, with minutes if it is used up', () => {
    const app = { 'x-app-usage': '{"call_count":28,"total_time":61,"total_cputime":25}' }
    assert.deepEqual(api.rate!(app, 1000), { remaining: 39, resetAtMs: 3_601_000, of: 'app' })
    const business = { 'x-business-use-case-usage': '{"7":[{"call_count":100,"estimated_time_to_regain_access":19}]}' }
    assert.deepEqual(api.rate!(business, 0), { remaining: 0, resetAtMs: 19 * 60_000, of: 'person' })
    assert.deepEqual(api.rate!({ ...business, ...app }, 0)?.of, 'person')
    const full = { 'x-app-usage': JSON.stringify({ call_count: 100 }) }
    assert.deepEqual(api.rate!({ ...business, ...full }, 0)?.of, 'app')
    assert.equal(api.rate!({ 'x-app-usage': 'broken' }, 0), undefined)
    assert.equal(api.rate!({}, 0), undefined)
  })

  test('webhooks: the challenge, the signature, the person', () => {
    const secret = 'app-secret'
    const sign = (algorithm: string, text: string) => createHmac(algorithm, secret).update(text).digest('hex')
    const query = { 'hub.mode': 'subscribe', 'hub.verify_token': secret, 'hub.challenge': '1158201444' }
    const request = { method: 'GET', query, headers: {}, body: '' }
    assert.equal(hook!.handshake!(query, secret, sign, request), '1158201444')
    assert.equal(hook!.handshake!({ ...query, 'hub.verify_token': 'other' }, secret, sign, request), undefined)
    const notice = { object: 'user', entry: [{ time: 1, id: OWNER, uid: OWNER, changed_fields: ['photos'] }] }
    const body = JSON.stringify(notice)
    const headers = { 'x-hub-signature-256': `sha256=${sign('sha256', body)}` }
    assert.equal(hook!.verify({ headers, body, secret, sign }), true)
    assert.equal(hook!.verify({ headers, body: `${body} `, secret, sign }), false)
    assert.equal(hook!.verify({ headers: {}, body, secret, sign }), false)
    assert.deepEqual(hook!.people(notice), [OWNER])
  })

  test('a token of another app, or an expired one, is not ours', () => {
    assert.ok(auth.kind === 'oauth2' && auth.verifyApp)
    assert.equal(auth.verifyApp.read({ data: { app_id: '42', is_valid: true } }), '42')
    assert.equal(auth.verifyApp.read({ data: { app_id: '42', is_valid: false } }), undefined)
    assert.equal(auth.verifyApp.read({}), undefined)
  })
})
