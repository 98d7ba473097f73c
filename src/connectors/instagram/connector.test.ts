import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { suite, test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { type ItemDraft, itemReader } from '#kit/connector/read-item.ts'
import { instagram } from './connector.ts'

const OWNER = '17841400000000001'
const { endpoints, api, hook, self } = instagram
const read = (name: keyof typeof endpoints, raw: unknown): ItemDraft =>
  itemReader(instagram, name, endpoints[name]!, OWNER)(raw)

const caption = 'Morning over the valley ☀️ #hike'
const photo = {
  id: '17900000000000001',
  caption,
  media_type: 'IMAGE',
  media_product_type: 'FEED',
  media_url: 'https://cdn.test/a.jpg',
  permalink: 'https://www.instagram.com/p/DAbc_1-x/',
  shortcode: 'DAbc_1-x',
  timestamp: '2026-04-01T06:30:00+0000',
  username: 'ida.hikes',
  owner: { id: OWNER },
  alt_text: 'A valley in fog',
  like_count: 31,
  comments_count: 2,
}
const album = {
  ...photo,
  media_type: 'CAROUSEL_ALBUM',
  media_url: undefined,
  children: {
    data: [
      { id: '1', media_type: 'VIDEO', media_url: 'https://cdn.test/b.mp4', thumbnail_url: 'https://cdn.test/b.jpg' },
      { id: '2', media_type: 'IMAGE', media_url: 'https://cdn.test/c.jpg' },
    ],
  },
}
const comment = {
  id: '17800000000000009',
  text: 'Where is this?',
  timestamp: '2026-04-01T08:00:00+0000',
  from: { id: '5550001', username: 'per' },
  media: { id: photo.id, permalink: photo.permalink },
  like_count: 1,
  replies: { data: [{ id: '17800000000000010', text: 'At home', username: 'ida.hikes' }] },
}
const message = {
  id: 'aWdfZAG1f',
  created_time: '2026-04-02T09:00:00+0000',
  from: { id: '5550001', username: 'per' },
  to: { data: [{ id: OWNER, username: 'ida.hikes' }] },
  message: 'Can I come along?',
}

suite('Instagram records', () => {
  test('a photo: dedupe keys, author, card, texts', () => {
    const item = read('media', photo)
    assert.deepEqual(item.faults, [])
    assert.equal(item.idr, `photo:${OWNER}@instagram/media#${photo.id}`)
    assert.equal(item.at, Date.UTC(2026, 3, 1, 6, 30))
    assert.deepEqual(item.types, ['photos'])
    assert.match(
      item.guid.join(' '),
      /^text:[0-9a-f]{20} guid:instagram\/#DAbc_1-x page:instagram\.com\/p\/DAbc_1-x file:cdn\.test\/a\.jpg$/,
    )
    assert.deepEqual(item.participants, [OWNER])
    assert.equal(item.card.url, 'https://cdn.test/a.jpg')
    assert.equal(item.card.provider_url, photo.permalink)
    assert.deepEqual(item.texts, [caption, 'A valley in fog'])
    assert.deepEqual(mapOf(endpoints['media']!, photo)['counts'], { likes: 31, comments: 2 })
  })

  test('commenters take part, after the author', () => {
    const from = (id: string) => ({ id: `c${id}`, from: { id, username: `u${id}` } })
    const data = [
      from('5'),
      from(OWNER),
      { id: 'hidden' },
      from('5'),
      ...Array.from({ length: 20 }, (_, i) => from(`${60 + i}`)),
    ]
    const { participants, hasAuthor } = read('media', { ...photo, comments: { data } })
    assert.deepEqual([participants.slice(0, 3), participants.length, hasAuthor], [[OWNER, '5', '60'], 16, true])
  })

  test('comments are requested only with their permission', () => {
    const { prepare, query } = endpoints['media']!
    const fields = (granted: string[] | undefined) =>
      prepare!({ method: 'GET', path: '/me/media', query }, { nowMs: 0, watermark: undefined, granted }).query['fields']
    assert.match(
      fields(['instagram_business_basic', 'instagram_business_manage_comments'])!,
      /,comments\.limit\(25\)\{/,
    )
    for (const granted of [undefined, [], ['instagram_business_basic']]) assert.equal(fields(granted), query['fields'])
    assert.doesNotMatch(query['fields']!, /comments\./)
  })

  test('albums have the types of their media, and the image of a video is its thumbnail', () => {
    const item = read('media', album)
    assert.deepEqual(item.types, ['photos', 'videos'])
    assert.deepEqual([item.card.type, item.card.url], ['photo', 'https://cdn.test/c.jpg'])
    const { videos } = item.cards
    assert.deepEqual(
      [videos?.type, videos?.url, videos?.thumbnail_url],
      ['video', photo.permalink, 'https://cdn.test/b.jpg'],
    )
    assert.equal(mapOf(endpoints['media']!, album)['image'], 'https://cdn.test/b.jpg')
    assert.equal(mapOf(endpoints['media']!, album)['media'], 'https://cdn.test/b.mp4')
    const reel = { ...photo, media_type: 'VIDEO', media_product_type: 'REELS', thumbnail_url: 'https://cdn.test/t.jpg' }
    assert.deepEqual(read('media', reel).types, ['videos'])
    assert.equal(read('media', reel).card.url, photo.permalink)
    assert.equal(read('media', reel).card.thumbnail_url, 'https://cdn.test/t.jpg')
  })

  test('a missing shortcode is read from the URL', () => {
    const { shortcode: _, ...rest } = photo
    assert.deepEqual(read('tags', { ...rest, caption: '' }).guid, [
      'guid:instagram/#DAbc_1-x',
      'page:instagram.com/p/DAbc_1-x',
      'file:cdn.test/a.jpg',
    ])
  })

  test('media of others have no author', () => {
    const { owner: _, ...theirs } = photo
    const item = read('tags', theirs)
    assert.deepEqual(item.types, ['photos_feed'])
    assert.deepEqual([item.participants, item.hasAuthor], [[], false])
  })

  test('comments and replies of others are separate records', () => {
    const more = { id: '3', text: 'Nice', from: { id: '5550002', username: 'siv' } }
    const replies = { data: [...comment.replies.data, more] }
    const commented = { id: photo.id, username: 'ida.hikes', comments: { data: [{ ...comment, replies }] } }
    const found = endpoints['comments']!.items({ data: [commented, { id: '2' }] })!.map((raw) => read('comments', raw))
    assert.deepEqual(
      found.map(({ nativeId }) => nativeId),
      [comment.id, '3'],
    )
    assert.deepEqual(found[0]!.types, ['statuses_feed'])
    assert.deepEqual(found[0]!.participants, ['5550001'])
    assert.equal(found[0]!.card.text, 'Where is this?')
  })

  test('messages of all conversations', () => {
    const found = endpoints['messages']!.items({ data: [{ id: 'c1', messages: { data: [message] } }, { id: 'c2' }] })
    assert.deepEqual(found, [message])
    const item = read('messages', message)
    assert.deepEqual(item.participants, ['5550001', OWNER])
    const map = mapOf(endpoints['messages']!, message)
    assert.deepEqual([map['from'], map['to'], map['text']], ['per', ['ida.hikes'], 'Can I come along?'])
  })

  test('the account has the id that webhooks use, in both shapes of the response', () => {
    const account = { id: '9', user_id: 17_841_400_000_000_001n, username: 'ida.hikes', name: 'Ida' }
    assert.equal(self.read(account).id, OWNER)
    assert.equal(self.read({ data: [account] }).handle, 'ida.hikes')
    assert.equal(self.read({ id: '9' }).id, '9')
  })
})

suite('Instagram walks', () => {
  test('follow the next URLs, without the token in them', () => {
    const { pages } = endpoints['media']!
    const first = pages.first({ method: 'GET', path: '/me/media', query: { fields: 'id' } })
    assert.deepEqual(first.query, { limit: '50', fields: 'id' })
    const next = 'https://graph.instagram.com/v26.0/17841400000000001/media?access_token=IGSECRET&limit=50&after=QVFI'
    const page = { request: first, headers: {}, count: 0 }
    const second = pages.next({ ...page, body: { data: [], paging: { next } } })
    assert.equal(second?.path, 'https://graph.instagram.com/v26.0/17841400000000001/media?limit=50&after=QVFI')
    assert.equal(pages.next({ ...page, body: { data: [photo], paging: { cursors: {} } } }), undefined)
  })

  test('a walk ends at media that are a month older than the newest known', () => {
    const checkpoint = endpoints['media']!.checkpoint!
    const watermark = checkpoint.advance({ items: [photo, { id: 'x' }], body: {} }, undefined)!
    assert.equal(watermark, Date.UTC(2026, 3, 1, 6, 30))
    assert.equal(checkpoint.isKnown!({ ...photo, timestamp: '2026-03-15T00:00:00+0000' }, watermark), false)
    assert.equal(checkpoint.isKnown!({ ...photo, timestamp: '2026-02-15T00:00:00+0000' }, watermark), true)
  })
})

suite('Instagram errors, limits and webhooks', () => {
  test('a 400 is classified by its code', () => {
    const recovery = (code: number) => api.recovery!({ status: 400, body: { error: { code } }, headers: {} })
    assert.deepEqual([190, 4, 80_002, 2, 10, 100].map(recovery), [
      'reauthorize',
      'pause_app',
      'pause_person',
      'retry',
      'not_granted',
      undefined,
    ])
    assert.equal(api.recovery!({ status: 500, body: null, headers: {} }), undefined)
  })

  test('usage is in percent of the account’s limit', () => {
    const header = '{"17841":[{"type":"instagram","call_count":40,"total_cputime":90,"total_time":5}]}'
    assert.deepEqual(api.rate!({ 'x-business-use-case-usage': header }, 0), {
      remaining: 10,
      resetAtMs: 3_600_000,
      of: 'person',
    })
    assert.equal(api.rate!({ 'x-business-use-case-usage': '[' }, 0), undefined)
  })

  test('webhooks are accepted by their signature', () => {
    const secret = 'instagram-app-secret'
    const sign = (algorithm: string, text: string) => createHmac(algorithm, secret).update(text).digest('hex')
    const notice = { object: 'instagram', entry: [{ id: OWNER, time: 1, changes: [{ field: 'comments' }] }] }
    const body = JSON.stringify(notice)
    const headers = { 'x-hub-signature-256': `sha256=${sign('sha256', body)}` }
    assert.equal(hook!.verify({ headers, body, secret, sign }), true)
    assert.equal(hook!.verify({ headers, body: body.replace('comments', 'mentions'), secret, sign }), false)
    assert.deepEqual(hook!.people(notice), [OWNER])
    assert.deepEqual(hook!.people([notice]), [OWNER])
    assert.deepEqual(hook!.people(null), [])
  })
})
