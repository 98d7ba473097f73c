import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { apiKey } from '#kit/auth/auth.ts'
import { defineConnector, type TokenPlaces } from '#kit/connector/connector.ts'
import { definitionFaults } from '#kit/connector/connector-faults.ts'
import { keyed, plain } from '../connectors.ts'
import { type ProxyHarness, startProxyHarness, TOKEN } from '../fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from '../raw-upstream.ts'

// Vendors' SDKs put a token where the service's own API takes one, and cannot be told otherwise.

const tokenPlaces = { headers: ['X-Shop-Token', 'private-token'], query: ['token'], form: ['token'] }
const placed = defineConnector({ ...plain, service: 'placed', aliases: ['put'], api: { ...plain.api, tokenPlaces } })
/** Where calls carry the credential, SDKs put it. */
const headed = defineConnector({
  ...keyed,
  service: 'headed',
  auth: apiKey({ in: 'header', name: 'X-Key', scheme: '' }),
})

let api: RawUpstream
let harness: ProxyHarness
let token: string
let other: string
before(async () => {
  api = await startRawUpstream()
  harness = await startProxyHarness({ connectors: [placed, headed] })
  const connected = await harness.connect({ service: 'placed', apiUrl: `${api.url}/v1` })
  token = connected.token
  for (const service of ['plain', 'keyed', 'headed'])
    await harness.connect({ service, apiUrl: `${api.url}/v1`, account: connected.account.id })
  other = (await harness.connect({ service: 'placed', apiUrl: `${api.url}/v1`, nativeId: '43' })).token
})
after(async () => {
  await harness.stop()
  await api.close()
})
beforeEach(() => {
  api.requests.length = 0
  api.response = OK
})

/** Without a token in `Authorization`. */
const call = (path: string, init: RequestInit = {}) => fetch(`${harness.url}/proxy${path}`, init)

const FORM = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
const form = (body: string, path = '/placed/me', headers = {}) =>
  call(path, { method: 'POST', headers: { ...FORM, ...headers }, body })

/** The last request, which has the credential of the person and nothing of the token. */
function forwarded(): { line: string; head: string; body: string } {
  const request = api.requests.at(-1)!
  assert.ok(!request.includes('trt_'), request)
  assert.ok(request.includes(TOKEN), request)
  const end = request.indexOf('\r\n\r\n')
  return {
    line: request.slice(0, request.indexOf(' HTTP/')),
    head: request.slice(0, end),
    body: request.slice(end + 4),
  }
}

