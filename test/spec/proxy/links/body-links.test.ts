import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { linked } from '../connectors.ts'
import { type ProxyHarness, startProxyHarness } from '../fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from '../raw-upstream.ts'

// Vendors' SDKs follow links in bodies with the headers of their first request, which hold the account's token.

const PROXY = 'http://localhost/proxy/linked'

let api: RawUpstream
let harness: ProxyHarness
let token: string
before(async () => {
  api = await startRawUpstream()
  harness = await startProxyHarness({ connectors: [linked] })
  token = (await harness.connect({ service: 'linked', apiUrl: `${api.url}/v1` })).token
})
after(async () => {
  await harness.stop()
  await api.close()
})
beforeEach(() => {
  api.requests.length = 0
  api.response = OK
})

function callProxy(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) }
  return fetch(`${harness.url}/proxy/linked${path}`, { redirect: 'manual', ...init, headers })
}

/** The service responds with these bytes. */
function responds(body: string | Buffer, headers: readonly string[] = [], status = '200 OK'): void {
  const bytes = Buffer.from(body as string, 'utf8')
  const type = headers.some((each) => /^content-type:/i.test(each)) ? [] : ['Content-Type: application/json']
  const head = [`HTTP/1.1 ${status}`, ...type, ...headers, `Content-Length: ${bytes.length}`, '', '']
  api.response = head.join('\r\n') + bytes.toString('latin1')
}

async function linkFor(address: string): Promise<string | null> {
  responds(JSON.stringify({ next: address }))
  return ((await (await callProxy('/list')).json()) as { next: string | null }).next
}

