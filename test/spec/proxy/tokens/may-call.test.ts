import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { ROUTES } from '#http/routes.ts'
import { type ProxyHarness, startProxyHarness } from '../fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from '../raw-upstream.ts'
import { type Requests, requestsOf } from './requests.ts'

let upstream: RawUpstream
let harness: ProxyHarness
let requests: Requests
before(async () => {
  upstream = await startRawUpstream()
  harness = await startProxyHarness({ proxyPorts: ['plain', 'keyed'] })
  requests = requestsOf(harness.url)
})
after(async () => {
  await harness.stop()
  await upstream.close()
})
beforeEach(() => {
  upstream.requests.length = 0
  upstream.response = OK
})

const connect = (more: { nativeId?: string; service?: string; account?: string; apiUrl?: string } = {}) =>
  harness.connect({ apiUrl: upstream.url, ...more })
const lines = () => upstream.requests.map((request) => request.slice(0, request.indexOf(' HTTP/1.1')))

suite('what a token for one service may call', () => {
  test('its service, by any name of it, and no other', async () => {
    const { token, account } = await connect()
    await connect({ service: 'keyed', account: account.id })
    const made = await requests.make(token)
    assert.match(made.token, /^trp_/)
    for (const service of ['plain', 'simple', '42@plain'])
      assert.equal(await requests.call(made.token, { service }), 'ok')
    assert.equal(await requests.call(made.token, { method: 'POST' }), 'ok')
    upstream.requests.length = 0
    for (const service of ['keyed', '42@keyed', 'signed', 'unknown', '%2e'])
      assert.equal(await requests.call(made.token, { service }), '403 token_restricted', service)
    assert.deepEqual(upstream.requests, [])
    assert.equal(await requests.call(token, { service: 'keyed' }), 'ok', 'the account token still calls both')
  })

  test('in each form in which SDKs send a token, and at the origin of its service only', async () => {
    const { token, account } = await connect()
    await connect({ service: 'keyed', account: account.id })
    const made = await requests.make(token)
    const forms = [
      `Bearer ${made.token}`,
      `token ${made.token}`,
      `OAuth ${made.token}`,
      `Bot ${made.token}`,
      `Basic ${btoa(`${made.token}:`)}`,
      `Basic ${btoa(`name:${made.token}`)}`,
    ]
    for (const authorization of forms)
      assert.equal(await requests.call(undefined, { headers: { authorization } }), 'ok', authorization.slice(0, 6))
    assert.equal(await requests.call(undefined, { path: `/x?access_token=${made.token}` }), 'ok')
    const at = async (service: string, path: string) => {
      const url = `http://127.0.0.1:${harness.deps.config.proxyPorts[service]}${path}`
      return (await fetch(url, { headers: { authorization: `Bearer ${made.token}` } })).status
    }
    assert.equal(await at('plain', '/v1/x'), 200)
    assert.equal(await at('keyed', '/x'), 403)
    for (const request of upstream.requests) assert.ok(!request.includes('trp_'), request)
  })

  test('is refused by every other route, and by the rest of an origin', async () => {
    const { token } = await connect()
    const made = await requests.make(token)
    const headers = { authorization: `Bearer ${made.token}` }
    let walked = 0
    for (const [method, path, route] of ROUTES) {
      if ('mounted' in route || route.auth !== 'account') continue
      walked += 1
      const url = `${harness.url}${path.replaceAll(/:\w+/g, 'x')}`
      const body = method === 'GET' ? {} : { body: '{}' }
      const inHeader = await fetch(url, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        ...body,
      })
      const inQuery = await fetch(`${url}?access_token=${made.token}`, { method })
      for (const { status } of [inHeader, inQuery]) assert.equal(status, 401, `${method} ${path}`)
    }
    assert.ok(walked > 30)
    // Of apps and operators, and one that takes the tokens of accounts in its body.
    for (const path of ['/accounts', '/usage', '/push', '/admin/apps'])
      assert.equal((await fetch(`${harness.url}${path}`, { headers })).status, 401, path)
    const merge = await requests.send('POST', '/auth/merge', undefined, { source: made.token, dest: token })
    assert.deepEqual([merge.status, merge.body?.reason], [401, 'token_invalid'])
  })

  test('calls only the methods it names, also where a parameter names another one', async () => {
    const { token } = await connect()
    const reads = await requests.make(token, { service: 'plain', methods: ['GET', 'GET'] })
    assert.deepEqual(reads.methods, ['GET'])
    for (const method of ['GET', 'HEAD']) assert.equal(await requests.call(reads.token, { method }), 'ok')
    assert.equal(await requests.call(reads.token, { path: '/x?method=flickr.photos.getInfo' }), 'ok')
    upstream.requests.length = 0
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])
      assert.match(await requests.call(reads.token, { method }), /^403/, method)
    for (const name of ['method', '_method', 'METHOD', 'x-http-method-override', '%5fmethod'])
      assert.equal(await requests.call(reads.token, { path: `/x?a=1&${name}=delete` }), '403 token_restricted', name)
    assert.deepEqual(upstream.requests, [])
    const headers = { 'x-http-method-override': 'DELETE' }
    assert.equal(await requests.call(reads.token, { headers }), 'ok')
    assert.doesNotMatch(upstream.requests[0]!, /method-override/i)
    const { body } = await requests.send('POST', '/proxy/plain/x', reads.token)
    assert.equal(body?.error, 'The token allows only these methods: GET.')
  })

  test('calls only at and below the paths it names', async () => {
    const { token } = await connect()
    const made = await requests.make(token, { service: 'plain', paths: ['/repos/ada', '/a%2Fb/', '/user'] })
    const allowed = [
      '/repos/ada',
      '/repos/ada/',
      '/repos/ada/x?y=/../z',
      '/repos/%61da/x',
      '/a%2Fb/c',
      '/user',
      '/repos/ada/f/a%2Fb',
    ]
    for (const path of allowed) assert.equal(await requests.call(made.token, { path }), 'ok', path)
    assert.deepEqual(
      lines(),
      allowed.map((path) => `GET ${path}`),
    )
    upstream.requests.length = 0
    for (const path of [
      '',
      '/',
      '/repos',
      '/repos/adam',
      '/repos/Ada',
      '/a/b',
      '/users',
      '/x',
      '//repos/ada',
      '/repos//ada',
    ])
      assert.equal(await requests.call(made.token, { path }), '403 token_restricted', path)
    // What is not UTF-8 is refused before.
    for (const path of [
      '/repos/ada/%2e%2e/bob',
      '/repos/ada/%252e%252e/bob',
      '/repos/ada/%25252e%25252e/bob',
      '/repos/ada/%2e%2e%2fbob',
      '/repos/ada/..;/bob',
      '/repos/ada/..%3b/bob',
      '/repos/ada/..%5cbob',
      '/repos/ada/%c0%ae%c0%ae/bob',
      '/repos/ada/%00',
      '/repos/ada/%0a',
      '/repos/ada;x/y',
      '/repos/ada%2Fx',
      '/repos%2Fada',
      '/repos/ada%20',
      '/repos/ada%2e',
      '/repos/ada%',
      '/repos/ada/%ef%bc%8e%ef%bc%8e/bob',
      '/repos/ada/%2525252525252e',
    ])
      assert.match(await requests.call(made.token, { path }), /^(403 token_restricted|400 bad_request)$/, path)
    for (const path of ['/repos/ada/../bob', '/repos/ada/./x', '/repos/ada\\..\\bob', '/repos/ada/..'])
      assert.match(await requests.callRaw(made.token, path), /^HTTP\/1\.1 403/, path)
    const headers = { destination: '/repos/bob' }
    assert.match(await requests.call(made.token, { path: '/repos/ada', method: 'MOVE', headers }), /^403/)
    assert.deepEqual(upstream.requests, [])
  })

  test('is not led out of its paths by the service: a redirect is returned, and joined pages end', async () => {
    const { token } = await connect()
    const made = await requests.make(token, { service: 'plain', paths: ['/list'] })
    const away = `${upstream.url}/other?page=2`
    upstream.response = `HTTP/1.1 302 Found\r\nLocation: ${away}\r\nContent-Length: 0\r\n\r\n`
    const redirected = await fetch(`${harness.url}/proxy/plain/list`, {
      headers: { authorization: `Bearer ${made.token}` },
      redirect: 'manual',
    })
    assert.equal(redirected.status, 302)
    assert.ok(redirected.headers.get('location')?.endsWith('/proxy/plain/other?page=2'))
    upstream.response = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nLink: <${away}>; rel="next"\r\nContent-Length: 3\r\n\r\n[1]`
    await assert.rejects(async () => {
      const joined = await fetch(`${harness.url}/proxy/plain/list?paginate=1`, {
        headers: { authorization: `Bearer ${made.token}` },
      })
      await joined.text()
    })
    assert.deepEqual(lines(), ['GET /list', 'GET /list'])
    // A next page within the paths is followed.
    upstream.requests.length = 0
    const pages = [`Link: <${upstream.url}/list?page=2>; rel="next"\r\n`, '']
    upstream.response = (socket) =>
      void socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${pages.shift()}Content-Length: 3\r\n\r\n[1]`,
      )
    const inside = await fetch(`${harness.url}/proxy/plain/list?paginate=1`, {
      headers: { authorization: `Bearer ${made.token}` },
    })
    assert.equal(await inside.text(), '[1,1]')
  })

  test('a path counts from where the API begins, at an origin too; a full address counts with its host', async () => {
    const { token } = await connect()
    const made = await requests.make(token, { service: 'plain', paths: ['/me', `${upstream.url}/v9/up`] })
    const origin = `http://127.0.0.1:${harness.deps.config.proxyPorts['plain']}`
    const at = async (path: string) =>
      (await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${made.token}` } })).status
    assert.equal(await at('/v1/me'), 200)
    assert.equal(await at('/v1/you'), 403)
    assert.deepEqual(lines(), ['GET /me'])
    for (const path of [`/${upstream.url}/me`, '/https://elsewhere.test/me', `/${upstream.url}@elsewhere.test/v9/up`])
      assert.equal(await requests.call(made.token, { path }), '403 token_restricted', path)
    // Allowed by the token; what the service allows is decided as always.
    for (const path of [`/${upstream.url}/v9/up/x`, `/http:/${upstream.host}/v9/up`])
      assert.equal(await requests.call(made.token, { path }), 'ok')
    const base = '/https://api.plain.test/v1/me'
    assert.equal(await requests.call(made.token, { path: base }), 'ok')
    assert.equal(lines().at(-1), 'GET /me', 'the API, under the name that it has at the vendor')
    assert.equal(await requests.call(made.token, { path: base.replace('me', 'you') }), '403 token_restricted')
  })

  test('of one profile: this person, also after another one connected', async () => {
    const { token, account } = await connect({ nativeId: '1' })
    const made = await requests.make(token, { service: '1@plain' })
    assert.equal(made.service, '1@plain')
    const other = await startRawUpstream()
    try {
      const second = { service: 'plain', nativeId: '2', account: account.id, apiUrl: upstream.url }
      await harness.connect({ ...second, credential: { token: 'of-the-second-0123' } })
      for (const method of ['GET', 'POST'])
        for (const service of ['plain', '1@plain'])
          assert.equal(await requests.call(made.token, { method, service }), 'ok', `${method} ${service}`)
      assert.ok(upstream.requests.every((request) => !request.includes('of-the-second-0123')))
      assert.equal(await requests.call(made.token, { service: '2@plain' }), '403 token_restricted')
      assert.equal(await requests.call(token, { method: 'POST' }), 'ok')
      assert.match(upstream.requests.at(-1)!, /of-the-second-0123/)
    } finally {
      await other.close()
    }
  })
})

suite('the tokens of an account', () => {
  test('are listed without the token, with who made them and when they were used last', async () => {
    const { token, account } = await connect()
    const limits = { methods: ['GET'], paths: ['/me'], label: 'for octokit', expires_in: 3600 }
    const made = await requests.make(token, { service: 'plain', ...limits })
    const byApp = await requests.byApp(harness, 'POST', `/accounts/${account.id}/proxy-tokens`, {
      service: '42@simple',
    })
    assert.equal(byApp.status, 201)
    const listed = await requests.list(token)
    assert.deepEqual(
      listed.map(({ service, label, made_by, used_at }) => ({ service, label, made_by, used_at })),
      [
        { service: 'plain', label: 'for octokit', made_by: `account:${account.id}`, used_at: undefined },
        { service: '42@plain', label: undefined, made_by: `app:${harness.appId}`, used_at: undefined },
      ],
    )
    assert.equal(listed[0]!.expires_at, listed[0]!.created_at + 3_600_000)
    assert.deepEqual(listed[0]!.methods, ['GET'])
    assert.ok(!JSON.stringify(listed).includes('trp_'))
    assert.equal(await requests.call(made.token, { path: '/me' }), 'ok')
    const usedAt = () => requests.list(token).then(([first]) => first?.used_at)
    await requests.until('the use is written', usedAt)
    const seenByApp = await requests.byApp(harness, 'GET', `/accounts/${account.id}/proxy-tokens`)
    assert.deepEqual(seenByApp.body, await requests.list(token))
    const stored = await harness.store.database.rows({ name: '', text: 'select t::text as row from proxy_token t' })
    assert.ok(!JSON.stringify(stored).includes(made.token.slice(20)))
  })

  test('of other accounts and apps are not found', async () => {
    const [ada, bob] = [await connect(), await connect({ nativeId: '43' })]
    const made = await requests.make(ada.token)
    assert.deepEqual(await requests.list(bob.token), [])
    const foreign = await requests.send('DELETE', `/proxy-tokens/${made.id}`, bob.token)
    assert.deepEqual([foreign.status, foreign.body?.reason], [404, 'not_found'])
    const path = `/accounts/${bob.account.id}/proxy-tokens/${made.id}`
    assert.equal((await requests.byApp(harness, 'DELETE', path)).status, 404)
    assert.equal((await requests.byApp(harness, 'GET', '/accounts/none/proxy-tokens')).status, 404)
    assert.equal(await requests.call(made.token), 'ok')
    assert.equal(
      (await requests.byApp(harness, 'DELETE', `/accounts/${ada.account.id}/proxy-tokens/${made.id}`)).status,
      200,
    )
    assert.deepEqual(await requests.list(ada.token), [])
  })

  test('must be for a profile that there is, and for paths that can be compared', async () => {
    const { token } = await connect()
    const refused = async (request: object) => {
      const { status, body } = await requests.send('POST', '/proxy-tokens', token, request)
      return `${status} ${body?.reason} ${body?.param ?? ''}`
    }
    for (const service of ['keyed', 'unknown', '43@plain', '@plain'])
      assert.equal(await refused({ service }), '404 no_profile service', service)
    for (const path of [
      'x',
      '',
      'ftp://x/y',
      '/a/../b',
      '/a/%2e%2e/b',
      '/a?b',
      '/a#b',
      '/a b',
      '/%',
      '/a\\..\\b',
      '/{key}',
    ])
      assert.equal(await refused({ service: 'plain', paths: ['/ok', path] }), '400 bad_body paths.1', path)
    for (const given of [{ methods: [] }, { methods: ['get'] }, { paths: [] }, { expires_in: 1 }, { label: '' }])
      assert.match(await refused({ service: 'plain', ...given }), /^400 bad_body/)
    assert.match(await refused({ service: 'plain', path: ['/x'] }), /^400 parameter_unknown/)
  })

  test('are at most a hundred, and the same request twice is one', async () => {
    const { token, account } = await connect()
    const headers = { 'idempotency-key': 'the-same-0123456789' }
    const twice = [1, 2].map(() => requests.send('POST', '/proxy-tokens', token, { service: 'plain' }, headers))
    const [first, second] = await Promise.all(twice)
    assert.ok([first, second].some((each) => each?.status === 201))
    assert.equal((await requests.list(token)).length, 1)
    for (let n = 1; n < 98; n += 1) await requests.make(token)
    // At the same moment, with place for two.
    const all = await Promise.all(
      Array.from({ length: 4 }, () => requests.send('POST', '/proxy-tokens', token, { service: 'plain' })),
    )
    assert.deepEqual(
      all.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 201, 409, 409],
    )
    assert.equal(all.find(({ status }) => status === 409)?.body?.reason, 'too_many_tokens')
    assert.equal((await requests.list(token)).length, 100)
    assert.ok(account)
  })
})
