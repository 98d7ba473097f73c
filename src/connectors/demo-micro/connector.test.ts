import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import { demoMicro } from './connector.ts'

const OWNER = '7042118006123451000'
type Name = 'statuses' | 'timeline' | 'favourites' | 'following' | 'messages'
const endpoints = demoMicro.endpoints as Record<Name, Endpoint>

const ada = { id: 7042118006123451000n, id_str: OWNER, handle: 'ada', name: 'Ada', url: 'https://demo-micro.test/ada' }
const ben = {
  id: 7042118006123455096n,
  id_str: '7042118006123455096',
  handle: 'ben',
  name: 'Ben',
  url: 'https://demo-micro.test/ben',
}
const cleo = { id: 9n, id_str: '9', handle: 'cleo', name: 'Cleo', url: 'https://demo-micro.test/cleo' }

const status = {
  id: 2031478811234567890n,
  id_str: '2031478811234567890',
  created_at: 'Sat Nov 14 09:30:05 +0000 2026',
  text: 'Look @ben https://dm.test/x',
  account: ada,
  source: 'Web',
  entities: {
    urls: [{ url: 'https://dm.test/x', expanded_url: 'https://example.test/article', display_url: 'example.test' }],
    mentions: [ben],
    hashtags: [{ text: 'doors' }],
    media: [{ type: 'photo', media_url: 'https://pictures.test/1.jpg' }],
  },
  coordinates: { type: 'Point', coordinates: [-9.1, 38.7] },
  place: { full_name: 'Lisbon, Portugal' },
  in_reply_to: { status_id: 5n, status_id_str: '5', handle: 'ben' },
  reshare_of: { id: 4n, id_str: '4', created_at: 'Sat Nov 14 09:00:00 +0000 2026', text: 'Look', account: cleo },
  favourite_count: 3,
  reshare_count: 0,
  url: 'https://demo-micro.test/ada/status/2031478811234567890',
}
const message = {
  id: 77n,
  id_str: '77',
  created_at: 'Sat Nov 14 10:00:00 +0000 2026',
  text: 'Tea?',
  sender: ben,
  recipient: ada,
}

const read = (name: Name, raw: unknown) => itemReader(demoMicro, name, endpoints[name], OWNER)(raw)

suite('demo-micro', () => {
  test('a status keeps all digits of its id, and coordinates have the longitude first', () => {
    const draft = read('statuses', status)
    assert.equal(draft.idr, `status:${OWNER}@demo-micro/statuses#2031478811234567890`)
    assert.equal(draft.at, Date.UTC(2026, 10, 14, 9, 30, 5))
    assert.deepEqual(draft.types, ['statuses', 'photos', 'news'])
    assert.deepEqual(draft.place, { lat: 38.7, lng: -9.1 })
    assert.deepEqual(draft.participants, [OWNER, '9', ben.id_str])
    assert.deepEqual(draft.guid.slice(1), [
      'guid:demo-micro/#2031478811234567890',
      'page:demo-micro.test/ada/status/2031478811234567890',
      'link:example.test/article',
    ])
    assert.deepEqual([draft.card.type, draft.card.url], ['photo', 'https://pictures.test/1.jpg'])
    assert.deepEqual(
      [draft.cards.news?.type, draft.cards.news?.url, draft.cards.statuses?.type, draft.cards.statuses?.url],
      ['link', 'https://example.test/article', 'text', status.url],
    )
    const map = mapOf(endpoints.statuses, status, OWNER)
    assert.deepEqual(map['urls'], ['https://example.test/article'])
    assert.deepEqual(map['counts'], { likes: 3, shares: 0 })
    assert.equal(map['place'], 'Lisbon, Portugal')
  })

  test('the same text has the same dedupe key', () => {
    const again = { ...status, id_str: '1', url: 'https://demo-micro.test/ada/status/1' }
    const textKey = (raw: unknown) => read('timeline', raw).guid[0]
    assert.equal(textKey(again), textKey(status))
    assert.notEqual(textKey({ ...status, text: 'Else' }), textKey(status))
    const reshare = { ...again, reshare_of: { id_str: '7', text: status.text, account: ben } }
    assert.ok(read('timeline', reshare).guid.includes('guid:demo-micro/#7'), 'it only passes on')
    assert.ok(read('timeline', { ...reshare, text: 'So true' }).guid.includes('guid:demo-micro/#1'))
    assert.deepEqual(read('timeline', again).types, [], 'the person’s own')
    assert.deepEqual(read('timeline', { ...again, account: ben }).types, ['statuses_feed', 'photos_feed', 'news_feed'])
  })

  test('a plain status has no other type', () => {
    const { coordinates: _, place: __, entities: ___, ...rest } = status
    const plain = {
      ...rest,
      coordinates: null,
      place: null,
      in_reply_to: null,
      entities: { urls: [], mentions: [], hashtags: [] },
    }
    const draft = read('statuses', plain)
    assert.deepEqual([draft.types, draft.place, draft.faults], [['statuses'], undefined, []])
    assert.equal(draft.card.url, status.url)
  })

  test('messages and accounts', () => {
    const draft = read('messages', message)
    assert.deepEqual(draft.participants, [ben.id_str, OWNER])
    assert.deepEqual(draft.types, ['messages'])
    assert.deepEqual(mapOf(endpoints.messages, message)['to'], ['ada'])
    assert.deepEqual(read('following', ben).texts, ['Ben', '@ben'])
  })

  test('pages continue below the lowest id until an empty one', () => {
    const { pages } = endpoints.statuses
    const request = pages.first({ method: 'GET', path: '/statuses/mine', query: {} })
    assert.deepEqual(request.query, { count: '200' })
    const body = [status, { ...status, id_str: '2031478811234567001' }, { ...status, id_str: '2031478811234567300' }]
    const next = pages.next({ request, body, headers: {}, count: 3 })
    assert.deepEqual(next?.query, { count: '200', max_id: '2031478811234567000' })
    assert.equal(pages.next({ request, body: [], headers: {}, count: 0 }), undefined)
  })

  test('messages continue after the newest id, own statuses of the last month are read again', () => {
    const { checkpoint } = endpoints.messages
    const items = ['99', '100', '9'].map((id_str) => ({ ...message, id_str }))
    assert.equal(checkpoint?.advance({ items, body: items }, undefined), '100')
    assert.deepEqual(checkpoint?.query('100'), { since_id: '100' })
    const watermark = Date.UTC(2026, 11, 24)
    const known = (created_at: string) => endpoints.statuses.checkpoint?.isKnown?.({ ...status, created_at }, watermark)
    assert.equal(known('Sun Nov 22 00:00:00 +0000 2026'), true)
    assert.equal(known('Wed Nov 25 00:00:00 +0000 2026'), false)
  })

  test('a missing permission for messages does not fail the profile', () => {
    const recover = (status: number, body: unknown) => demoMicro.api.recovery?.({ status, body, headers: {} })
    assert.equal(recover(403, { errors: [{ code: 93, message: 'No direct messages' }] }), 'not_granted')
    assert.equal(recover(403, { errors: [{ code: 186 }] }), undefined)
    assert.equal(recover(403, null), undefined)
    assert.equal(recover(200, [status]), undefined)
  })
})
