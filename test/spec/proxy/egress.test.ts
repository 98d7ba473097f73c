import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { LOOPBACK_RANGES } from '../../harness/loopback.ts'
import { type Connecting, type ProxyHarness, startProxyHarness } from './fixture.ts'
import { type RawUpstream, startRawUpstream } from './raw-upstream.ts'

/** Spellings of this machine, its neighbours and other addresses that are not public. */
const HOSTILE = [
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  'localhost',
  'LOCALHOST.',
  '0.0.0.0',
  '0',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fec0::1]',
  '[fe80::1]',
  '[fc00::1]',
  '[ff02::1]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '168.63.129.16',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
]

suite('S30 the proxy reaches no private machine that the operator did not allow', () => {
  let listeners: RawUpstream[]
  let harness: ProxyHarness
  before(async () => {
    listeners = [await startRawUpstream('127.0.0.1'), await startRawUpstream('::1')]
    harness = await startProxyHarness({ egress: { allowPrivate: [], allowHttp: true, connectTimeoutMs: 500 } })
  })
  after(async () => {
    await harness.stop()
    for (const each of listeners) await each.close()
  })

  test(`${HOSTILE.length} addresses: refused alike, and nothing was called`, async () => {
    const texts = new Set<string>()
    for (const host of HOSTILE)
      for (const listener of listeners) {
        const { port } = new URL(listener.url)
        const { token } = await harness.connect({ apiUrl: `http://${host}:${port}/v1` })
        const response = await fetch(`${harness.url}/proxy/plain/x`, { headers: { authorization: `Bearer ${token}` } })
        assert.equal(response.status, 502, host)
        // The response repeats the host that the caller named.
        const text = (await response.text()).replace(/"request_id":"[^"]*"/, '')
        texts.add(text.replace(/The host \S+ was/, 'The host was'))
      }
    assert.equal(texts.size, 1, 'S37: an open port and a closed one look the same')
    assert.deepEqual(
      listeners.map((listener) => listener.connections()),
      [0, 0],
    )
  })

  test('S33 a redirect there is not followed', async () => {
    const open = await startProxyHarness()
    const outside = await startRawUpstream()
    try {
      const { token } = await open.connect({ apiUrl: outside.url })
      for (const { url } of listeners) {
        outside.response = `HTTP/1.1 302 Found\r\nLocation: ${url}/steal\r\nContent-Length: 0\r\n\r\n`
        const response = await fetch(`${open.url}/proxy/plain/x`, {
          redirect: 'manual',
          headers: { authorization: `Bearer ${token}` },
        })
        assert.equal(response.status, 302)
      }
      for (const listener of listeners) assert.equal(listener.connections(), 0)
    } finally {
      await open.stop()
      await outside.close()
    }
  })
})

/** Who chose the address: the operator for the key of the app, or a person at the sign-in. */
const LEVELS = [
  {
    chosenBy: 'operator',
    egress: { allowPrivate: ['127.0.0.2'], allowPrivateTyped: LOOPBACK_RANGES },
    connecting: (apiUrl: string): Connecting => ({ apiUrl }),
  },
  {
    chosenBy: 'person',
    egress: { allowPrivate: LOOPBACK_RANGES, allowPrivateTyped: ['127.0.0.2'] },
    connecting: (apiUrl: string): Connecting => ({
      apiUrl: 'https://key.test',
      credential: { token: 'token', instance: { api_url: apiUrl } },
    }),
  },
]

suite('S32 a name that changes its address', () => {
  test('never leads to this machine: not at first, not later, not on a new connection', async () => {
    const inside = await startRawUpstream('127.0.0.1')
    const { port } = new URL(inside.url)
    const answers: string[][] = []
    let lookups = 0
    // The public address comes last: a connection to it, if there is one, would be kept and the name not resolved
    // again.
    const turns = [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['::ffff:127.0.0.1'], ['::1'], ['93.184.216.34']]
    const harness = await startProxyHarness({
      egress: {
        allowPrivate: [],
        allowHttp: true,
        connectTimeoutMs: 300,
        resolve: () => {
          const turn = turns[lookups % turns.length]!
          lookups += 1
          answers.push(turn)
          return Promise.resolve(turn.map((address) => ({ address })))
        },
      },
    })
    try {
      const { token } = await harness.connect({ apiUrl: `http://rebinding.test:${port}` })
      for (let i = 0; i < 2 * turns.length; i += 1) {
        // A server at the public address, if there is one, is outside this test.
        const response = await fetch(`${harness.url}/proxy/plain/x`, { headers: { authorization: `Bearer ${token}` } })
        await response.text()
      }
      assert.ok(answers.flat().includes('127.0.0.1'))
      assert.equal(inside.connections(), 0)
    } finally {
      await harness.stop()
      await inside.close()
    }
  })

  for (const { chosenBy, egress, connecting } of LEVELS)
    test(`is resolved for every new connection, and an open one stays at the address that was checked (${chosenBy})`, async () => {
      const [first, second] = [await startRawUpstream('127.0.0.2'), await startRawUpstream('127.0.0.1')]
      const { port } = new URL(first.url)
      let address = '127.0.0.2'
      // Only the first is allowed at this level.
      const harness = await startProxyHarness({
        egress: { ...egress, resolve: () => Promise.resolve([{ address }]) },
      })
      try {
        const { token } = await harness.connect(connecting(`http://rebinding.test:${port}`))
        const callProxy = async () =>
          (await fetch(`${harness.url}/proxy/plain/x`, { headers: { authorization: `Bearer ${token}` } })).status
        assert.equal(await callProxy(), 200)
        address = '127.0.0.1'
        assert.equal(await callProxy(), 200)
        assert.equal(first.connections(), 1)
        first.response = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'
        assert.equal(await callProxy(), 200)
        assert.equal(await callProxy(), 502)
        assert.equal(second.connections(), 0)
        assert.match(first.requests[0] ?? '', new RegExp(`\r\nhost: rebinding\\.test:${port}\r\n`))
      } finally {
        await harness.stop()
        await first.close()
        await second.close()
      }
    })
})
