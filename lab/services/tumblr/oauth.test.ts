import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { requestToken, sent, signedRequest } from '../../testing/oauth1-client.ts'
import { appBrowser, authorizeUrl, callback } from '../../testing/oauth2-client.ts'
import { codeFor, exchange, get, startTumblr, type Tokens, type TumblrApp, tokensFor } from './testing.ts'

let app: TumblrApp
before(async () => {
  app = await startTumblr()
})
after(() => app.lab.close())

test('OAuth 2: tokens last 42 minutes, refresh tokens require offline_access', async () => {
  const full = await tokensFor(app)
  assert.deepEqual([full.expires_in, full.token_type, full.id_token], [2520, 'bearer', false])
  assert.equal(typeof full.refresh_token, 'string')
  assert.equal((await tokensFor(app, 'basic')).refresh_token, undefined)
  app.lab.clock.advance(2_521_000)
  const late = await get(app, '/v2/user/info', full.access_token)
  assert.equal(late.status, 401)
  assert.deepEqual(await late.json(), {
    meta: { status: 401, msg: 'Unauthorized' },
    response: [],
    errors: [{ title: 'Unauthorized', code: 1016, detail: 'Unable to authorize' }],
  })
  const refresh = { grant_type: 'refresh_token', refresh_token: full.refresh_token }
  const next = (await (await exchange(app, refresh)).json()) as Tokens
  assert.equal((await get(app, '/v2/user/info', next.access_token)).status, 200)
  assert.notEqual(next.refresh_token, full.refresh_token)
  assert.equal((await exchange(app, refresh)).status, 401)
})

test('the token request must repeat redirect_uri exactly if the authorization request had it', async () => {
  const plain = await codeFor(app, { scope: 'basic', redirect_uri: undefined })
  assert.equal((await exchange(app, { grant_type: 'authorization_code', code: plain })).status, 200)
  const code = await codeFor(app, { scope: 'basic' })
  const other = await exchange(app, { grant_type: 'authorization_code', code, redirect_uri: 'http://no.test/' })
  assert.equal(other.status, 401)
  const two = app.service.register({ redirectUris: [callback, `${callback}/2`] })
  const page = await appBrowser().open(authorizeUrl({ ...app, ...two }, { scope: 'basic', redirect_uri: undefined }))
  assert.equal(page.status, 400)
})

test('accepts token requests as multipart and JSON; rejects wrong secrets and missing parameters', async () => {
  const url = app.service.endpoints['token_url'] ?? ''
  const fields = async () => ({
    grant_type: 'authorization_code',
    code: await codeFor(app, { scope: 'basic' }),
    redirect_uri: callback,
    client_id: app.key,
    client_secret: app.secret,
  })
  const form = new FormData()
  for (const [name, value] of Object.entries(await fields())) form.set(name, value)
  assert.equal((await fetch(url, { method: 'POST', body: form })).status, 200)
  const headers = { 'content-type': 'application/json' }
  assert.equal((await fetch(url, { method: 'POST', headers, body: JSON.stringify(await fields()) })).status, 200)
  assert.equal((await exchange(app, { ...(await fields()), client_secret: 'wrong' })).status, 401)
  for (const absent of ['scope', 'state'])
    assert.equal(
      (await appBrowser().open(authorizeUrl(app, { scope: 'basic' }).replace(`${absent}=`, 'no='))).status,
      400,
    )
  const denied = await appBrowser().walk(authorizeUrl(app, { scope: 'basic' }), { person: 'ada', decision: 'deny' })
  assert.equal(new URL(denied.url).searchParams.get('error'), 'access_denied')
})

test('OAuth 1.0a works with the same key and accepts parameters in the header only', async () => {
  const timestamp = Math.floor(app.lab.clock.now() / 1000)
  const pair = await requestToken(app.service, { ...app, timestamp })
  assert.equal(pair.fields.get('oauth_callback_confirmed'), 'true')
  const page = await appBrowser().walk(`${app.service.url}/oauth/authorize?oauth_token=${pair.token}`, {
    person: 'ben',
  })
  const oauth_verifier = new URL(page.url).searchParams.get('oauth_verifier') ?? ''
  const signing = { key: app.key, secret: app.secret, timestamp }
  const response = await sent(
    signedRequest(
      `${app.service.url}/oauth/access_token`,
      { ...signing, token: pair.token, tokenSecret: pair.tokenSecret, oauth: { oauth_verifier } },
      { verb: 'GET' },
    ),
  )
  const fields = new URLSearchParams(response.body)
  const token = { token: fields.get('oauth_token') ?? '', tokenSecret: fields.get('oauth_token_secret') ?? '' }
  const read = (by?: 'query') =>
    sent(
      signedRequest(
        `${app.service.url}/v2/user/info`,
        { ...signing, ...token, ...(by ? { by } : {}) },
        { verb: 'GET' },
      ),
    )
  const info = JSON.parse((await read()).body) as { response: { user: { name: string } } }
  assert.equal(info.response.user.name, 'ben')
  assert.equal((await read('query')).status, 401)
  app.service.tokens.revoke('ben')
  assert.equal((await read()).status, 401)
})

test('an API key alone gives access to blogs but not to a person', async () => {
  const open = (path: string) => fetch(`${app.service.url}${path}${path.includes('?') ? '&' : '?'}api_key=${app.key}`)
  assert.equal((await open('/v2/blog/ada/posts')).status, 200)
  assert.equal((await open('/v2/user/info')).status, 401)
  assert.equal((await fetch(`${app.service.url}/v2/blog/ada/posts?api_key=wrong`)).status, 401)
})
