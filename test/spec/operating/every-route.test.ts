import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ROUTES } from '#http/routes.ts'
import type { RouteAuth } from '#http/server/route.ts'
import { freePort } from '../../harness/free-port.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { exchange } from './raw-http.ts'

let tributary: Tributary
before(async () => {
  tributary = await startTributary()
})
after(() => tributary.stop())

const address = (path: string) => path.replaceAll(/:\w+/g, 'none').replace('*', 'none')
const paths = [...Map.groupBy(ROUTES, ([, path]) => path)].map(([path, listed]) => ({
  path: address(path),
  methods: listed.map(([method]) => method),
  auths: listed.map(([, , { auth }]) => auth),
  heads: listed.some(([method, , { hasSideEffects }]) => method === 'GET' && hasSideEffects !== true),
}))

const ALWAYS: Record<string, RegExp> = {
  'x-request-id': /^[\w.-]{8,64}$/,
  'cache-control': /no-store/,
  'x-content-type-options': /^nosniff$/,
  'x-frame-options': /^DENY$/,
  'referrer-policy': /^no-referrer$/,
  'content-security-policy': /default-src 'none'.*frame-ancestors 'none'/,
}

/** Responses without secrets that may be kept: by everybody, or to be asked for again by their ETag. */
const KEPT: Record<string, RegExp> = {
  'GET /client.tgz': /^public, no-cache$/,
  'GET /connect/search.js': /^public, max-age=3600$/,
  'GET /services': /^private, no-cache$/,
}

function assertFramed(response: Response, what: string): void {
  const kept =
    response.status === 200
      ? KEPT[
          what
            .replace('/v0/', '/')
            .replace(/^HEAD /, 'GET ')
            .replace(/ -> 200$/, '')
        ]
      : undefined
  for (const [name, pattern] of Object.entries({ ...ALWAYS, ...(kept === undefined ? {} : { 'cache-control': kept }) }))
    assert.match(response.headers.get(name) ?? '(none)', pattern, `${what}: ${name}`)
  assert.equal(response.headers.get('x-powered-by'), null)
  assert.equal(response.headers.get('server'), null)
}

async function request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(`${tributary.url}${path}`, { method, redirect: 'manual', ...init })
  assertFramed(response, `${method} ${path} -> ${response.status}`)
  return response
}

const asAdmin = () => ({ authorization: `Bearer ${tributary.adminToken}` })
// Scripts of any origin may call routes that neither a cookie nor the caller's network address authorises.
const isShared = (auths: RouteAuth[]) => auths.some((auth) => auth === 'none' || auth === 'account')

suite('S14 every route', () => {
  for (const [method, path, { auth }] of ROUTES) {
    const where = address(path)
    test(`${method} ${path} has the security headers, authorised or not`, async () => {
      const outside = await request(method, where)
      if (auth === 'admin') assert.equal(outside.status, 401)
      const inside = await request(method, where, { headers: asAdmin() })
      assert.notEqual(inside.status, 500)
      assert.equal(outside.headers.get('access-control-allow-origin'), isShared([auth]) ? '*' : null)
      await Promise.all([outside.body?.cancel(), inside.body?.cancel()])
    })

    test(`${method} ${path} is the same under /v0`, async () => {
      const [plain, prefixed] = await Promise.all([request(method, where), request(method, `/v0${where}`)])
      assert.equal(prefixed.status, plain.status)
      assert.equal(prefixed.headers.get('content-type'), plain.headers.get('content-type'))
      await Promise.all([plain.body?.cancel(), prefixed.body?.cancel()])
    })
  }

  const ofAccounts = ROUTES.filter(([, , { auth }]) => auth === 'account')
  assert.ok(ofAccounts.length > 20)
  for (const [method, path] of ofAccounts)
    test(`${method} ${path} takes the token of an account as the query parameter access_token`, async () => {
      const reasonOf = async (query: string) =>
        ((await (await request(method, `${address(path)}${query}`)).json()) as { reason: string }).reason
      assert.deepEqual([await reasonOf(''), await reasonOf('?access_token=x')], ['token_missing', 'token_invalid'])
    })

  for (const { path, methods, auths, heads } of paths) {
    const allowed = [...methods, ...(heads ? ['HEAD'] : []), 'OPTIONS'].sort()
    const listed = (response: Response, name: string) => (response.headers.get(name) ?? '').split(', ').sort()

    test(`OPTIONS ${path} lists the methods, and allows all origins only where every origin may call`, async () => {
      const response = await request('OPTIONS', path, {
        headers: { origin: 'https://evil.test', 'access-control-request-method': 'GET' },
      })
      assert.equal(response.status, 204)
      assert.deepEqual(listed(response, 'allow'), allowed)
      if (isShared(auths)) {
        assert.equal(response.headers.get('access-control-allow-origin'), '*')
        assert.deepEqual(listed(response, 'access-control-allow-methods'), allowed)
        assert.deepEqual(listed(response, 'access-control-allow-headers'), ['*', 'authorization'])
      } else {
        const cors = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
        assert.deepEqual(cors, [])
      }
      assert.equal(response.headers.get('access-control-allow-credentials'), null)
    })

    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !allowed.includes(each))) {
      test(`${method} ${path} is refused with the allowed methods`, async () => {
        const response = await request(method, path, { headers: asAdmin() })
        assert.equal(response.status, 405)
        assert.deepEqual(listed(response, 'allow'), allowed)
        if (method !== 'HEAD')
          assert.equal(((await response.json()) as { reason: string }).reason, 'method_not_allowed')
      })
    }

    if (heads) {
      test(`HEAD ${path} is GET without the body`, async () => {
        const [get, head] = [await request('GET', path), await request('HEAD', path)]
        assert.equal(head.status, get.status)
        assert.equal(head.headers.get('content-type'), get.headers.get('content-type'))
        assert.equal(await head.text(), '')
        await get.body?.cancel()
      })
    }
  }
})

