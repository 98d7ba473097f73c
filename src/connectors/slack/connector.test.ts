import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { suite, test } from 'node:test'
import type { Sign } from '#kit/connector/connector.ts'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import { slack } from './connector.ts'
import { addressesIn, mentionsIn, readable } from './text.ts'

const { messages, replies, conversations, files } = slack.endpoints
const hook = slack.hook!
const OWNER = 'U1@T1'
const parent = { id: 'C1', record: { id: 'C1', name: 'general' } }
const message = { type: 'message', ts: '1700000000.000100', user: 'U2', text: 'Hi <@U3>, <@U1|ada>' }

const envelope = (event: object, more: object = {}) => ({
  type: 'event_callback',
  team_id: 'T1',
  event_time: 1_700_000_100,
  event,
  authorizations: [{ team_id: 'T1', user_id: 'U1', is_bot: false }],
  ...more,
})

suite('slack', () => {
  test('errors with status 200 are decided by their code', () => {
    const recovery = (body: unknown) => slack.api.recovery?.({ status: 200, body, headers: {} })
    assert.equal(recovery({ ok: true }), undefined)
    for (const error of ['token_revoked', 'account_inactive', 'invalid_auth', 'not_authed', 'token_expired'])
      assert.equal(recovery({ ok: false, error }), 'reauthorize', error)
    assert.equal(recovery({ ok: false, error: 'missing_scope' }), 'not_granted')
    for (const error of ['channel_not_found', 'not_in_channel'])
      assert.equal(recovery({ ok: false, error }), 'skip', error)
    assert.equal(recovery({ ok: false, error: 'invalid_cursor' }), 'restart')
    assert.equal(recovery({ ok: false, error: 'ratelimited' }), 'retry')
    for (const error of ['unheard_of', 'constructor', undefined])
      assert.equal(recovery({ ok: false, error }), 'stop', String(error))
    for (const odd of [null, undefined, [], 'text']) assert.equal(recovery(odd), undefined)
  })

  test('a person is named with the workspace; a token of a bot names nobody', () => {
    const identity = { ok: true, user_id: 'U1', team_id: 'T1', user: 'ada', about: { profile: { real_name: 'Ada' } } }
    const { id, name, handle } = slack.self.read(identity)
    assert.deepEqual([id, name, handle], [OWNER, 'Ada', 'ada'])
    assert.equal(slack.self.alsoKnownAs?.(identity), 'U1')
    assert.equal(slack.self.read({ ...identity, bot_id: 'B1' }).id, '')
    assert.equal(slack.self.read({ ...identity, about: { ok: false, error: 'missing_scope' } }).name, 'ada')
  })

  test('a message names its conversation, its author and the people in it, with the workspace', () => {
    const [record] = messages!.items({ ok: true, messages: [message] }, { parent, parents: [parent] })!
    const draft = itemReader(slack, 'messages', messages!, OWNER)(record)
    assert.equal(draft.nativeId, 'C1:1700000000.000100')
    assert.equal(draft.at, 1_700_000_000_000)
    assert.deepEqual([...draft.participants].sort(), ['U1@T1', 'U2@T1', 'U3@T1'])
    assert.equal(mapOf(messages!, record, OWNER).text, 'Hi @U3, @ada')
    assert.equal(messages!.items({ ok: false }, { parent, parents: [parent] }), undefined)
  })

  test('the next run of a conversation begins two days before its newest message', () => {
    const watermark = messages!.checkpoint!.advance({ items: [{ ...message, channel: 'C1' }], body: {} }, undefined)!
    assert.deepEqual(messages!.checkpoint!.query(watermark), { oldest: String(1_700_000_000 - 2 * 86_400) })
  })

  test('threads are read by conversation and time, without the message that they answer', () => {
    const record = {
      ...message,
      channel: 'C1',
      thread_ts: message.ts,
      reply_count: 2,
      latest_reply: '1700000009.000100',
    }
    const { where, version } = replies!.children!
    assert.equal(where?.(record, { id: OWNER }), true)
    assert.equal(where?.({ ...record, reply_count: undefined }, { id: OWNER }), false)
    assert.notEqual(version?.(record), version?.({ ...record, reply_count: 3 }))
    const from = { parent: { id: 'C1:1', record }, parents: [{ id: 'C1:1', record }] }
    const context = { nowMs: 0, watermark: undefined, granted: undefined, from }
    const { query } = replies!.prepare!({ method: 'GET', path: replies!.path, query: {} }, context)
    assert.deepEqual(query, { channel: 'C1', ts: message.ts })
    const answer = { ...message, ts: '1700000009.000100', thread_ts: message.ts }
    assert.deepEqual(replies!.items({ messages: [message, answer] }, from), [{ ...answer, channel: 'C1' }])
  })

  test('only those types of conversations are requested that the person granted', () => {
    const typesFor = (granted: string[] | undefined) =>
      conversations!.prepare!(
        { method: 'GET', path: conversations!.path, query: {} },
        { nowMs: 0, watermark: undefined, granted },
      ).query['types']
    assert.equal(typesFor(['channels:read', 'im:read']), 'public_channel,im')
    assert.equal(typesFor(undefined), 'public_channel,private_channel,mpim,im')
  })

  test('files end with the last page that the service names', () => {
    const request = files!.pages.first({ method: 'GET', path: files!.path, query: {} })
    const next = (page: number) =>
      files!.pages.next({ request, body: { paging: { page, pages: 2 } }, headers: {}, count: 100 })
    assert.equal(next(1)?.query['page'], '2')
    assert.equal(next(2), undefined)
  })

  test('texts are shown as people read them', () => {
    assert.equal(readable('a &lt;b&gt; &amp;amp; <https://a.test/?x=1|plan>'), 'a <b> &amp; plan (https://a.test/?x=1)')
    assert.equal(readable('<!here> in <#C1|general> <'), '@here in #general <')
    assert.deepEqual(mentionsIn('<@U1> <@W2|x> <#C1> <@nobody'), ['U1', 'W2'])
    assert.deepEqual(addressesIn('<https://a.test/?a=1&amp;b=2|x> <mailto:a@b.test>'), ['https://a.test/?a=1&b=2'])
  })
})