suite('the token of the account where the API of the service takes its own', () => {
  test('is taken out of a header', async () => {
    for (const [name, value] of [
      ['x-shop-token', token],
      ['X-SHOP-TOKEN', token],
      ['private-token', `Bearer ${token}`],
    ] as const) {
      assert.equal((await call('/placed/me', { headers: { [name]: value } })).status, 200, name)
      assert.doesNotMatch(forwarded().head, /shop-token|private-token/i)
    }
    assert.equal((await call('/put/me', { headers: { 'x-shop-token': token } })).status, 200, 'an alias')
    assert.equal((await call('/42@placed/me', { headers: { 'x-shop-token': token } })).status, 200, 'an id')
  })

  test('is taken out of the query, and the rest stays as it was written', async () => {
    for (const [query, rest] of [
      [`token=${token}`, ''],
      [`a=%7e&token=${token}&b=1+2`, '?a=%7e&b=1+2'],
      [`%74oken=${token.replace('_', '%5F')}&a=1`, '?a=1'],
      [`token=Bearer+${token}&a=1`, '?a=1'],
    ]) {
      assert.equal((await call(`/placed/me?${query}`)).status, 200, query)
      assert.equal(forwarded().line, `GET /v1/me${rest}`)
    }
  })

  test('is taken out of a form, and the rest stays as it was written', async () => {
    for (const [body, rest] of [
      [`token=${token}`, ''],
      [`channel=C1&text=a%20b+c%2f&token=${token}&x`, 'channel=C1&text=a%20b+c%2f&x'],
      [`t%6Fken=${token}&text=%F0%9F%8E%89`, 'text=%F0%9F%8E%89'],
    ]) {
      assert.equal((await form(body!)).status, 200, body)
      const { body: sent, head } = forwarded()
      assert.equal(sent, rest)
      if (rest !== '') assert.match(head, new RegExp(`^content-length: ${rest!.length}$`, 'im'))
    }
  })

  test('is taken out everywhere when it is there more than once', async () => {
    const headers = { authorization: `Bearer ${token}`, 'x-shop-token': token }
    assert.equal((await form(`token=${token}&a=1`, `/placed/me?token=${token}`, headers)).status, 200)
    const { line, head, body } = forwarded()
    assert.deepEqual([line, body], ['POST /v1/me', 'a=1'])
    assert.doesNotMatch(head, /shop-token/i)
  })

  test('is an error when there is another one, and neither is sent', async () => {
    for (const response of [
      await call(`/placed/me?token=${other}`, { headers: { authorization: `Bearer ${token}` } }),
      await call(`/placed/me?token=${other}&access_token=${token}`),
      await call(`/placed/me?token=${other}&token=${token}`),
      await form(`token=${other}`, '/placed/me', { 'x-shop-token': token }),
    ]) {
      const { reason } = (await response.json()) as { reason: string }
      assert.deepEqual([response.status, reason], [400, 'token_conflict'])
    }
    assert.deepEqual(api.requests, [])
  })

  test('is not looked for elsewhere', async () => {
    for (const response of [
      await call(`/plain/me?token=${token}`),
      await call('/plain/me', { headers: { 'x-shop-token': token } }),
      await form(`token=${token}`, '/plain/me'),
      await form(`other=${token}`),
      await call('/placed/me', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `token=${token}`,
      }),
      await form(`${'a'.repeat(70_000)}&token=${token}`),
    ])
      assert.deepEqual(
        [response.status, ((await response.json()) as { reason: string }).reason],
        [401, 'token_missing'],
      )
    const refused = await form(`${'a'.repeat(70_000)}&token=${token}`, '/placed/me', {
      authorization: `Bearer ${token}`,
    })
    assert.equal(refused.status, 400)
    assert.deepEqual(api.requests, [])
  })

  test('is left alone when it is a token of the service', async () => {
    const headers = { authorization: `Bearer ${token}`, 'x-shop-token': 'of-the-shop' }
    assert.equal((await form('token=xoxp-1&a=1', '/placed/me?token=xoxp-2', headers)).status, 200)
    const { line, head, body } = forwarded()
    assert.deepEqual([line, body], ['POST /v1/me?token=xoxp-2', 'token=xoxp-1&a=1'])
    assert.match(head, /^x-shop-token: of-the-shop$/im)
  })

  test('is not sent to another host with a redirect: clients repeat such headers, and forms where the method stays', async () => {
    const locationOf = async (status: number, given: () => Promise<Response>) => {
      api.response = `HTTP/1.1 ${status} Moved\r\nLocation: https://storage.test/file\r\nContent-Length: 0\r\n\r\n`
      const response = await given()
      return [response.status, response.headers.get('location')]
    }
    const redirect = 'manual'
    const elsewhere = 'https://storage.test/file'
    for (const status of [301, 302, 303, 307, 308]) {
      const inHeader = () => call('/placed/me', { headers: { 'x-shop-token': token }, redirect })
      assert.deepEqual(await locationOf(status, inHeader), [status, null])
      const inForm = () => call('/placed/me', { method: 'POST', headers: FORM, body: `token=${token}`, redirect })
      assert.deepEqual(await locationOf(status, inForm), [status, status < 304 ? elsewhere : null])
      const inQuery = () => call(`/placed/me?token=${token}`, { redirect })
      assert.deepEqual(await locationOf(status, inQuery), [status, elsewhere])
      const bearer = { authorization: `Bearer ${token}`, 'x-shop-token': 'of-the-shop' }
      assert.deepEqual(await locationOf(status, () => call('/placed/me', { headers: bearer, redirect })), [
        status,
        elsewhere,
      ])
    }
  })

  test('stands in for a header that says something else', async () => {
    const headers = { authorization: `Basic ${Buffer.from('id:secret').toString('base64')}`, 'x-shop-token': token }
    assert.equal((await call('/placed/me', { headers })).status, 200)
    forwarded()
  })

  test('is found where calls of the service carry the credential', async () => {
    assert.equal((await call(`/keyed/me?key=${token}&a=1`)).status, 200)
    assert.match(forwarded().line, /^GET \/v1\/me\?a=1&v=2&key=service-token-\d+$/)
    assert.equal((await call('/headed/me', { headers: { 'x-key': token } })).status, 200)
    assert.match(forwarded().head, /^x-key: service-token-\d+$/im)
  })

  test('of OAuth 1 and of Rails is read in Authorization', async () => {
    for (const authorization of [
      `OAuth oauth_consumer_key="key", oauth_token="${token}", oauth_signature_method="HMAC-SHA1", oauth_signature="a%3D"`,
      `OAuth oauth_token="${token}",oauth_version="1.0"`,
      `Token token="${token}"`,
    ]) {
      assert.equal((await call('/plain/me', { headers: { authorization } })).status, 200, authorization)
      forwarded()
    }
    for (const authorization of [`OAuth xoauth_token="${token}"`, `Digest oauth_token="${token}"`])
      assert.equal((await call('/plain/me', { headers: { authorization } })).status, 401, authorization)
  })
})

test('places of a token that cannot be any are refused in a definition', () => {
  const faultsOf = (places: unknown) =>
    definitionFaults({ ...placed, api: { ...placed.api, tokenPlaces: places as TokenPlaces } }).map(
      ({ field }) => field,
    )
  assert.deepEqual(faultsOf(tokenPlaces), [])
  for (const [places, field] of [
    [[], 'api.tokenPlaces'],
    [{}, 'api.tokenPlaces'],
    [{ body: ['token'] }, 'api.tokenPlaces'],
    [{ form: 'token' }, 'api.tokenPlaces.form'],
    [{ headers: ['a b'] }, 'api.tokenPlaces.headers'],
    [{ headers: ['Authorization'] }, 'api.tokenPlaces.headers'],
    [{ headers: ['Content-Length'] }, 'api.tokenPlaces.headers'],
    [{ query: ['paginate'] }, 'api.tokenPlaces.query'],
  ] as const)
    assert.deepEqual(faultsOf(places), [field])
})
