import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { LabService } from '../base/service.ts'
import { type Lab, startLab } from '../lab.ts'
import {
  apiCall,
  appBrowser,
  authorizeUrl,
  callback,
  challengeOf,
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
  flow = { service, ...service.register({ redirectUris: [callback] }) }
})
after(() => lab.close())
beforeEach(() => service.configure(defaults))

const post = (path: string, fields: Record<string, string>, by = flow) =>
  fetch(`${service.url}${path}`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: by.key, client_secret: by.secret, ...fields }),
  })
const works = async (token: string) => (await apiCall(service, '/api/me', token)).status === 200

test('RFC 7009: revocation ignores unknown tokens, rejects those of other clients, and can be disabled', async () => {
  const { access_token, refresh_token = '' } = await tokensFor(flow)
  const other = { service, ...service.register({ redirectUris: [callback] }) }
  assert.equal((await post('/oauth/revoke', { token: access_token }, other)).status, 400)
  assert.equal((await post('/oauth/revoke', { token: access_token, client_secret: 'wrong' })).status, 401)
  assert.ok(await works(access_token))
  assert.equal((await post('/oauth/revoke', { token: access_token })).status, 200)
  assert.equal(await works(access_token), false)
  const next = await readTokens(await tokenCall(flow, { grant_type: 'refresh_token', refresh_token }))
  assert.equal((await post('/oauth/revoke', { token: next.refresh_token ?? '' })).status, 200)
  assert.equal(await works(next.access_token), false)
  assert.equal((await post('/oauth/revoke', { token: 'made-up' })).status, 200)
  assert.equal((await post('/oauth/revoke', {})).status, 400)
  service.configure({ revocation: false })
  assert.equal((await post('/oauth/revoke', { token: 'x' })).status, 404)
})

test('RFC 7662: introspection', async () => {
  const { access_token } = await tokensFor(flow)
  const active = (await (await post('/oauth/introspect', { token: access_token })).json()) as Record<string, unknown>
  assert.deepEqual([active['active'], active['username'], active['client_id']], [true, 'ada', flow.key])
  assert.deepEqual(await (await post('/oauth/introspect', { token: 'x' })).json(), { active: false })
  service.configure({ introspection: false })
  assert.equal((await post('/oauth/introspect', { token: 'x' })).status, 404)
})

test('RFC 9126: a pushed request is valid once, for its client, for a minute; it can be required', async () => {
  const params = {
    response_type: 'code',
    redirect_uri: callback,
    state: 'p',
    code_challenge: challengeOf(newVerifier()),
    code_challenge_method: 'S256',
  }
  const push = async (fields = {}) => post('/oauth/par', { ...params, ...fields })
  const uriOf = async (response: Response) => ((await response.json()) as { request_uri: string }).request_uri
  const at = (uri: string, key = flow.key) =>
    `${service.endpoints['authorize_url']}?${new URLSearchParams({ client_id: key, request_uri: uri }).toString()}`
  service.configure({ par: 'required' })
  assert.equal((await appBrowser().open(authorizeUrl(flow, params))).status, 400)
  const pushed = await push()
  assert.equal(pushed.status, 201)
  const uri = await uriOf(pushed)
  const other = service.register({ redirectUris: [callback] })
  assert.equal((await appBrowser().open(at(uri, other.key))).status, 400)
  const done = await appBrowser().walk(at(uri), { person: 'ada' })
  assert.equal(new URL(done.url).searchParams.get('state'), 'p')
  assert.equal((await appBrowser().open(at(uri))).status, 400)
  const late = await uriOf(await push())
  lab.clock.advance(61_000)
  assert.equal((await appBrowser().open(at(late))).status, 400)
  assert.equal((await push({ redirect_uri: 'https://other.test/' })).status, 400)
  assert.equal((await push({ scope: 'nothing' })).status, 400)
  assert.equal((await push({ request_uri: uri })).status, 400)
  service.configure({ par: 'off' })
  assert.equal((await push()).status, 404)
})

test('RFC 7591: a client registers itself', async () => {
  const register = (body: Record<string, unknown>) =>
    fetch(`${service.url}/oauth/register`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  const created = await register({
    redirect_uris: [callback],
    client_name: 'Self',
    token_endpoint_auth_method: 'client_secret_post',
  })
  assert.equal(created.status, 201)
  const { client_id: key, client_secret: secret } = (await created.json()) as {
    client_id: string
    client_secret: string
  }
  assert.ok((await tokensFor({ service, key, secret })).access_token)
  for (const uris of [
    undefined,
    [],
    ['/relative'],
    ['http://far.test/'],
    ['https://a.test/#x'],
    ['javascript:alert(1)'],
  ])
    assert.equal((await readTokens(await register({ redirect_uris: uris }))).error, 'invalid_redirect_uri')
  const method = await register({ redirect_uris: [callback], token_endpoint_auth_method: 'private_key_jwt' })
  assert.equal((await readTokens(method)).error, 'invalid_client_metadata')
  service.configure({ registration: false })
  assert.equal((await register({ redirect_uris: [callback] })).status, 404)
})

test('RFC 8414: metadata reflects the settings', async () => {
  const read = async () =>
    (await (await fetch(service.endpoints['metadata_url'] ?? '')).json()) as Record<string, unknown>
  const full = await read()
  assert.equal(full['issuer'], service.url)
  assert.deepEqual(full['code_challenge_methods_supported'], ['S256'])
  service.configure({ pkce: 'off', revocation: false, iss: 'off' })
  const less = await read()
  assert.equal('code_challenge_methods_supported' in less || 'revocation_endpoint' in less, false)
  assert.equal(less['authorization_response_iss_parameter_supported'], false)
  service.configure({ metadata: false })
  assert.equal((await fetch(service.endpoints['metadata_url'] ?? '')).status, 404)
})

test('RFC 6750: token locations, and errors for a missing token or insufficient scope', async () => {
  const { access_token } = await tokensFor(flow)
  const inQuery = `${service.url}/api/me?access_token=${access_token}`
  assert.equal((await fetch(inQuery)).status, 401)
  const bare = await fetch(`${service.url}/api/me`)
  assert.equal(bare.headers.get('www-authenticate'), 'Bearer realm="lab"')
  const weak = await apiCall(service, '/api/me/posts', access_token)
  assert.equal(weak.status, 403)
  assert.match(weak.headers.get('www-authenticate') ?? '', /insufficient_scope.*scope="posts.read"/)
  service.configure({ bearer: ['header', 'query'] })
  assert.equal((await fetch(inQuery)).status, 200)
  assert.equal((await fetch(inQuery, { headers: { authorization: `Bearer ${access_token}` } })).status, 400)
  service.configure({ bearer: ['query'] })
  assert.equal((await apiCall(service, '/api/me', access_token)).status, 401)
})