/** State changes that browsers ask for with a cookie. */
const browserWrites = ROUTES.filter(([method, , { auth }]) => auth === 'browser' && method !== 'GET')

suite('S97 requests of pages of other origins', () => {
  const ours = () => new URL(tributary.url)
  const reasonOf = async (method: string, path: string, headers: Record<string, string>) => {
    const response = await request(method, address(path), { headers })
    const { reason } = (await response.json().catch(() => ({}))) as { reason?: string }
    if (reason === 'origin_refused') assert.equal(response.status, 403)
    return reason
  }
  const REFUSED: Record<string, () => Record<string, string>> = {
    'another origin': () => ({ origin: 'https://evil.test' }),
    'another port of this machine': () => ({ origin: 'http://127.0.0.1:1' }),
    'our host by another scheme and port': () => ({ origin: `https://${ours().hostname}:1` }),
    'an origin that is not an address': () => ({ origin: 'evil' }),
    'another site': () => ({ 'sec-fetch-site': 'cross-site', origin: 'null' }),
    'another origin of our site': () => ({ 'sec-fetch-site': 'same-site', origin: 'null' }),
    'another site without an origin': () => ({ 'sec-fetch-site': 'cross-site' }),
    'another origin that claims to be ours': () => ({ 'sec-fetch-site': 'same-origin', origin: 'https://evil.test' }),
  }
  const ACCEPTED: Record<string, () => Record<string, string>> = {
    'our origin': () => ({ origin: ours().origin, 'sec-fetch-site': 'same-origin' }),
    'a form of ours, which has no referrer': () => ({ origin: 'null', 'sec-fetch-site': 'same-origin' }),
    'a program': () => ({}),
    // No browser names the site over plain http; our forms have no referrer, and so no origin.
    'a form of ours over plain http': () => ({ origin: 'null' }),
  }

  test('only what a service posts may come from elsewhere', () => {
    const open = browserWrites.flatMap(([, path, route]) => (route.crossSite === true ? [path] : []))
    assert.deepEqual(open, ['/auth/:service/callback', '/auth/:service/callback/:registration'])
    assert.ok(browserWrites.length > 10)
  })

  for (const [method, path, { crossSite }] of browserWrites) {
    for (const [from, headers] of Object.entries(REFUSED))
      test(`${method} ${path} from ${from}`, async () => {
        const reason = await reasonOf(method, path, headers())
        if (crossSite === true) assert.notEqual(reason, 'origin_refused')
        else assert.equal(reason, 'origin_refused')
      })
    // The demo has stricter rules for its own, and does not run here.
    for (const [from, headers] of Object.entries(ACCEPTED))
      test(`${method} ${path} from ${from}`, async () => {
        assert.notEqual(await reasonOf(method, path, headers()), 'origin_refused')
      })
  }
})

