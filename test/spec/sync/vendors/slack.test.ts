import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type SlackHooks, signed } from '../../../../lab/services/slack/events.ts'
import { registerAt } from '../../../harness/callback.ts'
import { until } from '../../../harness/until.ts'
import { startVendorHarness, type VendorHarness } from './vendors-fixture.ts'

const SIGNING_SECRET = 'signing-secret'
const PERSON = 'dmitri'
const ENDPOINTS = ['conversations', 'messages', 'replies']

suite('Slack', () => {
  let harness: VendorHarness
  let slack: VendorHarness['lab']['services']['slack']
  let hooks: SlackHooks
  let address: string
  let token: string
  before(async () => {
    harness = await startVendorHarness()
    slack = harness.lab.services.slack
    hooks = slack.hooks as SlackHooks
    address = `${harness.tributary.url}/hooks/slack/${harness.app.clientId}`
    const own = await registerAt(harness.tributary, harness.app, 'slack', slack, { hook_secret: SIGNING_SECRET })
    slack.configure({ refusedChannels: ['C0RANDOM'] })
    token = await harness.signIn('slack', PERSON)
    await harness.synced('slack', ENDPOINTS, token)
    await hooks.register(address, own.key, SIGNING_SECRET)
  })
  after(() => harness?.stop())

  const textOf = async (id: unknown, endpoint = 'messages') =>
    (await harness.items('slack', endpoint, token)).find(
      ({ data }) => `${String(data['channel'])}:${String(data['ts'])}` === id,
    )?.data['text']
  const becomes = (what: string, id: unknown, text: string | undefined, endpoint?: string) =>
    until(
      what,
      () => textOf(id, endpoint),
      (now) => now === text,
    )
  const reads = () => slack.requests.all.filter(({ path }) => path === '/api/conversations.history').length
  const stateOf = async () =>
    (await harness.tributary.sql<{ state: string }>(`select state from profile where service = 'slack'`))[0]?.state
  const lastDelivery = async () => {
    await hooks.settled()
    return hooks.deliveries.at(-1)!
  }

  test('a conversation that is refused is listed among the faults, and the others are read', async () => {
    const channels = new Set(
      (await harness.items('slack', 'messages', token)).map(({ data }) => String(data['channel'])),
    )
    assert.deepEqual([...channels].sort(), ['C0GENERAL', 'D0ADADMI', 'G0BOARD', 'G0THREE'])
    const { state, last_error: error, faults } = (await harness.progress('slack', token))['messages']!
    assert.deepEqual([state, error], ['done', undefined])
    assert.ok(JSON.stringify(faults).includes('children'), JSON.stringify(faults))
  })

  // Before the clock of the lab is moved: the time of an event is compared with that of the sign-in.
  test('revoked tokens need a new sign-in, which a repeated event does not end', async () => {
    slack.tokens.revoke(PERSON)
    await until('the profile needs a new sign-in', async () => (await stateOf()) === 'needs_auth')
    const notice = await lastDelivery()
    await harness.signIn('slack', PERSON, token)
    assert.equal(await hooks.repeat(notice), 200)
    assert.notEqual(await stateOf(), 'needs_auth')
  })

  test('messages, answers, edits and deletions arrive with events, without reading the history', async () => {
    await harness.tributary.idle('syncs')
    const before = reads()
    const { id, ts } = slack.data.add('ada', 'messages', { text: 'First' })
    await becomes('the message is stored', id, 'First')
    harness.lab.clock.advance(2000)
    slack.data.edit('ada', 'messages', String(id), { text: 'Second' })
    await becomes('the edit is stored', id, 'Second')
    harness.lab.clock.advance(2000)
    const answer = slack.data.add('ada', 'messages', { text: 'Answer', thread_ts: String(ts) })
    await becomes('the answer is stored', answer['id'], 'Answer', 'replies')
    harness.lab.clock.advance(2000)
    slack.data.remove('ada', 'messages', String(id))
    await becomes('the message is deleted', id, undefined)
    assert.equal(reads(), before)
  })

  test('an event that is unsigned, changed or older than five minutes is refused; a repeated one changes nothing', async () => {
    const { id } = slack.data.add('ada', 'messages', { text: 'One' })
    const posted = await lastDelivery()
    await becomes('the message is stored', id, 'One')
    harness.lab.clock.advance(2000)
    slack.data.edit('ada', 'messages', String(id), { text: 'Two' })
    await becomes('the edit is stored', id, 'Two')
    assert.equal(await hooks.repeat({ ...posted, headers: {} }), 401)
    assert.equal(await hooks.repeat({ ...posted, body: posted.body.replace('One', 'Six') }), 401)
    const old = signed(SIGNING_SECRET, posted.body, Date.now() - 6 * 60_000)
    assert.equal(await hooks.repeat({ ...posted, headers: old }), 401)
    const again = signed(SIGNING_SECRET, posted.body, Date.now())
    assert.equal(await hooks.repeat({ ...posted, headers: again }), 200)
    await harness.tributary.idle('syncs')
    assert.equal(await textOf(id), 'Two')
  })

  test('an address is verified only by its challenge', async () => {
    const post = (body: object) => fetch(address, { method: 'POST', body: JSON.stringify(body) })
    const verified = await post({ type: 'url_verification', challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7' })
    assert.equal(await verified.text(), '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7')
    assert.equal((await post({ type: 'url_verification', challenge: '<script>' })).status, 401)
    assert.equal((await post({ type: 'event_callback', challenge: 'abc' })).status, 401)
  })
})
