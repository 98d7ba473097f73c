import assert from 'node:assert/strict'
import { once } from 'node:events'
import { afterEach, suite, test } from 'node:test'
import {
  ConnectionError,
  createAdmin,
  createClient,
  isTributaryError,
  StreamError,
  TimeoutError,
  TributaryError,
} from '../../sdk/src/index.ts'
import { refusal, type Script, type ScriptedServer, startScripted } from './scripted-server.ts'

suite('the transport of the SDK', () => {
  let server: ScriptedServer | undefined
  afterEach(async () => {
    await server?.close()
    server = undefined
  })
  const scripted = async (...script: Script[]) => {
    server = await startScripted(script)
    const client = createClient({ baseUrl: `${server.url}/`, clientId: 'app', clientSecret: 's', retryBaseMs: 1 })
    return { client, received: server.received, url: server.url }
  }
  const cut: Script = (response) => response.destroy()
  const busy = refusal('database_unavailable', 503)
  const destination = { name: 'n', kind: 'webhook', url: 'https://a.test/' } as const

  test('a read is sent again after 503, 429 and a broken connection, at most as often as allowed', async () => {
    const { client, received } = await scripted(busy, refusal('service_limited', 429, { 'retry-after': '0' }), cut, {
      json: [],
    })
    assert.deepEqual(await client.push.list(), [])
    assert.equal(received.length, 4)
    await server!.close()
    const second = await scripted(busy)
    await assert.rejects(second.client.push.list({ retries: 1 }), { reason: 'database_unavailable', status: 503 })
    assert.equal(second.received.length, 2)
  })

  test('Retry-After is waited for, as seconds or a date; a long one ends the attempts', async () => {
    const { client, received } = await scripted(refusal('service_limited', 429, { 'retry-after': '1' }), { json: [] })
    const startedMs = performance.now()
    await client.push.list()
    assert.ok(performance.now() - startedMs >= 990, 'a timer may be a little early')
    assert.equal(received.length, 2)
    await server!.close()
    const date = new Date(Date.now() + 3_600_000).toUTCString()
    const second = await scripted(refusal('service_limited', 429, { 'retry-after': date }))
    const error = await second.client.push.list().catch((thrown: unknown) => thrown)
    assert.ok(isTributaryError(error, 'service_limited'))
    assert.ok(error.retryAfterMs! > 3_500_000)
    assert.equal(second.received.length, 1)
  })

  test('a creating request has the same random key in all attempts, or the one that was given', async () => {
    const { client, received } = await scripted(cut, busy, { status: 201, json: { id: 'dst' } })
    await client.push.add(destination)
    const keys = received.map(({ headers }) => headers['idempotency-key'])
    assert.equal(new Set(keys).size, 1)
    assert.match(String(keys[0]), /^[0-9a-f-]{36}$/)
    await client.push.add(destination, { idempotencyKey: 'mine' })
    assert.equal(received.at(-1)!.headers['idempotency-key'], 'mine')
    await client.push.list()
    assert.equal(received.at(-1)!.headers['idempotency-key'], undefined)
    assert.equal(received.at(-1)!.headers.authorization, `Basic ${btoa('app:s')}`)
  })

  test('a code is not sent again when it may have been used', async () => {
    const { client, received } = await scripted(cut)
    await assert.rejects(client.exchange({ code: 'c' }), ConnectionError)
    assert.equal(received.length, 1)
    await server!.close()
    const second = await scripted(busy)
    await assert.rejects(second.client.exchange({ code: 'c' }), { status: 503 })
    assert.equal(second.received.length, 1)
    await server!.close()
    const third = await scripted(refusal('too_many_attempts', 429, { 'retry-after': '0' }), {
      json: { access_token: 't', account: 'a', token_type: 'bearer' },
    })
    assert.equal((await third.client.exchange({ code: 'c' })).access_token, 't')
  })

  test('what will not change is not sent again', async () => {
    for (const [reason, status] of [
      ['bad_parameter', 400],
      ['token_invalid', 401],
      ['internal', 500],
    ] as const) {
      const { client, received } = await scripted(refusal(reason, status))
      const error = await client.push.list().catch((thrown: unknown) => thrown)
      assert.ok(error instanceof TributaryError)
      assert.deepEqual(
        [error.reason, error.status, error.code, error.requestId, error.message],
        [reason, status, status * 100 + 1, 'req-1', 'A sentence.'],
      )
      assert.ok(isTributaryError(error) && isTributaryError(error, reason) && !isTributaryError(error, 'not_found'))
      assert.equal(received.length, 1)
      await server!.close()
    }
    server = undefined
  })

  test('a response that is not of Tributary is an error with its status', async () => {
    const page: Script = (response) => response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Oops</h1>')
    const { client } = await scripted(page, (response) => response.end('<h1>Hello</h1>'))
    await assert.rejects(client.push.list(), { reason: 'unreadable_response', status: 500, message: /<h1>Oops/ })
    await assert.rejects(client.push.list(), StreamError)
  })

  test('a response that does not come, or whose body does not end, is a timeout', async () => {
    const { url } = await scripted(
      () => {},
      (response) => response.writeHead(200).write('['),
    )
    // Counted where they are sent: on a busy machine the time is over before the server has received anything.
    let attempts = 0
    const counted: typeof fetch = (input, init) => {
      attempts += 1
      return fetch(input, init)
    }
    const client = createClient({ baseUrl: url, clientId: 'app', clientSecret: 's', retryBaseMs: 1, fetch: counted })
    await assert.rejects(client.push.list({ timeoutMs: 50, retries: 1 }), TimeoutError)
    assert.equal(attempts, 2)
  })

  test('a signal ends a request, a wait and a stream, with its reason', async () => {
    const ended = new AbortController()
    const { client, received } = await scripted(() => ended.abort(new Error('enough')), {
      json: [{ id: 'a' }],
    })
    await assert.rejects(client.push.list({ signal: ended.signal }), /enough/)
    await assert.rejects(client.push.list({ signal: ended.signal }), /enough/, 'before it is sent')
    assert.equal(received.length, 1)
    await server!.close()
    const waiting = new AbortController()
    const second = await scripted((response) => {
      response.writeHead(503, { 'retry-after': '50' }).end('{}')
      response.once('close', () => waiting.abort(new Error('no more')))
    })
    await assert.rejects(second.client.push.list({ signal: waiting.signal }), /no more/)
    await server!.close()
    const streaming = new AbortController()
    const third = await scripted((response) => response.writeHead(200).write('[{"id":"1"},'))
    const read: unknown[] = []
    await assert.rejects(async () => {
      for await (const item of third.client.account('t').stream('photos', {}, { signal: streaming.signal })) {
        read.push(item)
        streaming.abort(new Error('seen enough'))
      }
    }, /seen enough/)
    assert.equal(read.length, 1)
  })

  test('a stream whose connection breaks off ends with an error, after what arrived', async () => {
    for (const [type, text] of [
      ['application/json', '[{"id":"1"},{"id"'],
      ['application/x-ndjson', '{"id":"1"}\n{"id"'],
    ]) {
      const { client } = await scripted((response) => {
        response.writeHead(200, { 'content-type': type }).write(text, () => setImmediate(() => response.destroy()))
      })
      const read: string[] = []
      await assert.rejects(async () => {
        for await (const { id } of client.account('t').stream('photos')) read.push(id)
      }, StreamError)
      assert.ok(read.length <= 1)
      await server!.close()
    }
    server = undefined
  })

  test('leaving a stream early closes the connection', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const { client } = await scripted((response) => {
      closed = once(response, 'close')
      response.writeHead(200).write('[{"id":"1"},{"id":"2"},')
    })
    for await (const item of client.account('t').stream('photos')) {
      assert.equal(item.id, '1')
      break
    }
    await closed
  })

  test('pages are read at the address of the client, whatever the link names, without a token in the query', async () => {
    const link = (query: string) => ({ link: `<https://evil.test/types/photos?${query}>; rel="next"` })
    const { client, received } = await scripted(
      { json: [{ id: '1' }], headers: { ...link('before=9_a&access_token=x'), 'x-total-count': '2' } },
      { json: [{ id: '2' }] },
    )
    const list = client.account('t').items('photos', { limit: 1, count: true })
    const ids: string[] = []
    for await (const { id } of list) ids.push(id)
    assert.deepEqual(ids, ['1', '2'])
    assert.deepEqual(
      received.map(({ url }) => url),
      ['/types/photos?limit=1&count=true', '/types/photos?before=9_a'],
    )
    assert.ok(received.every(({ headers }) => headers.authorization === 'Bearer t'))
    await server!.close()
    const loop = await scripted({ json: [{ id: '1' }], headers: link('limit=1') })
    const endless = loop.client.account('t').items('photos', { limit: 1 })
    await assert.rejects(endless.take(9), /names itself/)
    assert.equal((await endless.take(1)).length, 1)
    assert.deepEqual(await endless.take(0), [])
  })

  test('parts of an address are encoded, and never change the path', async () => {
    const { client, received, url } = await scripted({ json: {} })
    await client.push.get('../admin/apps?x#y')
    assert.equal(received[0]!.url, '/push/..%2Fadmin%2Fapps%3Fx%23y')
    for (const id of ['', '.', '..']) assert.throws(() => client.account('t').proxy(id), TypeError)
    await assert.rejects(client.push.get('..'), TypeError)
    const github = client.account('t').proxy('github')
    const count = received.length
    for (const path of [
      '../../profiles',
      '/a/../../../x',
      '%2e%2e/%2E%2e/profiles',
      '..\\..\\profiles',
      'https://a.test/../../../../x',
    ])
      await assert.rejects(github(path, { method: 'DELETE' }), TypeError, path)
    assert.equal(received.length, count)
    await github('a/../b?c=../d#e').catch((error: unknown) => assert.ok(isTributaryError(error)))
    assert.equal(received.at(-1)!.url, '/proxy/github/b?c=../d')
    assert.throws(() => createAdmin({ baseUrl: 'tributary.test', adminToken: 't' }), TypeError)
    const custom = createClient({ baseUrl: url, clientId: 'app', parseJson: () => 'parsed' })
    assert.equal(await custom.push.list(), 'parsed')
    assert.equal(received.at(-1)!.headers.authorization, undefined)
  })
})
