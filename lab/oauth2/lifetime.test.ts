import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { LabService } from '../base/service.ts'
import { type Lab, startLab } from '../lab.ts'
import { apiCall, callback, readTokens, tokenCall, tokensFor } from '../testing/oauth2-client.ts'

let lab: Lab<'demo-social'>
let service: LabService
let flow: { service: LabService; key: string; secret: string }
let defaults: Record<string, unknown>

before(async () => {
  lab = await startLab({ services: ['demo-social'] })
  service = lab.services['demo-social']
  defaults = { ...service.settings() }
  flow = { service, ...service.register({ redirectUris: [callback] }) }
})
after(() => lab.close())
beforeEach(() => service.configure(defaults))

const refresh = (refresh_token: string | undefined, more: Record<string, string> = {}) =>
  tokenCall(flow, { grant_type: 'refresh_token', refresh_token, ...more })
const works = async (token: string) => (await apiCall(service, '/api/me', token)).status === 200

test('an access token expires after its lifetime, or immediately through the lab', async () => {
  const first = await tokensFor(flow)
  lab.clock.advance(3_601_000)
  assert.equal(await works(first.access_token), false)
  const second = await tokensFor(flow)
  assert.ok(await works(second.access_token))
  service.tokens.expire('ada')
  const refused = await apiCall(service, '/api/me', second.access_token)
  assert.match(refused.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
  assert.equal((await refresh(second.refresh_token)).status, 200)
})

test('expiry setting: number, text, absolute, none; 0 means never', async () => {
  service.configure({ expiry: 'expires_in_text' })
  assert.equal(String((await tokensFor(flow)).expires_in), '3600')
  service.configure({ expiry: 'expires_at' })
  const now = Math.floor(lab.clock.now() / 1000)
  assert.ok(Math.abs(((await tokensFor(flow)).expires_at ?? 0) - now - 3600) <= 5)
  service.configure({ expiry: 'none' })
  const silent = await tokensFor(flow)
  assert.equal('expires_in' in silent, false)
  lab.clock.advance(3_601_000)
  assert.equal(await works(silent.access_token), false)
  service.configure({ accessTtlSeconds: 0, expiry: 'expires_in' })
  const forever = await tokensFor(flow)
  assert.equal('expires_in' in forever, false)
  lab.clock.advance(1e12)
  assert.ok(await works(forever.access_token))
  lab.clock.set(Date.now())
})

test('rotation returns a new refresh token; reuse of an old one revokes the grant', async () => {
  const first = await tokensFor(flow)
  const second = await readTokens(await refresh(first.refresh_token))
  assert.notEqual(second.refresh_token, first.refresh_token)
  assert.ok(await works(second.access_token))
  assert.equal((await readTokens(await refresh(first.refresh_token))).error, 'invalid_grant')
  assert.equal(await works(second.access_token), false)
  assert.equal((await readTokens(await refresh(second.refresh_token))).error, 'invalid_grant')
})

test('keep omits the refresh token and the old one stays valid; repeat sends it again; none disables refresh', async () => {
  service.configure({ refresh: 'keep' })
  const tokens = await tokensFor(flow)
  assert.equal('refresh_token' in (await readTokens(await refresh(tokens.refresh_token))), false)
  assert.equal((await refresh(tokens.refresh_token)).status, 200)
  service.configure({ refresh: 'repeat' })
  assert.equal((await readTokens(await refresh(tokens.refresh_token))).refresh_token, tokens.refresh_token)
  service.configure({ refresh: 'none' })
  assert.equal('refresh_token' in (await tokensFor(flow)), false)
  assert.equal((await readTokens(await refresh(tokens.refresh_token))).error, 'unsupported_grant_type')
})

test('a refresh may narrow but not widen the scope; rejects unknown, foreign, old and missing tokens', async () => {
  service.configure({ refresh: 'keep', refreshTtlSeconds: 100 })
  const { refresh_token, access_token } = await tokensFor(flow, { scope: 'profile email' })
  assert.equal((await readTokens(await refresh(refresh_token, { scope: 'email' }))).scope, 'email')
  assert.equal((await readTokens(await refresh(refresh_token, { scope: 'email posts.read' }))).error, 'invalid_scope')
  assert.equal((await readTokens(await refresh('made-up'))).error, 'invalid_grant')
  assert.equal((await readTokens(await refresh(access_token))).error, 'invalid_grant')
  assert.equal((await readTokens(await refresh(undefined))).error, 'invalid_request')
  const other = { service, ...service.register({ redirectUris: [callback] }) }
  const foreign = await tokenCall(other, { grant_type: 'refresh_token', refresh_token })
  assert.equal((await readTokens(foreign)).error, 'invalid_grant')
  lab.clock.advance(101_000)
  assert.equal((await readTokens(await refresh(refresh_token))).error, 'invalid_grant')
})

test('revoking a person’s tokens does not affect other people', async () => {
  const ada = await tokensFor(flow)
  const ben = await tokensFor(flow, {}, 'ben')
  service.tokens.revoke('ada')
  assert.equal(await works(ada.access_token), false)
  assert.equal((await readTokens(await refresh(ada.refresh_token))).error, 'invalid_grant')
  assert.ok(await works(ben.access_token))
})

test('the four formats of a token response', async () => {
  const shape = async (tokenResponse: string) => {
    service.configure({ tokenResponse: 'json', refresh: 'keep' })
    const { refresh_token } = await tokensFor(flow)
    service.configure({ tokenResponse })
    const response = await refresh(refresh_token)
    return { type: response.headers.get('content-type') ?? '', body: await response.text() }
  }
  assert.match((await shape('json')).type, /^application\/json/)
  const form = await shape('form')
  assert.equal(form.type, 'application/x-www-form-urlencoded')
  assert.ok(new URLSearchParams(form.body).get('access_token'))
  const nested = JSON.parse((await shape('nested')).body) as { data: { access_token: string } }
  assert.ok(await works(nested.data.access_token))
  const wrong = await shape('wrong-type')
  assert.match(wrong.type, /^text\/html/)
  assert.ok(JSON.parse(wrong.body))
})
