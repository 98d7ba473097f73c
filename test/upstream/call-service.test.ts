import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { recordCalls } from '#identity/record-calls.ts'
import { apiKey, basic, oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { type Connector, defineConnector } from '#kit/connector/connector.ts'
import type { InnerStep } from '#model/operation.ts'
import { addressOf, callService } from '#upstream/call/call-service.ts'
import { beginSignIn, verifyCredential } from '#upstream/sign-in.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { CALLBACK, refusal } from './fixture.ts'
import { json, type LoopbackServer, startLoopback } from './loopback-server.ts'

const connector: Connector = defineConnector({
  service: 'plain',
  title: 'Plain',
  docs: 'none',
  auth: oauth2({ authorizeUrl: 'https://plain.test/a', tokenUrl: 'https://plain.test/t' }),
  api: { baseUrl: 'https://plain.test/api/v1', headers: { 'x-version': '7' }, query: { format: 'json' } },
  self: self<{ id: unknown }>('/people/{sub}', ({ id }) => ({ id: String(id) }), { who: '{sub}' }),
})

suite('calls with a person’s credential', () => {
  let open: OpenUpstream
  let service: LoopbackServer
  let stranger: LoopbackServer
  before(async () => {
    open = openUpstream()
    stranger = await startLoopback((_, response) => json(response, {}))
    service = await startLoopback((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
      const to = searchParams.get('to')
      if (to !== null) response.writeHead(302, { location: to }).end()
      else if (pathname.endsWith('/loop')) response.writeHead(302, { location: 'loop' }).end()
      else json(response, { id: 12345678901234567890n.toString(), path: request.url })
    })
  })
  after(async () => {
    await open.close()
    await service.close()
    await stranger.close()
  })
  beforeEach(() => {
    service.requests.length = 0
    stranger.requests.length = 0
  })

  const caller = (own = connector) => ({
    upstream: open.upstream,
    connector: own,
    key: { key: 'k', secret: 's', overrides: { base_url: service.url } },
    credential: { token: 'the-token', tokenSecret: 'the-password' },
  })
  const get = (path: string, query = {}) => callService(caller(), { method: 'GET', path, query })

  test('S13 show in no log the credential that a redirect puts into the path', async () => {
    const steps: InnerStep[] = []
    const { upstream } = recordCalls(open.upstream, steps)
    const to = `${service.url}/api/v1/the%2Dtoken/the-password`
    const { status } = await callService({ ...caller(), upstream }, { method: 'GET', path: '/x', query: { to } })
    assert.equal(status, 200)
    assert.deepEqual(
      service.requests.map(({ url }) => url?.split('?')[0]),
      ['/api/v1/x', '/api/v1/the%2Dtoken/the-password'],
    )
    const addresses = steps.map(({ detail }) => detail['address'])
    assert.deepEqual(addresses, [`${service.url}/api/v1/x`, `${service.url}/api/v1/[redacted]/[redacted]`])
    const logged = open.lines.join('')
    assert.ok(logged.includes('/api/v1/[redacted]/[redacted]') && !/the(-|%2D)token/.test(logged))
  })

  test('have the declared headers and parameters, and the token', async () => {
    await get('/things?x=1', { y: 'a b' })
    const [request] = service.requests
    assert.equal(request?.url, '/api/v1/things?x=1&format=json&y=a%20b')
    assert.equal(request?.headers['x-version'], '7')
    assert.equal(request?.headers.authorization, 'Bearer the-token')
  })

  test('a caller’s own Authorization header never replaces the token', async () => {
    await callService(caller(), { method: 'GET', path: '/x', headers: { Authorization: 'Bearer mine' } })
    assert.equal(service.requests[0]?.headers.authorization, 'Bearer the-token')
  })

  test('an API key in its own header without a scheme; a user name with a password', async () => {
    const bare = { ...connector, auth: apiKey({ in: 'header', scheme: '', name: 'X-Api-Key' }) }
    await callService(caller(bare), { method: 'GET', path: '/x' })
    assert.equal(service.requests[0]?.headers['x-api-key'], 'the-token')
    assert.equal(service.requests[0]?.headers.authorization, undefined)
    await callService(caller({ ...connector, auth: basic() }), { method: 'GET', path: '/x' })
    assert.equal(service.requests[1]?.headers.authorization, `Basic ${btoa('the-token:the-password')}`)
    const input = { connector: bare, key: caller().key, callbackUrl: CALLBACK, state: 's' }
    await refusal(beginSignIn(open.upstream, input), 'stop', 'not_supported')
  })

  test('identity: the subject is encoded into path and query; a 64-bit id keeps its digits', async () => {
    const { key } = caller()
    const credential = { token: 'the-token', subject: 'a@b/../c?d' }
    const known = { ...connector, self: { ...connector.self, alsoKnownAs: () => credential.subject } }
    const { self: person } = await verifyCredential(open.upstream, { connector: known, key, credential })
    assert.equal(person.id, '12345678901234567890')
    assert.equal(service.requests[0]?.url, '/api/v1/people/a%40b%2F..%2Fc%3Fd?format=json&who=a%40b%2F..%2Fc%3Fd')
    await refusal(
      verifyCredential(open.upstream, { connector, key, credential: { token: 't' } }),
      'stop',
      'subject_missing',
    )
    await refusal(verifyCredential(open.upstream, { connector, key, credential }), 'stop', 'subject_mismatch')
  })

  test('stay below the service’s API', () => {
    const base = 'https://api.example/v1'
    assert.equal(addressOf(base, { path: '/a/../b' }), 'https://api.example/v1/b')
    assert.equal(addressOf(base, { path: '//evil.example/x' }), 'https://api.example/v1//evil.example/x')
    assert.equal(addressOf(base, { path: '' }), 'https://api.example/v1')
    assert.equal(addressOf(base, { url: 'https://api.example/v2?next=1' }), 'https://api.example/v2?next=1')
    for (const path of [
      '/../admin',
      '/%2e%2e/admin',
      '/..\\..\\admin',
      '/a/%2E%2E/%2e./x',
      '.evil.example/',
      '@evil.example/',
    ])
      assert.throws(() => addressOf(base, { path }), { reason: 'address_refused' }, path)
    for (const url of [
      'https://evil.example/v1',
      'http://api.example/v1',
      'https://api.example:8443/v1',
      'https://u:p@api.example/v1',
      '/v1',
    ])
      assert.throws(() => addressOf(base, { url }), { reason: 'address_refused' }, url)
  })

  test('S33 follow redirects of GET on the service’s host, and return others without sending the token', async () => {
    assert.equal((await get('/r', { to: '/api/v1/end' })).status, 200)
    assert.equal(service.requests.at(-1)?.headers.authorization, 'Bearer the-token')
    for (const to of [`${stranger.url}/x`, 'https://evil.example/', 'file:///etc/passwd', 'http://[::1]:1/'])
      assert.equal((await get('/r', { to })).status, 302, to)
    assert.equal(stranger.requests.length, 0)
    await refusal(get('/loop'), 'stop', 'redirect_refused')
    service.requests.length = 0
    const posted = await callService(caller(), { method: 'POST', path: '/r', query: { to: '/api/v1/end' }, body: 'x' })
    assert.equal(posted.status, 302)
    assert.equal(service.requests.length, 1)
  })
})
