import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { LabService } from '../base/service.ts'
import { type Lab, startLab } from '../lab.ts'
import { requestToken, sent, signedRequest } from '../testing/oauth1-client.ts'
import { appBrowser, callback } from '../testing/oauth2-client.ts'
import { oauth1Defaults } from './settings.ts'

let lab: Lab<'demo-micro'>
let service: LabService
let client: { key: string; secret: string }

before(async () => {
  lab = await startLab({ services: ['demo-micro'] })
  service = lab.services['demo-micro']
  client = service.register({ redirectUris: [callback], name: 'Printer' })
})
after(() => lab.close())
beforeEach(() => service.configure({ ...oauth1Defaults }))

const endpoint = (name: string) => service.endpoints[name] ?? ''

async function allowed(page = 'authorize_url') {
  const pair = await requestToken(service, client)
  const shown = await appBrowser().walk(`${endpoint(page)}?oauth_token=${pair.token}`, { person: 'ada' })
  const back = new URL(shown.url).searchParams
  assert.equal(back.get('oauth_token'), pair.token)
  return { ...pair, verifier: back.get('oauth_verifier') ?? '' }
}

type Pair = { token: string; tokenSecret: string }
const exchange = (pair: Pair, oauth_verifier: string | undefined, by = client) =>
  sent(
    signedRequest(endpoint('access_token_url'), {
      ...by,
      token: pair.token,
      tokenSecret: pair.tokenSecret,
      oauth: { oauth_verifier },
    }),
  )

async function accessPair(page?: string): Promise<Pair & { fields: URLSearchParams }> {
  const pair = await allowed(page)
  const response = await exchange(pair, pair.verifier)
  assert.equal(response.status, 200, response.body)
  const fields = new URLSearchParams(response.body)
  return { token: fields.get('oauth_token') ?? '', tokenSecret: fields.get('oauth_token_secret') ?? '', fields }
}

const call = (path: string, pair: Pair, options: { verb?: string; form?: [string, string][] } = {}) =>
  sent(signedRequest(`${service.url}${path}`, { ...client, ...pair }, { verb: 'GET', ...options }))

test('the three-legged flow returns a valid token and the account', async () => {
  const pair = await accessPair()
  assert.equal(pair.fields.get('handle'), 'ada')
  const me = await call('/api/me', pair)
  assert.equal(me.status, 200, me.body)
  assert.match(me.body, new RegExp(`"id":${service.people[0]?.id},"id_str":"${service.people[0]?.id}"`))
})

test('the verifier is required, bound to its request token, and a wrong one invalidates the token', async () => {
  const first = await allowed()
  assert.match((await exchange(first, undefined)).body, /^parameter_absent: oauth_verifier/)
  const second = await allowed()
  assert.match((await exchange(first, second.verifier)).body, /^verifier_invalid/)
  assert.match((await exchange(first, first.verifier)).body, /^token_rejected/)
  assert.equal((await exchange(second, second.verifier)).status, 200)
  assert.match((await exchange(second, second.verifier)).body, /^token_rejected/)
})

test('rejects a request token that is unauthorized, expired or belongs to another consumer', async () => {
  const unauthorized = await requestToken(service, client)
  assert.match((await exchange(unauthorized, 'x')).body, /^permission_unknown/)
  const pair = await allowed()
  const other = service.register({ redirectUris: [callback] })
  assert.match((await exchange(pair, pair.verifier, other)).body, /^token_rejected: .*another consumer/)
  service.configure({ requestTokenTtlSeconds: 0 })
  const old = await requestToken(service, client)
  assert.match((await exchange(old, 'x')).body, /^token_expired/)
  assert.equal((await appBrowser().open(`${endpoint('authorize_url')}?oauth_token=${old.token}`)).status, 400)
})

test('a denial redirects with `denied` and no verifier, and invalidates the request token', async () => {
  const pair = await requestToken(service, client)
  const url = `${endpoint('authorize_url')}?oauth_token=${pair.token}`
  const page = await appBrowser().walk(url, { person: 'ada', decision: 'deny' })
  assert.equal(page.url, `${callback}?denied=${pair.token}`)
  assert.match((await exchange(pair, 'x')).body, /^token_rejected/)
})

test('an authorized or unknown request token shows an error page and does not redirect', async () => {
  const pair = await allowed()
  assert.equal((await appBrowser().open(`${endpoint('authorize_url')}?oauth_token=${pair.token}`)).status, 400)
  assert.equal((await appBrowser().open(endpoint('authorize_url'))).status, 400)
})

test('force_login requires the password in a signed-in browser', async () => {
  const browser = appBrowser()
  const url = async (extra: string) =>
    `${endpoint('authorize_url')}?oauth_token=${(await requestToken(service, client)).token}${extra}`
  await browser.walk(await url(''), { person: 'ada' })
  assert.match((await browser.open(await url(''))).title, /^Printer would like/)
  assert.match((await browser.open(await url('&force_login=true'))).title, /^Sign in/)
})

test('direct messages require the authorize page with that permission', async () => {
  const refused = await call('/api/messages', await accessPair())
  assert.equal(refused.status, 403)
  const response = await call('/api/messages', await accessPair('authorize_dm_url'))
  assert.equal(response.status, 200, response.body)
  assert.ok((JSON.parse(response.body) as unknown[]).length > 0)
})

test('the signature covers form bodies and unusual query parameters', async () => {
  const pair = await accessPair()
  const form: [string, string][] = [
    ['status', 'a+b & c=d é☃ %20'],
    ['empty', ''],
    ['twice', '2'],
    ['twice', '1'],
  ]
  const posted = await call('/api/statuses?x=%20y&x=&z', pair, { verb: 'POST', form })
  assert.equal(posted.status, 200, posted.body)
  assert.equal((JSON.parse(posted.body) as { text: string }).text, 'a+b & c=d é☃ %20')
  const request = signedRequest(`${service.url}/api/statuses`, { ...client, ...pair }, { form: [['status', 'one']] })
  const headers = {
    authorization: request.headers.get('authorization') ?? '',
    'content-type': 'application/x-www-form-urlencoded',
  }
  const tampered = await sent(new Request(request.url, { method: 'POST', headers, body: 'status=two' }))
  assert.match(tampered.body, /^signature_invalid/)
})

test('tokens revoked by the client or the lab are rejected', async () => {
  const pair = await accessPair()
  const response = await sent(signedRequest(endpoint('revoke_url'), { ...client, ...pair }))
  assert.equal(response.status, 200, response.body)
  assert.match((await call('/api/me', pair)).body, /^token_rejected/)
  const again = await accessPair()
  assert.ok(service.tokens.revoke('ada') >= 1)
  assert.match((await call('/api/me', again)).body, /^token_rejected/)
})

test('oob shows a PIN, which is the verifier', async () => {
  service.configure({ oob: true })
  const pair = await requestToken(service, { ...client, oauth: { oauth_callback: 'oob' } })
  const page = await appBrowser().walk(`${endpoint('authorize_url')}?oauth_token=${pair.token}`, { person: 'ben' })
  const pin = /class="pin">(\d+)</.exec(page.body)?.[1]
  assert.equal((await exchange(pair, pin)).status, 200)
})