suite('unknown routes and malformed requests', () => {
  for (const path of [
    '/nothing',
    '/v0',
    '/v0/nothing',
    '/v0/v0/healthz',
    '/v1/healthz',
    '/admin',
    '/healthz/',
    '//healthz',
    '/Healthz',
    '/%68ealthz%00',
    '/admin/apps/%zz',
    '/?%',
    '/..%2fhealthz',
    `/${'x'.repeat(5000)}`,
  ]) {
    test(`${path.slice(0, 40)} gets our error response`, async () => {
      const response = await request('GET', path)
      if (path === '/v0' || path === '/?%') {
        assert.equal(response.status, 200)
        return
      }
      assert.ok([400, 401, 404].includes(response.status), String(response.status))
      const body = (await response.json()) as Record<string, string>
      assert.deepEqual(Object.keys(body), ['error', 'code', 'reason', 'see', 'request_id'])
      assert.equal(body['request_id'], response.headers.get('x-request-id'))
    })
  }

  for (const [what, bytes] of Object.entries({
    'is not HTTP': 'HELLO\r\n\r\n',
    'has a broken header': 'GET /healthz HTTP/1.1\r\nHost x\r\n\r\n',
    'has two lengths': 'POST /admin/apps HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
    'has a length and chunks':
      'POST /admin/apps HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'has a megabyte of headers': `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(1_000_000)}\r\n\r\n`,
    'has a hundred thousand headers': `GET /healthz HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(100_000)}\r\n`,
  })) {
    test(`a request that ${what} gets our error response`, async () => {
      const { status, head, body } = await exchange(tributary.url, bytes)
      assert.ok([400, 431].includes(status), `${status}`)
      for (const name of Object.keys(ALWAYS)) assert.ok(head.includes(`\n${name}:`), `${name} is missing in ${head}`)
      assert.deepEqual(Object.keys(JSON.parse(body) as object), ['error', 'code', 'reason', 'see', 'request_id'])
    })
  }
})

suite('the request id', () => {
  test('is generated when none is given, and is new each time', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await request('GET', '/healthz')).headers.get('x-request-id')),
    )
    assert.equal(new Set(ids).size, 20)
  })

  test('is taken over when it is harmless, in responses, errors and the log', async () => {
    const id = 'trace-01.ABC_x'
    const response = await request('GET', '/nothing', { headers: { 'x-request-id': id } })
    assert.equal(response.headers.get('x-request-id'), id)
    assert.equal(((await response.json()) as { request_id: string }).request_id, id)
    assert.ok(tributary.logged.some((line) => line.includes(id)))
  })

  test('is replaced when it is not', async () => {
    for (const id of ['short', 'x'.repeat(65), 'has space x', 'quote"quote"', '<script>12', 'semi;colon;']) {
      const response = await request('GET', '/healthz', { headers: { 'x-request-id': id } })
      assert.notEqual(response.headers.get('x-request-id'), id)
    }
  })
})

test('https sends Strict-Transport-Security', async () => {
  const port = await freePort()
  const secure = await startTributary({ BASE_URL: 'https://tributary.test', PORT: String(port) })
  try {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`)
    assert.match(response.headers.get('strict-transport-security') ?? '', /max-age=\d{7,}/)
  } finally {
    await secure.stop()
  }
  assert.equal((await request('GET', '/healthz')).headers.get('strict-transport-security'), null)
})

test('pages of the documentation link only to what is served, and llms.txt names them', async () => {
  const get = async (path: string) => fetch(`${tributary.url}${path}`)
  const index = await (await get('/llms.txt')).text()
  const pages = [...index.matchAll(/\]\(http[^)]*(\/docs\/[^)]+\.md)\)/g)].map(([, path]) => path!)
  assert.ok(pages.includes('/docs/guides/connect-a-person.md'))
  const broken: string[] = []
  const seen = new Map<string, Promise<number>>()
  for (const page of pages) {
    const text = await (await get(page)).text()
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)) {
      const { pathname, origin } = new URL(link, `${tributary.url}${page}`)
      if (origin !== tributary.url) continue
      const status = seen.get(pathname) ?? get(pathname).then((response) => response.status)
      seen.set(pathname, status)
      if ((await status) !== 200) broken.push(`${page}: ${link}`)
    }
  }
  assert.deepEqual(broken, [])
  assert.ok(seen.size > 50)
  const picture = await get('/docs/images/demo.png')
  assert.equal(picture.headers.get('content-type'), 'image/png')
  const known = await fetch(picture.url, { headers: { 'if-none-match': picture.headers.get('etag')! } })
  assert.equal(known.status, 304)
  for (const path of [
    '/docs/images/..%2f..%2fpackage.json',
    '/docs/guides/%2e%2e',
    '/docs/nothing/demo.png',
    '/docs/images/push.md',
  ])
    assert.equal((await get(path)).status, 404, path)
})