suite('links in bodies', () => {
  test('to the API lead to the proxy, with every other byte as it was', async () => {
    const other = `"é": "${api.url}/v1/x" , "n": 1.0e2,\r\n\t`
    responds(
      `{${other}"next":\t"${api.url}/v1/list?a=%2Cb&page=2#x","links":{"self":"${api.url.replaceAll('/', '\\/')}\\/v1\\/a"},"data":[{"href":"${api.url}/v1"},7],"@odata.nextLink":"${api.url}/v1/?%24skip=2"} `,
    )
    const response = await callProxy('/list')
    const body = await response.text()
    assert.equal(
      body,
      `{${other}"next":\t"${PROXY}/list?a=%2Cb&page=2#x","links":{"self":"${PROXY}/a"},"data":[{"href":"${PROXY}"},7],"@odata.nextLink":"${PROXY}/?%24skip=2"} `,
    )
    assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(body)))
  })

  test('can be followed to the end with the token of the account, and none of it reaches the service', async () => {
    api.response = (socket, request) => {
      const page = Number(/page=(\d+)/.exec(request)?.[1] ?? 1)
      const body = JSON.stringify({ page, next: page < 4 ? `${api.url}/v1/list?page=${page + 1}` : null })
      socket.write(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    }
    const seen: number[] = []
    for (let path: string | null = '/list'; path !== null; ) {
      const { page, next } = (await (await callProxy(path)).json()) as { page: number; next: string | null }
      seen.push(page)
      assert.ok(next === null || next.startsWith(`${PROXY}/`), String(next))
      path = next && next.slice(PROXY.length)
    }
    assert.deepEqual(seen, [1, 2, 3, 4])
    for (const request of api.requests) assert.ok(!request.includes('trt_'), request)
  })

  test('to its host outside the API, with another scheme, a user or a token, lead to the proxy too', async () => {
    assert.equal(await linkFor(`${api.url}/admin`), `${PROXY}/${api.url}/admin`)
    for (const address of [
      `https://${api.host}/v1/x`,
      `http://us:pw@${api.host}/v1/x`,
      `//${api.host}/v1/x`,
      `HTTP://${api.host}/v1/a/../x`,
      ` \t${api.url}/v1/x`,
      `${api.url}/v1/x?access_token=trt_forged`,
    ])
      assert.equal(await linkFor(address), `${PROXY}/x`, address)
    assert.equal(await linkFor(`${api.url}/v1/x?a=1&access_token=of-service`), `${PROXY}/x?a=1`)
  })

  test('to the vendor’s own address lead to the proxy, where an instance takes its place', async () => {
    assert.equal(await linkFor('https://api.plain.test/v1/x?a=1'), `${PROXY}/x?a=1`)
    assert.equal(await linkFor('https://files.plain.test/x'), `${PROXY}/https://files.plain.test/x`)
    assert.equal(await linkFor('https://other.plain.test/v1/x'), null)
  })

  test('that are templates stay templates', async () => {
    assert.equal(await linkFor(`${api.url}/v1/r/{id}/assets{?name,label}`), `${PROXY}/r/{id}/assets{?name,label}`)
  })

  test('that are paths stay, because clients resolve them at the address that they called', async () => {
    for (const path of ['/v1/list?page=2', '?page=2', '/', '']) assert.equal(await linkFor(path), path)
    assert.equal(await linkFor('list?page=2'), `${PROXY}/list?page=2`)
  })

  test('to other hosts, loopback, our own address, or nothing that is followed, become null', async () => {
    for (const address of [
      'https://evil.test/list?page=2',
      `${api.url.replace('127.0.0.1', '127.0.0.2')}/v1/list`,
      `http://127.0.0.1/v1/list`,
      `http://[::1]:${new URL(api.url).port}/v1/list`,
      harness.url,
      'http://localhost/proxy/linked/list',
      'http://localhost/admin/apps',
      '//evil.test/v1',
      '/\\evil.test/v1',
      '/\t/evil.test/v1',
      '\\\\evil.test',
      '@evil.test/',
      '.evil.test/',
      ':80@evil.test/',
      'https:evil.test',
      '/../other/x',
      '/v1/..\\../other/x',
      '/%2e%2e/other/x',
      '/.%2E',
      '/.\t./other/x',
      'https://evil.test@',
      'http://[/',
      'javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:application/json,{}',
      'file:///etc/passwd',
      `ftp://${api.host}/v1/list`,
      `${api.url}.evil.test/v1/list`,
      `http://${api.host}@evil.test/v1/list`,
    ]) {
      const led = await linkFor(address)
      // What is put behind the address of the caller must not become a part of the host.
      if (/^(?:[@.:]|\/.*other|\/\.)/.test(address))
        assert.ok(led === null || led.startsWith(`${PROXY}/`), `${address}: ${String(led)}`)
      else assert.equal(led, null, address)
    }
  })

  test('at other places stay as they are', async () => {
    const body = `{"href":"https://evil.test/","data":{"a":{"next":"${api.url}/v1/x"}},"next":{"next":"${api.url}"},"data":[["${api.url}/v1"]]}`
    responds(body)
    assert.equal(await (await callProxy('/list')).text(), body)
  })

  test('stay as they are if the caller says so, and then nothing about the response is changed', async () => {
    const bytes = gzipSync(`{"next":"https://evil.test/"}`)
    responds(bytes, ['Content-Encoding: gzip', 'Content-MD5: abc', 'Accept-Ranges: bytes'])
    const response = await callProxy('/list', {
      headers: { 'x-tributary-links': 'keep', range: 'bytes=0-9', 'accept-encoding': 'gzip' },
    })
    assert.equal(await response.text(), '{"next":"https://evil.test/"}')
    const names = ['content-md5', 'accept-ranges', 'content-encoding', 'content-length']
    assert.deepEqual(
      names.map((name) => response.headers.get(name)),
      ['abc', 'bytes', 'gzip', String(bytes.length)],
    )
    assert.match(api.requests[0]!, /^range: bytes=0-9\r$/im)
    assert.match(api.requests[0]!, /^accept-encoding: gzip, identity\r$/im)
    assert.doesNotMatch(api.requests[0]!, /x-tributary/i)
  })

  test('are only looked for in JSON', async () => {
    const body = `{"next":"${api.url}/v1/x"}`
    for (const type of [
      'application/vnd.api+json; charset=utf-8',
      'text/json',
      'Application/JSON',
      'application/x-ndjson',
    ]) {
      responds(body, [`Content-Type: ${type}`])
      assert.equal(await (await callProxy('/list')).text(), `{"next":"${PROXY}/x"}`, type)
    }
    const page = `<a title='{"next":"${api.url}/v1/x"}'>`
    for (const type of ['text/plain', 'application/jsonp', 'application/octet-stream', 'text/html; a=application/json'])
      for (const other of [page, `\u0000${page}`, ' '.repeat(20_000) + page, page.repeat(1000), '   ', '']) {
        responds(other, [`Content-Type: ${type}`, 'Content-MD5: abc'])
        const response = await callProxy('/list')
        assert.deepEqual([await response.text(), response.headers.get('content-md5')], [other, 'abc'], type)
      }
  })

  test('are found whatever the type says, because many SDKs parse every body', async () => {
    const filler = `"a":"${'a'.repeat(30_000)}"`
    for (const type of ['text/plain', 'application/octet-stream', 'image/png', 'text/html', 'x', ''])
      for (const [start, end] of [
        ['{"next":', '}'],
        [' \r\n[{"link":', '}]'],
        [`\ufeff{${filler},"next":`, '}'],
      ]) {
        const body = `${start}"https://evil.test/"${end}`
        const rewritten = `${start}null${end}`.replace('\ufeff', '')
        responds(body, [`Content-Type: ${type}`])
        assert.equal(await (await callProxy('/list')).text(), rewritten, type)
        responds(gzipSync(body), [`Content-Type: ${type}`, 'Content-Encoding: gzip'])
        assert.equal(await (await callProxy('/list')).text(), rewritten, type)
      }
    const file = `{\\rtf1 it's 'next' /\\par }`
    responds(gzipSync(file), ['Content-Type: text/rtf', 'Content-Encoding: gzip'])
    assert.equal(await (await callProxy('/list')).text(), file)
  })

  test('are not hidden by a charset', async () => {
    const body = '{"next":"https://evil.test/"}'
    const refused = async () => assert.equal((await callProxy('/list')).status, 502)
    for (const charset of ['utf-16', 'UTF-7', '"cp037"', 'utf-8; charset=utf-7']) {
      responds(body, [`Content-Type: application/json; charset=${charset}`])
      await refused()
    }
    for (const type of ['application/json', 'application/octet-stream']) {
      responds(Buffer.from(`\ufeff${body}`, 'utf16le'), [`Content-Type: ${type}`])
      await refused()
      responds(Buffer.from(body, 'utf16le').swap16(), [`Content-Type: ${type}`])
      await refused()
    }
    responds(body, ['Content-Type: application/json; charset=UTF-8'])
    assert.equal(await (await callProxy('/list')).text(), '{"next":null}')
  })

  test('that only tolerant readers find make the response a 502', async () => {
    for (const body of [`{/*"*/"next":"https://evil.test/"}`, `{'next':'https://evil.test/'}`]) {
      responds(body)
      assert.equal((await callProxy('/list')).status, 502)
      responds(gzipSync(body), ['Content-Encoding: gzip'])
      await assert.rejects(async () => (await callProxy('/list')).text())
    }
  })
})

