import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { LabService } from '../base/service.ts'
import { type Lab, startLab } from '../lab.ts'
import { appBrowser, authorizeUrl, callback, challengeOf, newVerifier } from '../testing/oauth2-client.ts'

let lab: Lab<'demo-social'>
let service: LabService
let flow: { service: LabService; key: string; secret: string }
let defaults: Record<string, unknown>
const pkce = { code_challenge: challengeOf(newVerifier()), code_challenge_method: 'S256' }

before(async () => {
  lab = await startLab({ services: ['demo-social'] })
  service = lab.services['demo-social']
  flow = { service, ...service.register({ redirectUris: [callback], name: 'Printer <b>' }) }
  defaults = { ...service.settings() }
})
after(() => lab.close())
beforeEach(() => service.configure(defaults))

const back = async (fields: Record<string, string | undefined>, decision: 'allow' | 'deny' = 'allow') => {
  const page = await appBrowser().walk(authorizeUrl(flow, { ...pkce, ...fields }), { person: 'ada', decision })
  assert.ok(page.stopped, `${page.status} ${page.title}`)
  return new URL(page.url).searchParams
}

async function shownPage(fields: Record<string, string | undefined>, text: RegExp): Promise<void> {
  const page = await appBrowser().open(authorizeUrl(flow, { ...pkce, ...fields }))
  assert.equal(page.status, 400)
  assert.equal(page.chain.length, 1)
  assert.match(page.body, text)
}

async function assertErrorRedirect(error: string, fields: Record<string, string | undefined>): Promise<void> {
  const params = await back({ state: 'a b&c', ...fields })
  assert.equal(params.get('error'), error)
  assert.equal(params.get('state'), 'a b&c')
  assert.equal(params.has('code'), false)
}

test('allow returns a code, the exact state and the issuer', async () => {
  const params = await back({ state: 'x=1&y=é +%' })
  assert.ok(params.get('code'))
  assert.equal(params.get('state'), 'x=1&y=é +%')
  assert.equal(params.get('iss'), service.url)
  assert.equal((await back({ state: undefined })).has('state'), false)
})

test('deny returns access_denied with the state', async () => {
  const params = await back({}, 'deny')
  assert.deepEqual([params.get('error'), params.get('state'), params.has('code')], ['access_denied', 's1', false])
})

test('an invalid client or redirect URI shows a page and never redirects; matching is exact', async () => {
  await shownPage({ client_id: 'nobody' }, /not known/)
  await shownPage({ redirect_uri: undefined }, /redirect address/)
  for (const uri of [
    `${callback}/`,
    `${callback}?x=1`,
    callback.replace('127.0.0.1', 'localhost'),
    callback.toUpperCase(),
  ])
    await shownPage({ redirect_uri: uri }, /not registered/)
})

test('rejects repeated parameters', async () => {
  const twice = await appBrowser().open(`${authorizeUrl(flow, pkce)}&state=again`)
  assert.match(twice.url, /error=invalid_request/)
  const client = await appBrowser().open(`${authorizeUrl(flow, pkce)}&client_id=again`)
  assert.equal(client.status, 400)
})

test('checks response type and scope', async () => {
  await assertErrorRedirect('unsupported_response_type', { response_type: 'token' })
  await assertErrorRedirect('invalid_request', { response_type: undefined })
  await assertErrorRedirect('invalid_scope', { scope: 'profile everything' })
  await assertErrorRedirect('invalid_scope', { scope: 'profile,email' })
  service.configure({ scopeSeparator: ',' })
  assert.ok((await back({ scope: 'profile,email' })).get('code'))
})

test('PKCE setting: required, allowed, off, refused; never plain', async () => {
  const without = { code_challenge: undefined, code_challenge_method: undefined }
  await assertErrorRedirect('invalid_request', without)
  await assertErrorRedirect('invalid_request', { code_challenge_method: 'plain' })
  await assertErrorRedirect('invalid_request', { code_challenge_method: undefined })
  await assertErrorRedirect('invalid_request', { code_challenge: 'short' })
  await assertErrorRedirect('invalid_request', { code_challenge: undefined })
  service.configure({ pkce: 'allowed' })
  assert.ok((await back(without)).get('code'))
  await assertErrorRedirect('invalid_request', { code_challenge_method: 'plain' })
  service.configure({ pkce: 'off' })
  assert.ok((await back({ code_challenge_method: 'plain' })).get('code'))
  service.configure({ pkce: 'refused' })
  await assertErrorRedirect('invalid_request', {})
  assert.ok((await back(without)).get('code'))
})

test('a public client must use PKCE even if it is optional', async () => {
  service.configure({ pkce: 'allowed' })
  const open = { service, ...service.register({ redirectUris: [callback], secret: '' }) }
  const page = await appBrowser().open(authorizeUrl(open))
  assert.match(page.url, /error=invalid_request/)
})

test('iss can be absent or wrong', async () => {
  service.configure({ iss: 'off' })
  assert.equal((await back({})).has('iss'), false)
  service.configure({ iss: 'wrong' })
  assert.equal((await back({})).get('iss'), 'https://somebody-else.test')
})

test('a signed-in browser skips the login unless it is forced', async () => {
  const browser = appBrowser()
  await browser.walk(authorizeUrl(flow, pkce), { person: 'ada' })
  assert.match((await browser.open(authorizeUrl(flow, pkce))).title, /would like/)
  for (const force of [{ force_login: 'true' }, { prompt: 'login' }, { auth_type: 'reauthenticate' }])
    assert.match((await browser.open(authorizeUrl(flow, { ...pkce, ...force }))).title, /^Sign in/)
})

test('a forced login cannot be skipped by opening the consent page', async () => {
  const browser = appBrowser()
  await browser.walk(authorizeUrl(flow, pkce), { person: 'ada' })
  const login = await browser.open(authorizeUrl(flow, { ...pkce, prompt: 'login' }))
  assert.match((await browser.open(login.url.replace('/login', '/consent'))).title, /^Sign in/)
})

test('client_id can be renamed', async () => {
  service.configure({ clientIdParam: 'client_key' })
  await shownPage({}, /not known/)
  assert.ok((await back({ client_id: undefined, client_key: flow.key })).get('code'))
})
