import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { labPrivateKey } from '../../lab/catalogue/keys.ts'
import { send } from '../harness/send.ts'
import { codeOf, newBrowser, redeemed, startUrl } from '../harness/sign-in.ts'
import { ENTRIES } from './entries.ts'
import { type EntryHarness, startEntryHarness } from './fixture.ts'

suite('calls that are signed', () => {
  let harness: EntryHarness
  const names = ['bybit', 'app-store-connect', 'smugmug']
  before(async () => {
    harness = await startEntryHarness(new Map(names.map((name) => [name, ENTRIES.get(name)!])))
  })
  after(() => harness.stop())

  async function connect(service: string, values: Record<string, string>) {
    const browser = newBrowser()
    const page = await browser.open(startUrl(harness, service, {}, harness.app))
    const fields = Object.fromEntries(Object.entries(values).map(([name, value]) => [`field_${name}`, value]))
    return browser.submit(page, page.forms[0]!, { ...fields, answer: 'yes' })
  }
  const tokenOf = async (url: string) => (await redeemed(harness, codeOf(new URL(url)))).access_token
  const bybit = { key: 'typed-key', secret: 'typed-secret' }

  test('reach the service through the proxy with any body, and a body that cannot be held is refused', async () => {
    const back = await connect('bybit', bybit)
    assert.ok(back.stopped, back.body.slice(0, 500))
    const token = await tokenOf(back.url)
    const at = `${harness.tributary.url}/proxy/bybit/v5/order/create`
    const post = (body: string, query = '') =>
      fetch(`${at}${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body,
      })
    assert.equal((await post('{"symbol":"é"}')).status, 200)
    assert.equal(
      (await post(JSON.stringify({ text: 'x'.repeat(400_000) }), '?a=b%20c')).status,
      200,
      'one that others stream',
    )
    assert.equal((await post('x'.repeat(2 * 1024 * 1024 + 1))).status, 413)
    const read = await send(harness, 'GET', '/proxy/bybit/v5/market?a=1&b=%2F', { token })
    assert.equal(read.status, 200)
  })

  test('with a wrong key are refused on the page, which shows no secret; nobody is found by a key', async () => {
    const wrong = await connect('bybit', { ...bybit, secret: 'not-the-secret' })
    assert.match(wrong.body, /role="alert"/)
    assert.doesNotMatch(wrong.body, /not-the-secret/)
    const [one, other] = [await connect('bybit', bybit), await connect('bybit', bybit)]
    const accounts = await Promise.all(
      [one, other].map(async ({ url }) => (await redeemed(harness, codeOf(new URL(url)))).account),
    )
    assert.notEqual(accounts[0], accounts[1])
    assert.ok(!harness.tributary.logged.some((line) => /typed-secret|not-the-secret/.test(line)))
  })

  test('carry a token that is signed here, and again before it expires', async () => {
    const values = { issuer: 'typed-issuer', id: 'typed-id' }
    const refused = await connect('app-store-connect', { ...values, key: labPrivateKey('ES256', true) })
    assert.match(refused.body, /role="alert"/)
    const back = await connect('app-store-connect', { ...values, key: labPrivateKey('ES256') })
    assert.ok(back.stopped, back.body.slice(0, 500))
    const token = await tokenOf(back.url)
    await harness.tributary.sql('update credential set expires_at = 1 where expires_at is not null')
    assert.equal((await send(harness, 'GET', '/proxy/app-store-connect/builds', { token })).status, 200)
    const [row] = await harness.tributary.sql<{ expires_at: number }>(
      'select expires_at from credential where expires_at is not null',
    )
    assert.ok(Number(row?.expires_at) > Date.now(), 'it was signed again')
    assert.ok(!harness.tributary.logged.some((line) => line.includes('BEGIN EC') || line.includes('BEGIN PRIVATE')))
  })

  test('at a service with OAuth 1 carry the token of the person, until the service ends it', async () => {
    const browser = newBrowser()
    const back = await browser.open(startUrl(harness, 'smugmug', {}, harness.app))
    assert.ok(back.stopped, back.body.slice(0, 500))
    const token = await tokenOf(back.url)
    const call = () => send(harness, 'GET', '/proxy/smugmug/v2/album?q=a%20b&q=%C3%A9', { token })
    assert.deepEqual([(await call()).status, (await call()).status], [200, 200], 'each with a nonce of its own')
    const again = newBrowser()
    const same = await again.open(startUrl(harness, 'smugmug', {}, harness.app))
    const { account } = await redeemed(harness, codeOf(new URL(same.url)))
    const [row] = await harness.tributary.sql<{ count: number }>(
      "select count(distinct account_id)::int as count from profile where service = 'smugmug'",
    )
    assert.deepEqual([row?.count, typeof account], [1, 'string'], 'the service says who it is')
    harness.lab.expire('smugmug')
    assert.equal((await call()).status, 401)
    assert.ok(!harness.tributary.logged.some((line) => /access-secret-|lab-secret/.test(line)))
  })
})
