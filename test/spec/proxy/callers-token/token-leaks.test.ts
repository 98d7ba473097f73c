import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { after, before, beforeEach, suite, test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { until } from '../../../harness/until.ts'
import { type ProxyHarness, startProxyHarness } from '../fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from '../raw-upstream.ts'

// The token opens the whole account, so no byte of it may reach a service, whatever an app or SDK does with it.

let api: RawUpstream
let harness: ProxyHarness
let token: string
before(async () => {
  api = await startRawUpstream()
  harness = await startProxyHarness()
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

function callProxy(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) }
  return fetch(`${harness.url}/proxy/plain${path}`, { redirect: 'manual', ...init, headers })
}

async function assertRefused(response: Response, what: string): Promise<void> {
  const text = await response.text()
  assert.deepEqual([response.status, (JSON.parse(text) as { reason: string }).reason], [400, 'bad_request'], what)
  assert.ok(!text.includes(token), what)
}

const percent = (text: string) => Array.from(text, (each) => `%${each.charCodeAt(0).toString(16)}`).join('')
const twice = (text: string) => percent(text).replaceAll('%', '%25')
const base64 = (text: string) => Buffer.from(text).toString('base64')

suite('the token of the account is refused', () => {
  test('in the path and in the query, in any encoding', async () => {
    const forms: Record<string, string> = {
      plain: token,
      'one character': `%74${token.slice(1)}`,
      percent: percent(token),
      twice: twice(token),
      'three times': twice(token).replaceAll('%', '%25'),
      'with something before and after': `a${token}b`,
      'with a scheme': `Bearer%20${token}`,
      base64: encodeURIComponent(base64(token)),
      'Base64 of a pair': encodeURIComponent(base64(`me:${token}`)),
    }
    for (const [name, form] of Object.entries(forms)) {
      await assertRefused(await callProxy(`/me?key=${form}`), `${name} in a value`)
      await assertRefused(await callProxy(`/me?${form}=1`), `${name} in a name`)
      await assertRefused(await callProxy(`/a/${form}/me`), `${name} in the path`)
    }
    assert.deepEqual(api.requests, [])
  })

  test('in a header, in any encoding', async () => {
    for (const value of [
      token,
      `Bearer ${token}`,
      `token="${token}"`,
      percent(token),
      base64(token),
      `Basic ${base64(`x:${token}`)}`,
      `Basic ${base64(`xy:${token}:z`)}`,
      Buffer.from(`ab${token}`).toString('base64url'),
      base64(`{"authorization":"Bearer ${token}"}`),
    ])
      for (const name of ['x-api-key', 'user-agent', 'accept', 'dropbox-api-arg', 'if-match'])
        await assertRefused(await callProxy('/me', { headers: { [name]: value } }), `${name}: ${value}`)
    await assertRefused(await callProxy('/me', { headers: { [`x-${token}`]: '1' } }), 'a name')
    assert.deepEqual(api.requests, [])
  })

  test('in a body', async () => {
    for (const [type, body] of [
      ['application/json', JSON.stringify({ token })],
      ['text/plain', token],
      ['application/octet-stream', Buffer.concat([randomBytes(100_000), Buffer.from(token), randomBytes(9)])],
      [
        'multipart/form-data; boundary=x',
        `--x\r\nContent-Disposition: form-data; name="token"\r\n\r\n${token}\r\n--x--`,
      ],
      ['application/x-www-form-urlencoded', `a=1&token=${percent(token)}`],
      ['application/x-www-form-urlencoded', `a=1&token=${twice(token)}`],
      ['application/json', JSON.stringify({ requests: [{ authorization: `Basic ${base64(`x:${token}`)}` }] })],
      ['application/json', JSON.stringify({ url: `/me?access_token=${percent(token)}` })],
      ['text/plain; charset=utf-16', Buffer.from(token, 'utf16le')],
      ['text/plain; charset=utf-16be', Buffer.from(`ab${token}`, 'utf16le').swap16()],
    ] as const)
      await assertRefused(await callProxy('/me', { method: 'POST', headers: { 'content-type': type }, body }), type)
    const text = JSON.stringify({ a: randomBytes(3000).toString('hex'), token })
    for (const [coding, body] of [
      ['gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['br', brotliCompressSync(text)],
    ] as const)
      await assertRefused(
        await callProxy('/me', { method: 'POST', headers: { 'content-encoding': coding }, body }),
        coding,
      )
    assert.deepEqual(api.requests, [])
  })

  test('and written to no log', async () => {
    const hidden = [token, base64(token), percent(token), twice(token)]
    for (const form of hidden) await callProxy(`/secret/${encodeURIComponent(form)}?a=${form}`)
    const rows = await until('the refused calls are in the log', async () => {
      const { body } = await harness.admin(`/admin/apps/${harness.appId}/calls`)
      const calls = body as { path: string; status: number }[]
      const mine = calls.filter(({ path }) => path.includes('secret') || path.includes('redacted'))
      return mine.length >= hidden.length ? mine : undefined
    })
    const shown = JSON.stringify(rows) + harness.logged.join('\n')
    for (const form of hidden) assert.ok(!shown.includes(form), form)
    assert.ok(rows.every(({ status }) => status === 400))
  })
})

suite('in a body that is streamed, the token', () => {
  const LONG = 400_000

  /** Sends these pieces one after the other, each when the one before is known to have arrived. */
  async function stream(pieces: readonly (string | Buffer)[]): Promise<{ status: number; text: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
    const outgoing = httpRequest(`${harness.url}/proxy/plain/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
    })
    outgoing.on('error', reject).on('response', (response) => {
      readText(response).then((text) => resolve({ status: response.statusCode!, text }), reject)
    })
    for (const piece of pieces) await new Promise<void>((sent) => outgoing.write(piece, () => sent()))
    outgoing.end()
    return promise
  }

  /** Every byte that reaches a service which never answers a whole request. */
  let received = ''
  before(() => {
    api.onBytes = (bytes) => {
      received += bytes
    }
  })
  beforeEach(() => {
    received = ''
  })

  test('ends the call before its first byte is sent, wherever the chunks end', async () => {
    const filler = 'a'.repeat(LONG)
    for (const pieces of [
      [filler + token],
      [filler, token, filler],
      [filler, ...Array.from(token)],
      [`${filler}trt_trt`, token, filler],
      [filler + token.slice(0, 1), token.slice(1, 40), token.slice(40) + filler],
      [filler + token.slice(0, 30) + token.slice(0, 20), token.slice(20)],
    ]) {
      const { status, text } = await stream(pieces)
      assert.deepEqual([status, (JSON.parse(text) as { reason: string }).reason], [400, 'bad_request'])
      assert.ok(!received.includes(token))
      // What went before may be like its beginning, but less than half of it.
      assert.ok(!received.includes(token.slice(0, 31)))
    }
    assert.equal(api.requests.length, 0)
  })

  test('is not missed in what is only like it, which is sent whole', async () => {
    const almost = `${token.slice(0, -1)}\n`
    const pieces = ['b'.repeat(LONG), almost, token.slice(0, 20), 'trt_', `x${token.slice(1)}`, token.slice(0, 60)]
    assert.equal((await stream(pieces)).status, 200)
    const body = api.requests[0]!.slice(api.requests[0]!.indexOf('\r\n\r\n') + 4)
    assert.equal(dechunked(body), pieces.join(''))
  })
})

/** The content of a chunked body. */
function dechunked(body: string): string {
  let content = ''
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.slice(at, lineEnd), 16)
    if (size === 0) return content
    content += body.slice(lineEnd + 2, lineEnd + 2 + size)
    at = lineEnd + 2 + size + 2
  }
}

test('another token of ours is refused too, such as that of the account in a call with one for a service', async () => {
  const { token: other } = await harness.connect({ apiUrl: `${api.url}/v1`, nativeId: '43' })
  const made = await fetch(`${harness.url}/proxy-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ service: 'plain' }),
  })
  const { token: ofService } = (await made.json()) as { token: string }
  for (const [caller, hidden] of [
    [ofService, token],
    [token, ofService],
    [token, other],
  ] as const) {
    const headers = { authorization: `Bearer ${caller}` }
    await assertRefused(await callProxy(`/me?key=${percent(hidden)}`, { headers }), 'in the query')
    await assertRefused(await callProxy('/me', { headers: { ...headers, 'x-api-key': hidden } }), 'in a header')
    await assertRefused(await callProxy('/me', { method: 'POST', headers, body: `{"a":"${hidden}"}` }), 'in a body')
  }
  assert.deepEqual(api.requests, [])
})

test('a compressed body that cannot be read is forwarded as it is', async () => {
  for (const body of [gzipSync('a'.repeat(1000)), Buffer.from('no gzip'), gzipSync(Buffer.alloc(5 * 1024 * 1024))]) {
    const headers = { 'content-encoding': 'gzip' }
    assert.equal((await callProxy('/me', { method: 'POST', headers, body })).status, 200)
    const request = api.requests.at(-1)!
    assert.equal(request.slice(request.indexOf('\r\n\r\n') + 4), body.toString('latin1'))
  }
})

test('what is not forwarded may contain it', async () => {
  api.response = (socket, request) => {
    const body = Buffer.from(request, 'latin1')
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`)
    socket.write(body)
  }
  const response = await callProxy('/echo', {
    headers: { cookie: `token=${token}`, referer: `https://app.test/?t=${token}` },
  })
  assert.ok(!(await response.text()).includes('trt_'))
})
