import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { LabService } from '../base/service.ts'
import { type Lab, startLab } from '../lab.ts'
import {
  apiCall,
  appBrowser,
  authorizeUrl,
  basic,
  callback,
  challengeOf,
  codeFor,
  newVerifier,
  readTokens,
  tokenCall,
  tokensFor,
} from '../testing/oauth2-client.ts'

let lab: Lab<'demo-social'>
let service: LabService
let flow: { service: LabService; key: string; secret: string }
let defaults: Record<string, unknown>

before(async () => {
  lab = await startLab({ services: ['demo-social'] })
  service = lab.services['demo-social']
  defaults = { ...service.settings() }
  flow = {
    service,
    ...service.register({ redirectUris: [callback, `${callback}/2`], key: 'a key', secret: 's+%:/é cret' }),
  }
})
after(() => lab.close())
beforeEach(() => service.configure(defaults))

const code = async (fields: Record<string, string> = {}) => {
  const verifier = newVerifier()
  const value = await codeFor(flow, { code_challenge: challengeOf(verifier), code_challenge_method: 'S256', ...fields })
  return { grant_type: 'authorization_code', code: value, redirect_uri: callback, code_verifier: verifier }
}

async function refused(error: string, fields: Record<string, string | undefined>, status = 400): Promise<void> {
  const response = await tokenCall(flow, fields)
  assert.equal(response.status, status)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.equal((await readTokens(response)).error, error)
}

test('exchanges a code for a valid token with the RFC 6749 response', async () => {
  const response = await tokenCall(flow, await code({ scope: 'profile email' }))
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  const tokens = await readTokens(response)
  assert.deepEqual([tokens.expires_in, tokens.scope], [3600, 'profile email'])
  assert.ok(tokens.refresh_token)
  const me = await apiCall(service, '/api/me', tokens.access_token)
  assert.equal(((await me.json()) as { email: string }).email, 'ada@people.test')
})

test('rejects a reused code and revokes its tokens', async () => {
  const fields = await code()
  const tokens = await readTokens(await tokenCall(flow, fields))
  await refused('invalid_grant', fields)
  assert.equal((await apiCall(service, '/api/me', tokens.access_token)).status, 401)
})

test('a code expires after 60 seconds', async () => {
  const late = await code()
  lab.clock.advance(61_000)
  await refused('invalid_grant', late)
  const inTime = await code()
  lab.clock.advance(59_000)
  assert.equal((await tokenCall(flow, inTime)).status, 200)
})

test('redirect URI, verifier and client are bound to the code', async () => {
  await refused('invalid_grant', { ...(await code()), redirect_uri: `${callback}/2` })
  await refused('invalid_grant', { ...(await code()), redirect_uri: undefined })
  await refused('invalid_grant', { ...(await code()), code_verifier: newVerifier() })
  await refused('invalid_grant', { ...(await code()), code_verifier: undefined })
  const other = { service, ...service.register({ redirectUris: [callback] }) }
  const response = await tokenCall(other, await code())
  assert.equal((await readTokens(response)).error, 'invalid_grant')
})

test('rejects a verifier without a challenge (PKCE downgrade)', async () => {
  service.configure({ pkce: 'allowed' })
  const value = await codeFor(flow)
  await refused('invalid_grant', {
    grant_type: 'authorization_code',
    code: value,
    redirect_uri: callback,
    code_verifier: newVerifier(),
  })
})

test('rejects missing and unknown grants, a missing code, repeated parameters and a wrong body type', async () => {
  await refused('invalid_request', {})
  await refused('unsupported_grant_type', { grant_type: 'password' })
  await refused('invalid_request', { grant_type: 'authorization_code' })
  await refused('invalid_grant', { grant_type: 'authorization_code', code: 'made-up' })
  const twice = await tokenCall(flow, {}, { body: new URLSearchParams('grant_type=a&grant_type=b') })
  assert.equal((await readTokens(twice)).error, 'invalid_request')
  const headers = { 'content-type': 'application/json' }
  const jsonBody = await tokenCall(flow, {}, { body: JSON.stringify({ client_id: flow.key }), headers })
  assert.equal((await readTokens(jsonBody)).error, 'invalid_request')
  assert.equal((await fetch(service.endpoints['token_url'] ?? '')).status, 405)
})

test('rejects client credentials that are wrong, missing or sent in two ways', async () => {
  await refused('invalid_client', { ...(await code()), client_secret: 'wrong' }, 401)
  await refused('invalid_client', { ...(await code()), client_secret: undefined }, 401)
  await refused('invalid_client', { ...(await code()), client_id: undefined, client_secret: undefined }, 401)
  const both = await tokenCall(flow, await code(), { headers: { authorization: basic(flow.key, flow.secret) } })
  assert.equal((await readTokens(both)).error, 'invalid_request')
})