suite('a response with rewritten links', () => {
  const body = () => `{"next":"${api.url}/v1/x"}`
  const rewritten = `{"next":"${PROXY}/x"}`

  test('is asked for uncompressed, and decompressed if it comes otherwise', async () => {
    const compressions: Record<string, (bytes: Buffer) => Buffer> = {
      gzip: gzipSync,
      'x-gzip': gzipSync,
      deflate: deflateSync,
      Deflate: deflateRawSync,
      br: brotliCompressSync,
      zstd: zstdCompressSync,
      identity: (bytes) => bytes,
    }
    for (const [coding, compress] of Object.entries(compressions)) {
      responds(compress(Buffer.from(body())), [`Content-Encoding: ${coding}`])
      const response = await callProxy('/list', { headers: { 'accept-encoding': 'gzip, br' } })
      assert.deepEqual([await response.text(), response.headers.get('content-encoding')], [rewritten, null], coding)
    }
    for (const request of api.requests) assert.match(request, /^accept-encoding: identity\r$/im)
  })

  test('is a 502 if it cannot be read: an unknown encoding, or a part that nobody asked for', async () => {
    for (const [headers, status] of [
      [['Content-Encoding: compress'], '200 OK'],
      [['Content-Encoding: gzip, gzip'], '200 OK'],
      [['Content-Range: bytes 0-9/10'], '206 Partial Content'],
    ] as const) {
      responds(body(), headers, status)
      const response = await callProxy('/list')
      assert.deepEqual(
        [response.status, ((await response.json()) as { reason: string }).reason],
        [502, 'service_unreachable'],
      )
    }
    responds('['.repeat(12_000))
    assert.equal((await callProxy('/list')).status, 502)
  })

  test('cannot be a part, but a file can', async () => {
    const headers = { range: 'bytes=0-9', 'if-range': '"a"' }
    responds(body().slice(0, 10), ['Content-Range: bytes 0-9/99'], '206 Partial Content')
    const refused = await callProxy('/list', { headers })
    const { reason, error } = (await refused.json()) as { reason: string; error: string }
    assert.deepEqual([refused.status, reason], [400, 'bad_request'])
    assert.match(error, /X-Tributary-Links: keep/)
    assert.match(api.requests[0]!, /^range: bytes=0-9\r$/im)
    assert.match(api.requests[0]!, /^if-range: "a"\r$/im)
    responds('0123456789', ['Content-Type: video/mp4', 'Content-Range: bytes 0-9/99'], '206 Partial Content')
    const part = await callProxy('/file', { headers })
    assert.deepEqual(
      [part.status, part.headers.get('content-range'), await part.text()],
      [206, 'bytes 0-9/99', '0123456789'],
    )
  })

  test('breaks off where the encoding is broken', async () => {
    responds(gzipSync(body()).subarray(0, 20), ['Content-Encoding: gzip'])
    await assert.rejects(async () => (await callProxy('/list')).text())
  })

  test('says nothing about the bytes of the original', async () => {
    const digests = ['Content-MD5: a', 'Digest: sha-256=a', 'Content-Digest: sha-256=:a:', 'Repr-Digest: sha-256=:a:']
    responds(body(), [...digests, 'Accept-Ranges: bytes', 'ETag: "v1"', 'Last-Modified: Thu, 19 Nov 2026 00:00:00 GMT'])
    const { headers } = await callProxy('/list')
    for (const name of ['content-md5', 'digest', 'content-digest', 'repr-digest', 'accept-ranges'])
      assert.equal(headers.get(name), null, name)
    // Conditions of later requests refer to it.
    assert.equal(headers.get('etag'), '"v1"')
    assert.equal(headers.get('last-modified'), 'Thu, 19 Nov 2026 00:00:00 GMT')
  })

  test('has the same ETag in a conditional request, whose 304 has no body', async () => {
    api.response = 'HTTP/1.1 304 Not Modified\r\nETag: "v1"\r\nContent-Type: application/json\r\nContent-MD5: a\r\n\r\n'
    const response = await callProxy('/list', { headers: { 'if-none-match': '"v1"' } })
    assert.deepEqual([response.status, await response.text()], [304, ''])
    assert.deepEqual([response.headers.get('etag'), response.headers.get('content-md5')], ['"v1"', null])
    assert.match(api.requests[0]!, /^if-none-match: "v1"\r$/im)
  })

  test('has no length in a HEAD, because that of the original is another', async () => {
    api.response = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n'
    const response = await callProxy('/list', { method: 'HEAD' })
    assert.deepEqual([response.status, response.headers.get('content-length')], [200, null])
  })

  test('may be empty, or an error', async () => {
    responds('')
    assert.equal(await (await callProxy('/list')).text(), '')
    responds('', [], '204 No Content')
    assert.equal((await callProxy('/list')).status, 204)
    responds(body(), [], '422 Unprocessable Content')
    const refused = await callProxy('/list')
    assert.deepEqual([refused.status, await refused.text()], [422, rewritten])
  })

  test('is passed on as it arrives', async () => {
    let finish = () => {}
    const size = 300_000
    api.response = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n')
      const part = (text: string) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`)
      part(`{"a":"${'a'.repeat(size)}","next":"${api.url}/v1/x","b":[1,2`)
      finish = () => {
        part(`,3]}`)
        socket.write('0\r\n\r\n')
      }
    }
    const reader = (await callProxy('/list')).body!.getReader()
    const whole = `{"a":"${'a'.repeat(size)}","next":"${PROXY}/x","b":[1,2`
    let received = ''
    while (received.length < whole.length) received += Buffer.from((await reader.read()).value ?? []).toString()
    assert.ok(received === whole)
    finish()
    for (let part = await reader.read(); !part.done; part = await reader.read())
      received += Buffer.from(part.value).toString()
    assert.ok(received === `${whole},3]}`)
  })

  test('may have ten thousand links', async () => {
    const items = (base: string) => Array.from({ length: 10_000 }, (_, i) => `{"href":"${base}/${i}"}`).join(',')
    responds(`{"data":[${items(`${api.url}/v1`)}]}`)
    assert.ok((await (await callProxy('/list')).text()) === `{"data":[${items(PROXY)}]}`)
  })

  test('that breaks off does not look complete', async () => {
    api.response = (socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90000\r\n\r\n{"next":"${api.url}`,
      )
      socket.end()
    }
    await assert.rejects(async () => (await callProxy('/list')).text())
  })

  test('has them in joined pages too', async () => {
    api.response = (socket, request) => {
      const isFirst = !request.includes('page=2')
      const body = `[{"link":"${api.url}/v1/${isFirst ? 'a' : 'b'}","next":"${api.url}"}]`
      const link = isFirst ? `Link: <${api.url}/v1/list?page=2>; rel="next"\r\n` : ''
      socket.write(`HTTP/1.1 200 OK\r\n${link}Content-Length: ${body.length}\r\n\r\n${body}`)
    }
    const record = (name: string) => `{"link":"${PROXY}/${name}","next":"${api.url}"}`
    assert.equal(await (await callProxy('/list?paginate=true')).text(), `[${record('a')},${record('b')}]`)
  })
})
