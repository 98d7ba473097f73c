import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Lab, startLab } from '../lab.ts'
import { apiCall, callback, tokensFor } from '../testing/oauth2-client.ts'
import type { LabService } from './service.ts'

let lab: Lab<'demo-social'>
let service: LabService

before(async () => {
  lab = await startLab({ services: ['demo-social'] })
  service = lab.services['demo-social']
})
after(() => lab.close())

const control = async (method: string, path: string, body?: unknown) => {
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await fetch(`${service.url}/_lab${path}`, { method, ...init })
  const text = await response.text()
  return { status: response.status, value: (text === '' ? undefined : JSON.parse(text)) as Record<string, unknown> }
}
const reach = async () => (await fetch(service.endpoints['metadata_url'] ?? '')).status

test('sets, lists and clears faults over HTTP; rejects invalid ones', async () => {
  assert.equal(
    (await control('POST', '/faults', { path: '/.well-known/*', kind: 'status', status: 500, times: 0 })).status,
    204,
  )
  assert.equal(await reach(), 500)
  assert.equal((await control('GET', '/faults')).value['length'], 1)
  await control('DELETE', '/faults')
  assert.equal(await reach(), 200)
  for (const body of [
    { kind: 'status', status: 500 },
    { path: '*', kind: 'nonsense' },
    { path: '*', kind: 'status' },
  ])
    assert.equal((await control('POST', '/faults', body)).status, 400)
  const fromPage = await fetch(`${service.url}/_lab/faults`, { method: 'POST', body: '{"path":"*","kind":"hang"}' })
  assert.equal(fromPage.status, 415)
})

test('controls clients, settings, tokens and clock over HTTP', async () => {
  const { value: client } = await control('POST', '/clients', { redirectUris: [callback] })
  const flow = { service, key: String(client['key']), secret: String(client['secret']) }
  assert.equal((await control('PATCH', '/settings', { accessTtlSeconds: 10 })).value['accessTtlSeconds'], 10)
  assert.equal((await control('PATCH', '/settings', { nonsense: 1 })).status, 400)
  assert.equal((await control('POST', '/clients', {})).status, 400)
  const tokens = await tokensFor(flow)
  assert.equal(tokens.expires_in, 10)
  assert.equal((await control('POST', '/tokens', { action: 'expire', person: 'ada' })).value['touched'], 1)
  assert.equal((await apiCall(service, '/api/me', tokens.access_token)).status, 401)
  assert.equal((await control('POST', '/tokens', { action: 'other' })).status, 400)
  const next = await tokensFor(flow)
  await control('POST', '/clock', { advanceMs: 11_000 })
  assert.equal((await apiCall(service, '/api/me', next.access_token)).status, 401)
  await control('POST', '/clock', { skewMs: -3_600_000 })
  const skewed = Date.parse((await fetch(service.url)).headers.get('date') ?? '') - lab.clock.now()
  assert.ok(skewed < -3_500_000)
  await control('POST', '/clock', { skewMs: 0 })
})

test('the log stores and counts raw requests, without control requests', async () => {
  service.requests.clear()
  await fetch(`${service.url}/oauth/token?x=%20y`, {
    method: 'POST',
    body: 'a=1',
    headers: { 'X-Odd-Case': 'v', 'content-type': 'text/plain' },
  })
  await control('GET', '')
  const [entry] = service.requests.to('/oauth/*', 'POST')
  assert.deepEqual([entry?.target, entry?.body, entry?.status], ['/oauth/token?x=%20y', 'a=1', 400])
  assert.ok(entry?.rawHeaders.some(([name]) => name.toLowerCase() === 'x-odd-case'))
  assert.equal(service.requests.count('*'), 1)
  assert.deepEqual((await control('GET', '')).value['counters'], { 'POST /oauth/token': 1 })
  assert.equal((await control('GET', '/requests')).value['length'], 1)
  await control('DELETE', '/requests')
  assert.equal(service.requests.all.length, 0)
})

test('adds, edits and removes data', async () => {
  const { value: added } = await control('POST', '/data', {
    action: 'add',
    person: 'ada',
    kind: 'posts',
    fields: { text: 'fresh' },
  })
  const id = String(added['id'])
  const { value: edited } = await control('POST', '/data', {
    action: 'edit',
    person: 'ada',
    kind: 'posts',
    id,
    fields: { text: 'new' },
  })
  assert.equal(edited['text'], 'new')
  assert.equal((await control('POST', '/data', { action: 'remove', person: 'ada', kind: 'posts', id })).status, 204)
  assert.equal((await control('POST', '/data', { action: 'remove', person: 'ada', kind: 'posts', id })).status, 400)
  assert.equal((await control('POST', '/data', { action: 'add', person: 'ada', kind: 'nothing' })).status, 400)
})

test('the rate limit is reported in headers, enforced, and reset by the clock', async () => {
  service.configure({ rateLimit: { limit: 2, windowSeconds: 60 }, accessTtlSeconds: 3600 })
  const { access_token } = await tokensFor({ service, ...service.register({ redirectUris: [callback] }) })
  const call = () => apiCall(service, '/api/me', access_token)
  lab.clock.set(Math.ceil(lab.clock.now() / 60_000) * 60_000 + 1000)
  assert.equal((await call()).headers.get('x-ratelimit-remaining'), '1')
  await call()
  const over = await call()
  assert.equal(over.status, 429)
  const wait = Number(over.headers.get('retry-after'))
  assert.ok(wait > 0 && wait <= 60)
  lab.clock.advance(wait * 1000)
  assert.equal((await call()).status, 200)
})
