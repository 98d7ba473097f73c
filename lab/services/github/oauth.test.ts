import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { callback, challengeOf, newVerifier } from '../../testing/oauth2-client.ts'
import { authorize, call, exchange, type GithubApp, startGithub, tokenFor } from './testing.ts'

let app: GithubApp
before(async () => {
  app = await startGithub()
})
after(() => app.lab.close())

test('web flow: no response_type, optional redirect_uri, form response unless JSON or XML is accepted', async () => {
  const { params } = await authorize(app, { scope: 'user:email,repo user gone' })
  assert.equal(params.get('state'), 's1')
  const response = await exchange(app, { code: params.get('code') ?? '' }, '*/*')
  assert.match(response.headers.get('content-type') ?? '', /x-www-form-urlencoded/)
  const fields = new URLSearchParams(await response.text())
  assert.match(fields.get('access_token') ?? '', /^gho_/)
  assert.deepEqual(
    [fields.get('scope'), fields.get('token_type'), fields.get('expires_in')],
    ['repo,user', 'bearer', null],
  )
  const again = await authorize(app, {})
  const xml = await exchange(app, { code: again.params.get('code') ?? '' }, 'application/xml')
  assert.match(await xml.text(), /^<OAuth><access_token>gho_/)
})

test('token endpoint errors have status 200', async () => {
  const { params } = await authorize(app, {})
  const code = params.get('code') ?? ''
  const errorOf = async (fields: Record<string, string>) => {
    const response = await exchange(app, fields)
    assert.equal(response.status, 200)
    return ((await response.json()) as { error?: string }).error
  }
  assert.equal(await errorOf({ code, client_secret: 'wrong' }), 'incorrect_client_credentials')
  assert.equal(await errorOf({ code, redirect_uri: 'http://127.0.0.1:9/other' }), 'redirect_uri_mismatch')
  assert.equal(await errorOf({ code: 'nonsense' }), 'bad_verification_code')
  assert.equal(await errorOf({ code }), undefined)
  assert.equal(await errorOf({ code }), 'bad_verification_code')
})

test('PKCE is optional, enforced when used, and S256 only', async () => {
  const verifier = newVerifier()
  const pkceFields = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }
  const one = await authorize(app, pkceFields)
  const wrong = await exchange(app, { code: one.params.get('code') ?? '' })
  assert.equal(((await wrong.json()) as { error: string }).error, 'bad_verification_code')
  const two = await authorize(app, pkceFields)
  const right = await exchange(app, { code: two.params.get('code') ?? '', code_verifier: verifier })
  assert.ok(((await right.json()) as { access_token: string }).access_token)
  const plain = await authorize(app, { code_challenge: verifier, code_challenge_method: 'plain' })
  assert.equal(plain.params.get('error'), 'invalid_request')
})

test('callbacks: accepts a subpath and another loopback port; another host redirects to the registered one', async () => {
  const below = await authorize(app, { redirect_uri: `${callback}/deeper` })
  assert.ok(below.page.url.startsWith(`${callback}/deeper?code=`))
  const foreign = await authorize(app, { redirect_uri: 'https://evil.test/callback' })
  assert.ok(foreign.page.url.startsWith(`${callback}?error=redirect_uri_mismatch`))
  const { page } = await authorize(app, { client_id: 'nobody' })
  assert.equal(page.status, 404)
})

test('a denial redirects with the vendor’s error text', async () => {
  const { params } = await authorize(app, {}, 'ada', 'deny')
  assert.deepEqual(
    ['error', 'error_description', 'state', 'code'].map((name) => params.get(name)),
    ['access_denied', 'The user has denied your application access.', 's1', null],
  )
})

test('an app checks and deletes a token or a grant with HTTP Basic', async () => {
  const [one, two, other] = [await tokenFor(app, 'repo'), await tokenFor(app, 'gist'), await tokenFor(app, '', 'ben')]
  const basic = `Basic ${Buffer.from(`${app.key}:${app.secret}`).toString('base64')}`
  const asApp = (method: string, what: string, token: string, authorization = basic) =>
    fetch(`${app.service.url}/applications/${app.key}/${what}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ access_token: token }),
    })
  const checked = (await (await asApp('POST', 'token', one)).json()) as { scopes: string[]; user: { login: string } }
  assert.deepEqual([checked.scopes, checked.user.login], [['repo'], 'ada'])
  assert.equal((await asApp('DELETE', 'token', one, 'Basic bm86bm8=')).status, 401)
  assert.equal((await asApp('DELETE', 'token', one)).status, 204)
  assert.equal((await call(app, '/user', one)).status, 401)
  assert.equal((await call(app, '/user', two)).status, 200)
  assert.equal((await asApp('POST', 'token', one)).status, 404)
  assert.equal((await asApp('DELETE', 'token', one)).status, 404)
  assert.equal((await asApp('DELETE', 'grant', one)).status, 404)
  assert.equal((await asApp('DELETE', 'grant', two)).status, 204)
  assert.equal((await call(app, '/user', two)).status, 401)
  assert.equal((await call(app, '/user', other)).status, 200)
})

test('the lab revokes tokens; a setting enables expiring tokens with refresh', async () => {
  const token = await tokenFor(app, '', 'chloe')
  assert.ok(app.service.tokens.revoke('chloe') > 0)
  const refused = await call(app, '/user', token)
  assert.equal(refused.status, 401)
  assert.deepEqual(await refused.json(), {
    message: 'Bad credentials',
    documentation_url: 'https://docs.github.com/rest',
    status: '401',
  })
  app.service.configure({ accessTtlSeconds: 28_800, refresh: 'rotate' })
  const { params } = await authorize(app, {}, 'chloe')
  const first = (await (await exchange(app, { code: params.get('code') ?? '' })).json()) as Record<string, string>
  assert.equal(first['expires_in'], 28_800)
  const refresh = { grant_type: 'refresh_token', refresh_token: first['refresh_token'] }
  const next = (await (await exchange(app, refresh)).json()) as Record<string, string>
  assert.equal((await call(app, '/user', next['access_token'] ?? '')).status, 200)
  assert.equal(((await (await exchange(app, refresh)).json()) as { error: string }).error, 'bad_refresh_token')
  app.service.configure({ accessTtlSeconds: 0, refresh: 'none' })
})