suite('events of slack', () => {
  const sign: Sign = (algorithm, text, encoding = 'hex') => createHmac(algorithm, 's').update(text).digest(encoding)
  const items = (event: object) => hook.items!(envelope(event))

  test('are signed together with their time', () => {
    const body = '{}'
    const headers = {
      'x-slack-request-timestamp': '1700000000',
      'x-slack-signature': `v0=${sign('sha256', `v0:1700000000:${body}`)}`,
    }
    const isValid = (given: Record<string, string>, text = body) =>
      hook.verify({ headers: given, body: text, secret: 's', sign })
    assert.equal(isValid(headers), true)
    assert.equal(isValid({ ...headers, 'x-slack-request-timestamp': '1700000001' }), false)
    assert.equal(isValid(headers, '{"a":1}'), false)
    assert.equal(isValid({}), false)
    assert.equal(hook.signedAt!({ headers, body }), 1_700_000_000_000)
  })

  test('bring messages, answers, edits and deletions for the person they are visible to', () => {
    const at = { channel: 'C1', event_ts: '1700000050.000100' }
    const stored = { ...message, channel: 'C1' }
    const posted = { ...message, ...at, channel_type: 'channel' }
    assert.deepEqual(items(posted), [{ person: OWNER, endpoint: 'messages', record: stored }])
    const answer = { ...message, ts: '1700000001.000100', thread_ts: message.ts }
    assert.equal(items({ ...answer, ...at })[0]?.endpoint, 'replies')
    assert.equal(items({ ...answer, ...at, subtype: 'thread_broadcast' })[0]?.endpoint, 'messages')
    const edited = { ...message, text: 'Ho', edited: { user: 'U2', ts: '1700000040.000000' } }
    const changed = { type: 'message', subtype: 'message_changed', ...at, message: edited }
    assert.deepEqual(items(changed), [{ person: OWNER, endpoint: 'messages', record: { ...edited, channel: 'C1' } }])
    assert.ok(hook.version!(edited, 'messages')! > hook.version!(message, 'messages')!)
    const deleted = {
      type: 'message',
      subtype: 'message_deleted',
      ...at,
      deleted_ts: message.ts,
      previous_message: message,
    }
    assert.deepEqual(items(deleted), [
      { person: OWNER, endpoint: 'messages', deleted: 'C1:1700000000.000100', at: 1_700_000_050_000 },
    ])
    assert.deepEqual(hook.people(envelope(posted)), [])
  })

  test('about something else make its lists due; those of bots concern nobody', () => {
    const joined = envelope({ type: 'member_joined_channel', user: 'U1', channel: 'C1' })
    assert.deepEqual(hook.people(joined), [OWNER])
    assert.deepEqual(hook.endpoints!(joined), ['conversations', 'messages'])
    assert.deepEqual(hook.people({ ...joined, authorizations: [{ team_id: 'T1', user_id: 'U9', is_bot: true }] }), [])
    assert.deepEqual(hook.people({ ...joined, authorizations: undefined, authed_users: ['U1', 'U1'] }), [OWNER])
    assert.deepEqual(hook.people({ type: 'app_rate_limited', team_id: 'T1' }), [])
    assert.throws(() => hook.people({}))
  })

  test('name the people whose tokens were revoked', () => {
    const revoked = envelope({ type: 'tokens_revoked', tokens: { oauth: ['U1', 'U2'], bot: ['U3'] } })
    const at = 1_700_000_100_000
    assert.deepEqual(hook.ended!(revoked), [
      { person: OWNER, at },
      { person: 'U2@T1', at },
    ])
    assert.deepEqual(hook.people(revoked), [])
    assert.deepEqual(hook.ended!(envelope({ type: 'app_uninstalled' })), [])
  })
})
