import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { oneTurn, staysUnchanged } from '../../harness/stays-unchanged.ts'
import { type ProxyHarness, startProxyHarness, TOKEN } from './fixture.ts'

type Reply = (query: URLSearchParams, incoming: IncomingMessage, response: ServerResponse) => unknown

let harness: ProxyHarness
let token: string
let requested: string[]
const served = new Map<string, Reply>()
const service = createServer((incoming, response) => {
  const url = new URL(incoming.url ?? '/', 'http://x')
  requested.push(incoming.url ?? '')
  assert.equal(incoming.headers.authorization, `Bearer ${TOKEN}`)
  const body = served.get(url.pathname)?.(url.searchParams, incoming, response)
  if (body !== undefined && !response.writableEnded) response.end(JSON.stringify(body))
})
let base: string
before(async () => {
  await once(service.listen(0, '127.0.0.1'), 'listening')
  base = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  harness = await startProxyHarness()
  token = (await harness.connect({ service: 'paged', apiUrl: `${base}/api`, nativeId: '42' })).token
})
after(async () => {
  await harness.stop()
  service.closeAllConnections()
  service.close()
})
beforeEach(() => {
  requested = []
  served.clear()
})

const list = async (path: string, init: RequestInit = {}) => {
  const reply = await fetch(`${harness.url}/proxy/paged${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
  })
  return { status: reply.status, headers: reply.headers, text: () => reply.text() }
}
const ids = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => ({ id: `${from + i}` }))

suite('paginate=true', () => {
  test('follows cursors of the connector’s endpoint, also past an empty page, with the app’s own query', async () => {
    const pages: Record<string, object> = {
      '': { data: ids(0, 2), next: 'b' },
      b: { data: [], next: 'c' },
      c: { data: ids(2, 3), next: 'd e' },
      'd e': { data: ids(3, 4) },
    }
    served.set('/api/people/7/entries', (query) => pages[query.get('after') ?? ''])
    const reply = await list('/people/7/entries?paginate=true&tag=a&tag=b&x=%7e')
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.match(reply.headers.get('content-security-policy') ?? '', /sandbox/)
    assert.deepEqual(JSON.parse(await reply.text()), ids(0, 4))
    assert.deepEqual(requested, [
      '/api/people/7/entries?tag=a&tag=b&x=%7e',
      '/api/people/7/entries?tag=a&tag=b&x=%7e&after=b',
      '/api/people/7/entries?tag=a&tag=b&x=%7e&after=c',
      '/api/people/7/entries?tag=a&tag=b&x=%7e&after=d%20e',
    ])
  })

  test('follows offsets, and the app’s own page size causes no gaps', async () => {
    served.set('/api/counted', (query) => {
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))]
      return { list: ids(offset, Math.min(7, offset + limit)) }
    })
    const reply = await list('/counted?limit=1&offset=5&paginate=1')
    assert.deepEqual(JSON.parse(await reply.text()), ids(0, 7))
    assert.deepEqual(
      requested,
      [0, 3, 6, 9].map((offset) => `/api/counted?limit=3&offset=${offset}`),
    )
  })

  test('follows the Link header of arrays without an endpoint; digits are preserved', async () => {
    served.set('/api/free', (query, _, response) => {
      const page = Number(query.get('page') ?? 1)
      const next = [`<${base}/api/free?page=2>; rel="next", <x>; rel="last"`, '</api/free?page=3>; rel=next'][page - 1]
      if (next !== undefined) response.setHeader('link', next)
      response.end(`[{"id":9007199254740993${page}},null,"é"]`)
    })
    const reply = await list('/free?paginate=yes')
    assert.equal(
      await reply.text(),
      '[{"id":90071992547409931},null,"é",{"id":90071992547409932},null,"é",{"id":90071992547409933},null,"é"]',
    )
    assert.deepEqual(requested, ['/api/free', '/api/free?page=2', '/api/free?page=3'])
  })

  test('no items at all is an empty array', async () => {
    served.set('/api/free', () => [])
    assert.equal(await (await list('/free?paginate=true')).text(), '[]')
  })

  test('reads compressed pages when the app accepts them', async () => {
    served.set('/api/free', (_, incoming, response) => {
      assert.equal(incoming.headers['accept-encoding'], 'gzip')
      assert.equal(incoming.headers['if-none-match'], undefined)
      response.setHeader('content-encoding', 'gzip').end(gzipSync('[1]'))
    })
    const reply = await list('/free?paginate=true', { headers: { 'if-none-match': '"x"' } })
    assert.deepEqual([reply.headers.get('content-encoding'), await reply.text()], [null, '[1]'])
  })

  test('is refused where there are no pages', async () => {
    served.set('/api/object', () => ({ a: 1 }))
    served.set('/api/text', (_, _incoming, response) => response.end('no JSON') && undefined)
    for (const path of ['/object', '/text']) {
      const reply = await list(`${path}?paginate=true`)
      const body = JSON.parse(await reply.text()) as { reason: string; error: string }
      assert.deepEqual([reply.status, body.reason], [400, 'bad_parameter'])
      assert.match(body.error, /paginate/)
    }
    const post = await list('/free?paginate=true', { method: 'POST', body: 'x' })
    assert.equal(post.status, 400)
  })

  test('a page that the connector cannot read is a 500, and the log names it', async () => {
    served.set('/api/fragile', () => ({ shallow: [] }))
    const before = harness.logged.length
    const reply = await list('/fragile?paginate=true')
    const body = JSON.parse(await reply.text()) as { reason: string }
    assert.deepEqual([reply.status, body.reason], [502, 'service_unreachable'])
    const lines = harness.logged.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>)
    const [line] = lines.filter(({ message }) => message === 'a connector could not read a page')
    assert.deepEqual([line?.['level'], line?.['service'], line?.['path']], ['warn', 'paged', '/fragile'])
    assert.match(JSON.stringify(line), /TypeError/)
  })

  test('a refusal of the service is returned unchanged', async () => {
    served.set('/api/free', (_, _incoming, response) => {
      response.statusCode = 403
      return { error: 'not yours' }
    })
    const reply = await list('/free?paginate=true')
    assert.deepEqual([reply.status, await reply.text()], [403, '{"error":"not yours"}'])
  })

  test('Retry-After of a page is waited for', async () => {
    let refused = 0
    served.set('/api/free', (query, _, response) => {
      if (query.get('page') === null) {
        response.setHeader('link', '</api/free?page=2>; rel="next"')
        return [1]
      }
      if (refused === 0) {
        refused += 1
        response.writeHead(503, { 'retry-after': '1' }).end()
        return undefined
      }
      return [2]
    })
    assert.equal(await (await list('/free?paginate=true')).text(), '[1,2]')
  })

  for (const [what, second] of Object.entries<Reply>({
    'a refusal': (_, _incoming, response) => response.writeHead(404).end() && undefined,
    'no JSON': (_, _incoming, response) => response.end('[1,') && undefined,
    'another shape': () => ({ a: 1 }),
    'itself again': (_, _incoming, response) => {
      response.setHeader('link', '</api/free?page=2>; rel="next"')
      return [2]
    },
    'another host': (_, _incoming, response) => {
      response.setHeader('link', '<http://127.0.0.1:1/steal>; rel="next"')
      return [2]
    },
  }))
    test(`after the first page, ${what}: the connection is cut, never a short array that looks whole`, async () => {
      served.set('/api/free', (query, incoming, response) => {
        if (query.get('page') !== null) return second(query, incoming, response)
        response.setHeader('link', '</api/free?page=2>; rel="next"')
        return [1]
      })
      const reply = await list('/free?paginate=true')
      assert.equal(reply.status, 200)
      await assert.rejects(reply.text())
    })

  test('is written while it is read: a reader who disconnects ends the walk', async () => {
    served.set('/api/free', (query, _, response) => {
      const page = Number(query.get('page') ?? 1)
      response.setHeader('link', `</api/free?page=${page + 1}>; rel="next"`)
      return Array.from({ length: 200 }, () => 'x'.repeat(1000))
    })
    const leaving = new AbortController()
    const reply = await fetch(`${harness.url}/proxy/paged/free?paginate=true`, {
      headers: { authorization: `Bearer ${token}` },
      signal: leaving.signal,
    })
    const reader = reply.body!.getReader()
    await reader.read()
    leaving.abort()
    await staysUnchanged(
      () => requested.length,
      () => oneTurn(harness.url),
    )
    assert.ok(requested.length > 0 && requested.length < 200, `${requested.length} pages`)
  })
})
