import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import { demoSocial } from './connector.ts'

const OWNER = '1576860000'
type Name = 'posts' | 'photos' | 'friends' | 'feed'
const { posts, photos, friends, feed } = demoSocial.endpoints as Record<Name, Endpoint>

const ada = {
  id: OWNER,
  username: 'ada',
  name: 'Ada',
  url: 'https://demo-social.test/ada',
  avatar_url: 'https://demo-social.test/a.svg',
}
const ben = { id: '2', username: 'ben', name: 'Ben' }
const cleo = { id: '3', username: 'cleo', name: 'Cleo' }

const link = {
  id: '10',
  type: 'link',
  author: ada,
  created_at: '2026-05-01T10:00:00.000Z',
  edited_at: '2026-05-02T10:00:00.000Z',
  text: 'On bridges https://example.test/more.',
  language: 'en',
  visibility: 'friends',
  mentions: [cleo],
  link: { url: 'https://example.test/a', title: 'Bridges', description: 'How they stand' },
  likes: { count: 2, people: [ben, cleo] },
  comments: { count: 1, data: [{ id: '10_1', author: ben, text: 'Yes', created_at: '2026-05-01T11:00:00.000Z' }] },
  url: 'https://demo-social.test/ada/posts/10',
}
const checkin = {
  id: '11',
  type: 'checkin',
  author: ada,
  created_at: '2026-05-03T10:00:00.000Z',
  edited_at: null,
  text: '',
  place: { id: 'p1', name: 'Old Bakery', city: 'Lisbon', lat: 38.7, lng: -9.1 },
  likes: { count: 0, people: [] },
  comments: { count: 0, data: [] },
  url: 'https://demo-social.test/ada/posts/11',
}
const picture = {
  id: '20',
  type: 'photo',
  author: ben,
  created_at: '2026-04-01T10:00:00.000Z',
  edited_at: null,
  caption: 'A door',
  album: null,
  width: 1600,
  height: 1200,
  images: [
    { width: 1600, height: 1200, url: 'https://demo-social.test/media/large.svg' },
    { width: 160, height: 120, url: 'https://demo-social.test/media/small.svg' },
  ],
  tagged: [cleo],
  likes: { count: 1, people: [ada] },
  comments: { count: 0, data: [] },
  url: 'https://demo-social.test/ben/photos/20',
}

const read = (name: Name, raw: unknown) => itemReader(demoSocial, name, demoSocial.endpoints[name]!, OWNER)(raw)

suite('demo-social', () => {
  test('a link is a status and news', () => {
    const draft = read('posts', link)
    assert.equal(draft.idr, `post:${OWNER}@demo-social/posts#10`)
    assert.equal(draft.at, Date.UTC(2026, 4, 1, 10))
    assert.deepEqual(draft.types, ['statuses', 'news'])
    assert.deepEqual(draft.participants, [OWNER, '2', '3'])
    assert.equal(draft.card.title, 'Bridges')
    assert.equal(draft.card.url, 'https://example.test/a')
    assert.equal(draft.card.provider_url, link.url)
    assert.deepEqual(draft.texts, [link.text, 'Bridges', 'https://example.test/a'])
    const map = mapOf(posts, link, OWNER)
    assert.deepEqual(map['urls'], ['https://example.test/a', 'https://example.test/more'])
    assert.deepEqual(map['counts'], { likes: 2, comments: 1 })
    assert.equal(map['lang'], 'en')
  })

  test('a check-in has a place, and is a status only with a text', () => {
    const draft = read('posts', checkin)
    assert.deepEqual(draft.types, ['checkins'])
    assert.deepEqual(draft.place, { lat: 38.7, lng: -9.1 })
    assert.equal(draft.card.title, 'Old Bakery')
    assert.equal(mapOf(posts, checkin, OWNER)['place'], 'Old Bakery, Lisbon')
    const told = read('posts', { ...checkin, text: 'Bread!' })
    assert.deepEqual(told.types, ['checkins', 'statuses'])
    assert.deepEqual([told.card.type, told.card.text, told.cards.statuses?.text], ['checkin', 'Bread!', 'Bread!'])
  })

  test('records of the feed belong to others', () => {
    assert.deepEqual(read('feed', { ...link, author: picture.author }).types, ['statuses_feed', 'news_feed'])
    assert.deepEqual(read('feed', link).types, [], 'the person’s own')
    const draft = read('feed', picture)
    assert.deepEqual(draft.types, ['photos_feed'])
    assert.deepEqual(draft.participants, ['2', OWNER, '3'])
    assert.deepEqual([draft.card.width, draft.card.height], [1600, 1200])
    assert.equal(draft.card.url, picture.images[0]!.url)
    assert.equal(draft.card.thumbnail_url, picture.images[1]!.url)
    assert.deepEqual(draft.texts, ['A door'])
  })

  test('deletions are records', () => {
    const gone = { id: '10', deleted: true, deleted_at: '2026-06-01T00:00:00.000Z' }
    assert.equal(read('posts', gone).deleted, true)
    assert.equal(read('posts', link).deleted, false)
    const watermark = posts.checkpoint?.advance({ items: [link, gone], body: undefined }, undefined)
    assert.equal(watermark, Date.UTC(2026, 5, 1))
    assert.deepEqual(photos.checkpoint?.query(watermark), { updated_since: '2026-05-31T23:59:00.000Z' })
  })

  test('friends are contacts', () => {
    const draft = read('friends', { ...ada, friends_since: '2020-01-01T00:00:00.000Z' })
    assert.equal(draft.category, 'contacts')
    assert.deepEqual(draft.texts, ['Ada', '@ada'])
    assert.equal(draft.card.handle, 'ada')
  })

  test('only a null cursor ends a walk', () => {
    const request = friends.pages.first({ method: 'GET', path: '/me/friends', query: {} })
    assert.deepEqual(request.query, { limit: '50' })
    const next = (paging: object | undefined) =>
      friends.pages.next({ request, body: { data: [], ...(paging && { paging }) }, headers: {}, count: 0 })?.query
    assert.deepEqual(next({ next_cursor: 'abc', next: 'x' }), { limit: '50', cursor: 'abc' })
    assert.equal(next({ next_cursor: null, next: null }), undefined)
    assert.equal(next(undefined), undefined)
  })

  test('the feed is read until three days before the newest known entry', () => {
    const watermark = Date.UTC(2026, 4, 10)
    const isKnown = (day: number) =>
      feed.checkpoint?.isKnown?.({ ...link, created_at: `2026-05-0${day}T00:00:00Z` }, watermark)
    assert.deepEqual([isKnown(6), isKnown(7), isKnown(8)], [true, false, false])
  })

  test('limits are read from headers', () => {
    const rate = demoSocial.api.rate?.({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1777617000' }, 0)
    assert.deepEqual(rate, { remaining: 0, resetAtMs: 1_777_617_000_000, of: 'person' })
    assert.equal(demoSocial.api.rate?.({}, 0), undefined)
  })
})
