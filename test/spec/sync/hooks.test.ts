import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { tributary } from '../../harness/command-line.ts'
import { orders, pagesOf, type SyncHarness, startSyncHarness } from './shop-fixture.ts'

const KEY_SECRET = 'secret-of-the-key'
const HOOK_SECRET = 'secret-of-the-hook'
const PERSON = '17'

/** The requests of a service, signed with a secret that the test chooses. */
interface BucketPolicy {
  /** The verification request, and its correct response. */
  handshake?: (secret: string) => { query: Record<string, string>; response: string }
  deliver: (secret: string) => { headers: Record<string, string>; body: string }
  /** Which secret signs deliveries when the hook has its own. */
  signedWith: string
}

const hmac = (secret: string, text: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac('sha256', secret).update(text).digest(encoding)

const signedJson = (header: string, body: object, encoding: 'hex' | 'base64' = 'hex') => {
  const text = JSON.stringify(body)
  return (secret: string) => ({
    headers: { 'content-type': 'application/json', [header]: `sha256=${hmac(secret, text, encoding)}` },
    body: text,
  })
}

const verifyToken = (secret: string) => ({
  query: { 'hub.mode': 'subscribe', 'hub.verify_token': secret, 'hub.challenge': '1158201444' },
  response: '1158201444',
})

const policies: Record<string, BucketPolicy> = {
  x: {
    handshake: (secret) => ({
      query: { crc_token: 'abc' },
      response: JSON.stringify({ response_token: `sha256=${hmac(secret, 'abc', 'base64')}` }),
    }),
    deliver: signedJson('x-twitter-webhooks-signature', { for_user_id: PERSON }, 'base64'),
    signedWith: HOOK_SECRET,
  },
  github: {
    deliver: signedJson('x-hub-signature-256', { sender: { id: 17 } }),
    signedWith: HOOK_SECRET,
  },
  foursquare: {
    deliver: (secret) => ({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ user: JSON.stringify({ id: PERSON }), secret }).toString(),
    }),
    signedWith: HOOK_SECRET,
  },
  facebook: {
    handshake: verifyToken,
    deliver: signedJson('x-hub-signature-256', { object: 'user', entry: [{ uid: PERSON }] }),
    signedWith: KEY_SECRET,
  },
  instagram: {
    handshake: verifyToken,
    deliver: signedJson('x-hub-signature-256', { object: 'instagram', entry: [{ id: PERSON }] }),
    signedWith: KEY_SECRET,
  },
}