test('HTTP Basic is form-decoded per RFC 6749 or raw; wrong credentials get a challenge', async () => {
  service.configure({ clientAuth: ['client_secret_basic'] })
  const none = { client_id: undefined, client_secret: undefined }
  const withHeader = async (authorization: string) =>
    tokenCall(flow, { ...(await code()), ...none }, { headers: { authorization } })
  assert.equal((await withHeader(basic(flow.key, flow.secret))).status, 200)
  const raw = `Basic ${Buffer.from(`${flow.key}:${flow.secret}`).toString('base64')}`
  const response = await withHeader(raw)
  assert.equal(response.status, 401)
  assert.match(response.headers.get('www-authenticate') ?? '', /^Basic/)
  await refused('invalid_client', await code(), 401)
  service.configure({ basicEncoding: 'raw' })
  assert.equal((await withHeader(raw)).status, 200)
})

test('accepts credentials in the query only if configured', async () => {
  const fields = await code()
  const { service: _service, ...client } = flow
  const query = new URLSearchParams({ ...fields, client_id: client.key, client_secret: client.secret })
  const url = `${service.endpoints['token_url']}?${query.toString()}`
  assert.equal((await fetch(url, { method: 'POST' })).status, 401)
  service.configure({ clientAuth: ['query'] })
  assert.equal((await fetch(url, { method: 'POST' })).status, 200)
})

test('a public client sends no secret and is rejected with one', async () => {
  const open = { service, ...service.register({ redirectUris: [callback], secret: '' }) }
  const tokens = await tokensFor({ ...open, secret: undefined as unknown as string })
  assert.ok(tokens.access_token)
  const response = await tokenCall({ ...open, secret: 'guess' }, { grant_type: 'authorization_code', code: 'x' })
  assert.equal(response.status, 401)
})

test('accepts a renamed client_id and a JSON body if configured', async () => {
  service.configure({ clientIdParam: 'client_key' })
  const verifier = newVerifier()
  const value = await codeFor(flow, {
    client_id: undefined,
    client_key: flow.key,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  })
  const fields = { grant_type: 'authorization_code', code: value, redirect_uri: callback, code_verifier: verifier }
  await refused('invalid_client', fields, 401)
  service.configure({ tokenBody: 'json' })
  const body = JSON.stringify({ ...fields, client_key: flow.key, client_secret: flow.secret })
  const response = await tokenCall(flow, {}, { body, headers: { 'content-type': 'application/json' } })
  assert.equal(response.status, 200)
})

test('the response has the granted scope if the person may deselect scopes', async () => {
  const granted = async () => {
    const verifier = newVerifier()
    const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }
    const url = authorizeUrl(flow, { ...pkce, scope: 'profile email' })
    const page = await appBrowser().walk(url, { person: 'ada', permissions: ['profile'] })
    const value = new URL(page.url).searchParams.get('code') ?? ''
    const fields = { grant_type: 'authorization_code', code: value, redirect_uri: callback, code_verifier: verifier }
    return readTokens(await tokenCall(flow, fields))
  }
  const narrowed = await granted()
  assert.equal(narrowed.scope, 'profile')
  const me = (await (await apiCall(service, '/api/me', narrowed.access_token)).json()) as object
  assert.equal('email' in me, false)
  service.configure({ scopeChoice: false })
  assert.equal((await granted()).scope, 'profile email')
})

test('sends errors with status 200 if configured', async () => {
  service.configure({ tokenErrorStatus: '200' })
  await refused('invalid_grant', { grant_type: 'authorization_code', code: 'x' }, 200)
})

test('settings of one client do not affect another; unknown settings are rejected', async () => {
  const lenient = {
    service,
    ...service.register({ redirectUris: [callback], settings: { pkce: 'off', accessTtlSeconds: 5 } }),
  }
  const value = await codeFor(lenient)
  const tokens = await readTokens(
    await tokenCall(lenient, { grant_type: 'authorization_code', code: value, redirect_uri: callback }),
  )
  assert.equal(tokens.expires_in, 5)
  assert.equal((await tokensFor(flow)).expires_in, 3600)
  assert.throws(() => service.configure({ pcke: 'off' }), /unknown setting: pcke/)
  assert.throws(() => service.configure({ pkce: 'maybe' }), /invalid value for pkce/)
  assert.throws(() => service.register({ redirectUris: [], settings: { bearer: ['query'] } }), /whole service/)
})
