import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { rawClient } from '../operating/raw-http.ts'
import { type ProxyHarness, startProxyHarness } from './fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from './raw-upstream.ts'

// Vendors' SDKs follow links of the service with the headers of their first request, which hold the account's token.

const PROXY = 'http://localhost/proxy/plain'
let api: RawUpstream
let harness: ProxyHarness
let token: string
before(async () => {
  api = await startRawUpstream()
  harness = await startProxyHarness({ proxyPorts: ['keyed'] })
  token = (await harness.connect({ apiUrl: `${api.url}/v1` })).token
})
after(async () => {
  await harness.stop()
  await api.close()
})
beforeEach(() => {
  api.requests.length = 0
  api.response = OK
})

const ownPort = () => harness.deps.config.proxyPorts['keyed']

function callProxy(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) }
  return fetch(`${harness.url}/proxy/plain${path}`, { redirect: 'manual', ...init, headers })
}

async function linkFor(...links: string[]): Promise<string | null> {
  const headers = links.map((link) => `Link: ${link}\r\n`).join('')
  api.response = `HTTP/1.1 200 OK\r\n${headers}Content-Length: 0\r\n\r\n`
  return (await callProxy('/list')).headers.get('link')
}

suite('links of the service', () => {
  test('to its API lead to the proxy, with everything else as it was', async () => {
    assert.equal(
      await linkFor(
        `<${api.url}/v1/list?page=2&sort=a%2Cb>; rel="next"; title="a, b"`,
        `<${api.url}/v1/list?page=9>; rel=last, </v1/list>; rel="first", <list?page=0>; rel="prev"`,
      ),
      [
        `<${PROXY}/list?page=2&sort=a%2Cb>; rel="next"; title="a, b"`,
        `<${PROXY}/list?page=9>; rel=last`,
        `<${PROXY}/list>; rel="first"`,
        `<${PROXY}/list?page=0>; rel="prev"`,
      ].join(', '),
    )
  })

  test('can be followed to the end with the token of the account, and none of it reaches the service', async () => {
    api.response = (socket, request) => {
      const page = Number(/page=(\d+)/.exec(request)?.[1] ?? 1)
      const next = page < 3 ? `Link: <${api.url}/v1/list?page=${page + 1}>; rel="next"\r\n` : ''
      socket.write(`HTTP/1.1 200 OK\r\n${next}Content-Length: 1\r\n\r\n${page}`)
    }
    const seen: string[] = []
    for (let path: string | undefined = '/list'; path !== undefined; ) {
      const response = await callProxy(path)
      seen.push(await response.text())
      const next: string | undefined = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
      assert.ok(next === undefined || next.startsWith(PROXY), next)
      path = next?.slice(PROXY.length)
    }
    assert.deepEqual(seen, ['1', '2', '3'])
    for (const request of api.requests) assert.ok(!request.includes('trt_'), request)
  })

  test('to its host outside the API, or with another scheme or a user, lead to the proxy too', async () => {
    assert.equal(await linkFor(`<${api.url}/admin>; rel="next"`), `<${PROXY}/${api.url}/admin>; rel="next"`)
    assert.equal((await callProxy(`/${api.url}/admin`)).status, 400)
    for (const address of [`https://${api.host}/v1/x`, `http://us:pw@${api.host}/v1/x`, `//${api.host}/v1/x`])
      assert.equal(await linkFor(`<${address}>; rel="next"`), `<${PROXY}/x>; rel="next"`, address)
  })

  test('to other hosts: pages are left out, everything else stays', async () => {
    const license = '<https://creativecommons.test/by>; rel="license"'
    for (const page of [
      '<https://evil.test/list?page=2>; rel="next"',
      `<${api.url.replace('127.0.0.1', '127.0.0.2')}/v1/list>; rel="prev"`,
      '<javascript:alert(1)>; rel="next"',
      '<http://localhost/admin/apps>; rel="last"',
      '<https://evil.test/list?page=2>; rel="author next"',
    ])
      assert.equal(await linkFor(page, license), license, page)
    assert.equal(await linkFor('<https://evil.test/>; rel=next'), null)
  })

  test('that clients read differently are left out: each finds another address, or another relation', async () => {
    for (const link of [
      `<${api.url}/v1/a>; title=<https://evil.test/list>; rel="next"`,
      `<${api.url}/v1/a>; rel="author"; title='<https://evil.test/list>; rel="next"'`,
      `<${api.url}/v1/a>; title="x" <https://evil.test/list>; rel="next"`,
      `<https://evil.test/list>; rel='next'`,
      `<https://evil.test/list>; rel=author; rel=next`,
      `<https://evil.test/list>; rel="author"; title='a" rel="next"'`,
      `<https://evil.test/list>; rel=AUTHOR,Next`,
      `<https://evil.test/list>; rel="n\\ext"; rel="author"`,
      `<https://evil.test/list>; rel="author"; rel*=UTF-8''ne%78t`,
    ])
      assert.equal(await linkFor(link), null, link)
  })

  test('in a redirect to the proxy’s own host are left out, because a client follows it with its token', async () => {
    for (const target of [
      'http://localhost/profiles',
      'http://localhost/proxy/plain/x',
      '//localhost/auth/merge',
      // Where other services have their origins: some clients compare no port, or take what is below a host for the host.
      `http://localhost:${ownPort()}/send`,
      'https://localhost./proxy/other/x',
      'http://other.localhost/send',
      'http://OTHER.LocalHost.:8102/send',
      `http://127.0.0.1:${ownPort()}/send`,
      `${harness.url}/proxy/other/x`,
    ])
      for (const status of ['302 Found', '307 Temporary Redirect']) {
        api.response = `HTTP/1.1 ${status}\r\nLocation: ${target}\r\nContent-Length: 0\r\n\r\n`
        const response = await callProxy('/x', { method: 'POST' })
        assert.deepEqual(
          [response.status, response.headers.get('location')],
          [Number(status.slice(0, 3)), null],
          target,
        )
      }
  })

  test('in a redirect to another host stay: clients leave Authorization out when they follow it', async () => {
    for (const status of ['302 Found', '307 Temporary Redirect']) {
      api.response = `HTTP/1.1 ${status}\r\nLocation: https://other.test/x\r\nContent-Length: 0\r\n\r\n`
      const response = await callProxy('/x', { method: 'POST' })
      assert.equal(response.headers.get('location'), 'https://other.test/x')
    }
  })

  test('to what clients call next, such as an upload, lead to the proxy, and to no other host', async () => {
    for (const name of [
      'Location',
      'X-Goog-Upload-URL',
      'X-Goog-Upload-Control-URL',
      'Operation-Location',
      'Azure-AsyncOperation',
    ])
      for (const [address, led] of [
        [`${api.url}/v1/upload?id=1`, `${PROXY}/upload?id=1`],
        ['/v1/upload?id=1', `${PROXY}/upload?id=1`],
        ['https://evil.test/upload', null],
        ['//evil.test/', null],
        ['http://[/', null],
      ] as const)
        for (const status of ['200 OK', '201 Created', '202 Accepted']) {
          api.response = `HTTP/1.1 ${status}\r\n${name}: ${address}\r\nContent-Length: 0\r\n\r\n`
          const response = await callProxy('/x', { method: 'POST' })
          assert.equal(response.headers.get(name), led, `${name}: ${address}`)
        }
  })

  test('are read in the same way when there are thousands', async () => {
    const many = Array.from({ length: 200 }, (_, i) => `</v1/list?page=${i}>; rel="next"`)
    assert.equal((await linkFor(many.join(', ')))?.split('rel=').length, 201)
  })

  test('never lead to the host that a request names', async () => {
    api.response = `HTTP/1.1 201 Created\r\nLocation: /v1/x/1\r\nContent-Location: /v1/x/1?v=2\r\nContent-Length: 0\r\n\r\n`
    const client = await rawClient(harness.url)
    client.send(
      `GET /proxy/plain/x HTTP/1.1\r\nHost: evil.test\r\nX-Forwarded-Host: evil.test\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
    )
    const received = await client.ended
    assert.match(received, new RegExp(`^location: ${PROXY}/x/1\\r$`, 'im'))
    assert.match(received, new RegExp(`^content-location: ${PROXY}/x/1\\?v=2\\r$`, 'im'))
    assert.ok(!received.includes('evil.test'), received)
  })

  test('of a profile that was named with its id keep that name', async () => {
    api.response = 'HTTP/1.1 201 Created\r\nLocation: /v1/x/1\r\nContent-Length: 0\r\n\r\n'
    const response = await fetch(`${harness.url}/proxy/42@plain/x`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(response.headers.get('location'), 'http://localhost/proxy/42@plain/x/1')
  })
})

suite('the token of the account', () => {
  const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

  test('is accepted in the forms that vendors’ SDKs write', async () => {
    for (const authorization of [
      `token ${token}`,
      `OAuth ${token}`,
      `Bot ${token}`,
      basic('x-token-auth', token),
      basic(token, 'X'),
    ]) {
      const response = await callProxy('/me', { headers: { authorization } })
      assert.equal(response.status, 200, authorization)
    }
    for (const authorization of ['token trt_wrong', `Digest ${token}`, basic('a', 'b'), `token ${token} x`])
      assert.equal((await callProxy('/me', { headers: { authorization } })).status, 401, authorization)
    for (const request of api.requests) assert.match(request, /^authorization: Bearer service-token-/im)
  })

  test('is refused where it would reach the service', async () => {
    for (const [path, headers] of [
      [`/me?key=${token}`, {}],
      [`/${token}/me`, {}],
      ['/me', { 'x-api-key': token }],
      ['/me', { 'x-auth': `Bearer ${token}` }],
    ] as const) {
      const response = await callProxy(path, { headers })
      const { reason, error } = (await response.json()) as { reason: string; error: string }
      assert.deepEqual([response.status, reason], [400, 'bad_request'], path)
      assert.ok(!error.includes(token))
    }
    assert.deepEqual(api.requests, [])
  })
})