suite('incoming hooks', () => {
  let harness: SyncHarness
  before(async () => {
    harness = await startSyncHarness()
  })
  after(() => harness.stop())

  const address = (service: string) => `${harness.tributary.url}/hooks/${service}/${harness.clientId}`
  const setKeys = (service: string, more: object) =>
    harness.tributary.admin('PUT', `/admin/apps/${harness.clientId}/keys/${service}`, {
      key: 'key',
      secret: KEY_SECRET,
      ...more,
    })
  const statusOf = async (service: string, { headers, body }: { headers: Record<string, string>; body: string }) =>
    (await fetch(address(service), { method: 'POST', headers, body })).status

  for (const [service, { handshake, deliver, signedWith }] of Object.entries(policies)) {
    test(`of ${service} are verified with the hook’s own secret where it has one`, async () => {
      await setKeys(service, { hook_secret: HOOK_SECRET })
      const other = signedWith === HOOK_SECRET ? KEY_SECRET : HOOK_SECRET
      assert.deepEqual(
        [await statusOf(service, deliver(signedWith)), await statusOf(service, deliver(other))],
        [200, 401],
      )
      if (!handshake) return
      const { query, response } = handshake(HOOK_SECRET)
      const verified = await fetch(`${address(service)}?${new URLSearchParams(query).toString()}`)
      assert.deepEqual([verified.status, await verified.text()], [200, response])
    })

    test(`of ${service} are verified with the key’s secret where there is no other`, async () => {
      await setKeys(service, {})
      assert.deepEqual(
        [await statusOf(service, deliver(KEY_SECRET)), await statusOf(service, deliver(HOOK_SECRET))],
        [200, 401],
      )
      if (!handshake) return
      const { query, response } = handshake(KEY_SECRET)
      const verified = await fetch(`${address(service)}?${new URLSearchParams(query).toString()}`)
      assert.deepEqual([verified.status, await verified.text()], [200, response])
    })
  }

  test('that are signed but name no person are refused with 400, never 500', async () => {
    const odd = ['null', '0', '"x"', '[]', '[null]', 'true', '{"sender":null}', '{"entry":null}', '{"entry":[null]}']
    odd.push(
      '{"entry":5}',
      '{"for_user_id":{}}',
      '{"sender":{"id":{}}}',
      '{"entry":[{"id":"a\\u0000b"}]}',
      '{"people":7}',
    )
    odd.push('{"people":[null,{},["a"],"x\\u0000"]}', JSON.stringify({ people: ['x'.repeat(100_000)] }))
    odd.push(JSON.stringify({ people: Array.from({ length: 100_000 }, (_, i) => String(i)) }))
    await setKeys('shop', { hook_secret: HOOK_SECRET })
    for (const service of ['x', 'github', 'facebook', 'instagram', 'shop']) {
      await setKeys(service, {})
      const encoding = service === 'x' ? 'base64' : 'hex'
      const header = { x: 'x-twitter-webhooks-signature', shop: 'x-shop-signature' }[service] ?? 'x-hub-signature-256'
      const statuses = new Set<number>()
      for (const body of odd) {
        const headers = { 'content-type': 'application/json', [header]: `sha256=${hmac(KEY_SECRET, body, encoding)}` }
        const status = await statusOf(service, { headers, body })
        assert.ok(status === 400 || status === 200, `${service} ${body.slice(0, 40)}: ${status}`)
        statuses.add(status)
      }
      assert.ok(statuses.has(400), service)
    }
  })

  test('make the people they name due, who are synced with the key', async () => {
    let list = orders(3)
    harness.service.on(
      '/orders',
      pagesOf(() => list),
    )
    const overrides = { base_url: harness.service.url }
    await setKeys('shop', { hook_secret: HOOK_SECRET, overrides })
    const { access_token: token } = await harness.connect('ada')
    await harness.until(token, ({ state }) => state === 'done')
    list = orders(4)
    const delivery = signedJson('x-shop-signature', { people: ['ada'] })(HOOK_SECRET)
    const response = await fetch(address('shop'), { method: 'POST', ...delivery })
    assert.deepEqual([response.status, await response.json()], [200, { woken: 1 }])
    await harness.until(token, ({ items }) => items === 4)
  })

  test('have a secret that is sealed and never shown, also when set by the CLI', async () => {
    const env = { DATABASE_URL: harness.tributary.databaseUrl, TRIBUTARY_DATA: harness.tributary.dataDir }
    const options = ['--key', 'k', '--secret', 's', '--hook-secret', HOOK_SECRET, '--json']
    const { code, stdout } = await tributary(['keys', 'set', harness.clientId, 'github', ...options], env)
    assert.equal(code, 0)
    const shown = await harness.tributary.admin('GET', `/admin/apps/${harness.clientId}/keys`)
    assert.doesNotMatch(stdout + JSON.stringify(shown.body), new RegExp(HOOK_SECRET))
    assert.equal(await statusOf('github', policies['github']!.deliver(HOOK_SECRET)), 200)
    const rows = await harness.sql<{ secret: Buffer }>('select secret from service_key')
    assert.ok(rows.length > 3 && rows.every(({ secret }) => !secret.includes(HOOK_SECRET)))
    assert.ok(harness.tributary.logged.every((line) => !line.includes(HOOK_SECRET) && !line.includes(KEY_SECRET)))
    assert.equal((await setKeys('github', { hook_secret: '' })).status, 400)
  })

  test('count guesses of the secret in a handshake by POST as well', async () => {
    await setKeys('facebook', { hook_secret: HOOK_SECRET })
    const guess = async (secret: string) => {
      const url = `${address('facebook')}?${new URLSearchParams(verifyToken(secret).query).toString()}`
      return (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).status
    }
    for (;;) {
      const minute = Math.floor(Date.now() / 60_000)
      while ((await guess('wrong')) !== 429);
      const right = await guess(HOOK_SECRET)
      // The count begins again with every minute.
      if (Math.floor(Date.now() / 60_000) !== minute) continue
      assert.equal(right, 429)
      return
    }
  })
})
