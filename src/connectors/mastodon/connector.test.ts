import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import { mastodon } from './connector.ts'

const OWNER = '109300000000000001@mastodon.social'
type Name = 'statuses' | 'timeline' | 'following' | 'notifications'
const endpoints = mastodon.endpoints as Record<Name, Endpoint>
const read = (name: Name, raw: unknown, owner = OWNER) => itemReader(mastodon, name, endpoints[name], owner)(raw)

const ada = {
  id: '109300000000000001',
  username: 'ada',
  acct: 'ada',
  display_name: 'Ada',
  url: 'https://mastodon.social/@ada',
  avatar: 'https://files.test/a.png',
}
const ben = { id: '22', username: 'ben', acct: 'ben@far.test', display_name: '', url: 'https://far.test/@ben' }
const status = {
  id: '111222333444555666',
  created_at: '2026-11-01T10:00:00.000Z',
  edited_at: null,
  url: 'https://mastodon.social/@ada/111222333444555666',
  uri: 'https://mastodon.social/users/ada/statuses/111222333444555666',
  content: '<p>Look &amp; see<br />twice</p>',
  spoiler_text: '',
  language: 'en',
  account: ada,
  reblog: null,
  in_reply_to_account_id: '22',
  media_attachments: [
    {
      id: '1',
      type: 'image',
      url: 'https://files.test/1.jpg',
      preview_url: 'https://files.test/1s.jpg',
      description: 'A door',
      meta: { original: { width: 4, height: 3 } },
    },
  ],
  mentions: [{ id: '22', acct: 'ben@far.test' }],
  card: null,
  replies_count: 1,
  reblogs_count: 2,
  favourites_count: 3,
}

suite('mastodon', () => {
  test('a status with a picture; people are of this instance', () => {
    const draft = read('statuses', status)
    assert.equal(draft.idr, `status:109300000000000001%40mastodon.social@mastodon/statuses#${status.id}`)
    assert.equal(draft.at, Date.UTC(2026, 10, 1, 10))
    assert.deepEqual(draft.types, ['statuses', 'photos'])
    assert.deepEqual(draft.participants, [OWNER, '22@mastodon.social'])
    assert.deepEqual([draft.card.type, draft.card.url], ['photo', 'https://files.test/1.jpg'])
    assert.deepEqual(draft.faults, [])
    const map = mapOf(endpoints.statuses, status, OWNER)
    assert.equal(map['text'], 'Look & see\ntwice')
    assert.deepEqual(map['counts'], { likes: 3, comments: 1, shares: 2 })
    assert.deepEqual(Object.keys(map['participants'] as object), [OWNER, '22@mastodon.social'])
  })

  test('a boost shows what was boosted; the person’s own is in no feed', () => {
    const boost = { ...status, id: '9', content: '', media_attachments: [], reblog: { ...status, account: ben } }
    const draft = read('timeline', { ...boost, account: ben })
    assert.deepEqual(draft.types, ['statuses_feed', 'photos_feed'])
    assert.deepEqual(read('timeline', boost).types, [])
    const pageOf = (one: unknown) => read('timeline', one).guid.find((dedupeKey) => dedupeKey.startsWith('page:'))
    assert.equal(pageOf(boost), pageOf(status))
    assert.ok(pageOf(boost))
    assert.deepEqual(read('timeline', boost, '109300000000000001@else.test').types, [], 'the id is of the instance')
    assert.equal(mapOf(endpoints.timeline, boost, OWNER)['text'], 'Look & see\ntwice')
  })

  test('a warning precedes the text, a preview makes it news, a film a video', () => {
    const warned = {
      ...status,
      spoiler_text: 'Food',
      card: { url: 'https://a.test/', title: 'Bread' },
      media_attachments: [{ type: 'gifv', url: 'https://files.test/1.mp4', preview_url: 'https://files.test/1.png' }],
    }
    const draft = read('statuses', warned)
    assert.deepEqual(draft.types, ['statuses', 'videos', 'news'])
    assert.equal(mapOf(endpoints.statuses, warned, OWNER)['text'], 'Food\n\nLook & see\ntwice')
    assert.deepEqual([draft.cards.news?.url, draft.cards.news?.title], ['https://a.test/', 'Bread'])
  })

  test('accounts and notifications', () => {
    const contact = read('following', ben)
    assert.deepEqual(contact.texts, ['ben', '@ben@far.test'])
    assert.deepEqual([contact.nativeId, contact.card.id], ['22', '22@mastodon.social'], 'as participants name them')
    const followed = { id: '5', type: 'follow', created_at: '2026-11-01T10:00:00Z', account: ben }
    const draft = read('notifications', followed)
    assert.deepEqual([draft.types, draft.participants], [['messages'], ['22@mastodon.social']])
    assert.equal(mapOf(endpoints.notifications, followed, OWNER)['url'], ben.url)
  })

  test('the limit resets at a date', () => {
    const headers = { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '2026-11-01T10:05:00.000000Z' }
    const rate = mastodon.api.rate?.(headers, 0)
    assert.deepEqual(rate, { remaining: 7, resetAtMs: Date.UTC(2026, 10, 1, 10, 5), of: 'person' })
    assert.equal(mastodon.api.rate?.({}, 0), undefined)
  })

  test('a missing scope skips the endpoint, a disabled login stops, a revoked token is an ordinary 401', () => {
    const recover = (status: number, error: string) => mastodon.api.recovery?.({ status, body: { error }, headers: {} })
    assert.equal(recover(403, 'This action is outside the authorized scopes'), 'not_granted')
    assert.equal(recover(403, 'Your login is currently disabled'), 'stop')
    assert.equal(recover(401, 'The access token was revoked'), undefined)
  })
})
