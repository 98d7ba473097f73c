import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTributary, type Tributary } from '../../harness/start.ts'

let tributary: Tributary
before(async () => {
  tributary = await startTributary()
})
after(() => tributary.stop())

async function post(
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  token = tributary.adminToken,
) {
  const response = await fetch(`${tributary.url}/admin/apps`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as { error: string; reason: string; name?: string },
  }
}

const FINE = JSON.stringify({ name: 'App', redirect_uris: ['https://app.test/'] })

suite('request bodies', () => {
  for (const body of ['{', '{"name":', 'nothing', '{"a":1}x', "{'a':1}", '\u0000', '[', '{"name":"a\nb"}', '']) {
    test(`that are not JSON are refused: ${JSON.stringify(body)}`, async () => {
      const response = await post(body)
      assert.deepEqual([response.status, response.body.reason], [400, 'bad_body'])
    })
  }

  for (const body of [
    '{"__proto__":{"polluted":1},"name":"a","redirect_uris":["https://app.test/"]}',
    '{"constructor":{"prototype":{"polluted":1}},"name":"a","redirect_uris":["https://app.test/"]}',
    '{"name":{"__proto__":{"polluted":1}},"redirect_uris":["https://app.test/"]}',
    String.raw`{"\u005f_proto__":{"polluted":1},"name":"a","redirect_uris":["https://app.test/"]}`,
  ]) {
    test(`S50 with prototype keys change no prototype: ${body.slice(0, 40)}`, async () => {
      const response = await post(body)
      assert.ok([201, 400].includes(response.status))
      assert.equal(({} as { polluted?: number }).polluted, undefined)
      assert.equal((Object.prototype as { polluted?: number }).polluted, undefined)
    })
  }

  test('S50 with prototype keys in forms change no prototype', async () => {
    const response = await post('__proto__=x&constructor=y&hasOwnProperty=z&name=a', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    assert.deepEqual([response.status, response.body.error.startsWith('redirect_uris')], [400, true])
  })

  test('a form that repeats a field is refused', async () => {
    const response = await post('name=a&name=b&redirect_uris=https://app.test/', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    assert.deepEqual([response.status, response.body.error], [400, 'name: was given more than once.'])
  })

  test('with extreme nesting are refused or ignored, never a crash', async () => {
    for (const deep of [
      '['.repeat(200_000) + ']'.repeat(200_000),
      `{"name":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    ])
      assert.equal((await post(deep)).status, 400)
  })

  test('of another content type are refused', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      'garbage',
      'application/json, text/plain',
    ]) {
      const response = await post(FINE, { 'content-type': type })
      assert.deepEqual([type, response.status, response.body.reason], [type, 415, 'media_type_unsupported'])
    }
    assert.equal((await post(FINE, { 'content-type': 'application/json; charset=utf-8' })).status, 201)
  })

  test('up to a megabyte are read, larger ones refused', async () => {
    const padded = (bytes: number) => FINE.replace('{', `{"pad":"${'x'.repeat(bytes - FINE.length - 9)}",`)
    assert.equal((await post(padded(1024 * 1024))).status, 201)
    const large = await post(padded(1024 * 1024 + 1))
    assert.deepEqual([large.status, large.body.reason], [413, 'body_too_large'])
  })

  test('with invalid UTF-8 never cause a 5xx', async () => {
    assert.ok([201, 400].includes((await post(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]))).status))
  })

  test('of unauthenticated callers get 401 before the body matters', async () => {
    for (const body of [FINE, '{', ''])
      assert.deepEqual((await post(body, {}, 'tra_wrong')).body.reason, 'admin_token_invalid', body)
  })
})

suite('the admin token', () => {
  const request = (headers: Record<string, string>) => fetch(`${tributary.url}/admin/apps`, { headers })

  test('is accepted in Authorization: Bearer and nowhere else', async () => {
    assert.equal((await request({ authorization: `Bearer ${tributary.adminToken}` })).status, 200)
    assert.equal((await request({ authorization: `bearer ${tributary.adminToken}` })).status, 200)
    for (const headers of [
      {},
      { authorization: tributary.adminToken },
      { authorization: `Basic ${Buffer.from(`admin:${tributary.adminToken}`).toString('base64')}` },
      { authorization: 'Bearer ' },
      { authorization: `Bearer ${tributary.adminToken.slice(0, -1)}` },
      { authorization: `Bearer ${tributary.adminToken}x` },
      { authorization: `Bearer ${tributary.adminToken.toUpperCase()}` },
      { cookie: `admin_token=${tributary.adminToken}` },
      { 'x-admin-token': tributary.adminToken },
    ]) {
      const response = await request(headers)
      assert.equal(response.status, 401, JSON.stringify(headers))
      const refused = ', error="invalid_token", error_description="The admin token is missing or wrong."'
      const challenge = `Bearer realm="tributary"${'authorization' in headers ? refused : ''}`
      assert.equal(response.headers.get('www-authenticate'), challenge)
      assert.equal(((await response.json()) as { reason: string }).reason, 'admin_token_invalid')
    }
    assert.equal((await fetch(`${tributary.url}/admin/apps?access_token=${tributary.adminToken}`)).status, 401)
  })
})
