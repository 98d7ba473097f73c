import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { requestToken, sent, signedRequest } from '../../testing/oauth1-client.ts'
import { appBrowser, authorizeUrl, callback, challengeOf, newVerifier } from '../../testing/oauth2-client.ts'
import { get, post, signingFor, startX, type Tokens, tokensFor, type XApp } from './testing.ts'

let app: XApp
before(async () => {
  app = await startX()
})
after(() => app.lab.close())

const challenge = (verifier: string) => ({ code_challenge: challengeOf(verifier), code_challenge_method: 'S256' })
const errorOf = async (response: Response) => {
  const { error, error_description } = (await response.json()) as Record<string, string>
  return [response.status, error, error_description]
}

test('OAuth 2 with PKCE: tokens last two hours, refresh tokens require offline.access', async () => {
  const full = await tokensFor(app)
  assert.deepEqual([full.token_type, full.expires_in, typeof full.refresh_token], ['bearer', 7200, 'string'])
  const short = await tokensFor(app, 'tweet.read users.read')
  assert.deepEqual([short.scope, short.refresh_token], ['tweet.read users.read', undefined])
  assert.equal((await get(app, '/2/users/me', short.access_token)).status, 200)
  app.lab.clock.advance(7_201_000)
  const late = await get(app, '/2/users/me', short.access_token)
  assert.equal(late.status, 401)
  assert.deepEqual(await late.json(), {
    title: 'Unauthorized',
    type: 'about:blank',
    status: 401,
    detail: 'Unauthorized',
  })
})

test('a refresh rotates the refresh token and rejects the old one', async () => {
  const first = await tokensFor(app)
  const refresh = (token?: string) =>
    post(app, '/2/oauth2/token', { grant_type: 'refresh_token', refresh_token: token })
  const next = (await (await refresh(first.refresh_token)).json()) as Tokens
  assert.notEqual(next.refresh_token, first.refresh_token)
  assert.equal((await get(app, '/2/users/me', next.access_token)).status, 200)
  assert.deepEqual(await errorOf(await refresh(first.refresh_token)), [
    400,
    'invalid_request',
    'Value passed for the token was invalid.',
  ])
})

test('the authorize page and the token endpoint reject invalid requests', async () => {
  const verifier = newVerifier()
  for (const absent of ['state', 'scope', 'code_challenge', 'redirect_uri'])
    assert.equal(
      (
        await appBrowser().open(
          authorizeUrl(app, { scope: 'tweet.read', ...challenge(verifier) }).replace(`${absent}=`, 'no='),
        )
      ).status,
      400,
    )
  const denied = await appBrowser().walk(authorizeUrl(app, { scope: 'tweet.read', ...challenge(verifier) }), {
    person: 'ada',
    decision: 'deny',
  })
  assert.equal(new URL(denied.url).search, '?error=access_denied&state=s1')
  const codeOf = async (more: Record<string, string>) => {
    const page = await appBrowser().walk(authorizeUrl(app, { scope: 'tweet.read users.read', ...more }), {
      person: 'ada',
    })
    return new URL(page.url).searchParams.get('code') ?? ''
  }
  const exchange = (code: string, more: Record<string, string> = {}, authorization?: string) => {
    const fields = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier, ...more }
    return post(app, '/2/oauth2/token', fields, authorization)
  }
  const body = { client_id: app.key, client_secret: app.secret }
  const inBody = await fetch(`${app.service.url}/2/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...body, grant_type: 'authorization_code', code: 'x' }),
  })
  assert.deepEqual(await errorOf(inBody), [401, 'unauthorized_client', 'Missing valid authorization header'])
  assert.match(
    String(await errorOf(await exchange(await codeOf(challenge(verifier)), { code_verifier: newVerifier() }))),
    /code verifier did not match/,
  )
  assert.match(
    String(await errorOf(await exchange(await codeOf(challenge(verifier)), { redirect_uri: 'http://no.test' }))),
    /redirect uri did not match/,
  )
  const late = await codeOf(challenge(verifier))
  app.lab.clock.advance(31_000)
  assert.match(String(await errorOf(await exchange(late))), /authorization code was invalid/)
  const plain = await codeOf({ code_challenge: verifier, code_challenge_method: 'plain' })
  assert.equal((await exchange(plain)).status, 200)
})

test('a public client sends client_id in the body; revocation invalidates a token', async () => {
  const own = { ...app, ...app.service.register({ redirectUris: [callback], secret: '' }) }
  const verifier = newVerifier()
  const page = await appBrowser().walk(authorizeUrl(own, { scope: 'users.read tweet.read', ...challenge(verifier) }), {
    person: 'ben',
  })
  const code = new URL(page.url).searchParams.get('code') ?? ''
  const response = await fetch(`${app.service.url}/2/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: own.key,
      code,
      redirect_uri: callback,
      code_verifier: verifier,
    }),
  })
  const { access_token } = (await response.json()) as Tokens
  assert.equal((await get(app, '/2/users/me', access_token)).status, 200)
  const revoked = await fetch(`${app.service.url}/2/oauth2/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: own.key, token: access_token }),
  })
  assert.deepEqual(await revoked.json(), { revoked: true })
  assert.equal((await get(app, '/2/users/me', access_token)).status, 401)
})

test('OAuth 1.0a: authenticate excludes direct messages, authorize includes them', async () => {
  const plain = await signingFor(app, 'authenticate', 'chloe')
  const withDm = await signingFor(app, 'authorize', 'chloe')
  const read = (path: string, signing: typeof plain) =>
    sent(
      signedRequest(
        `${app.service.url}${path}`,
        { ...signing, timestamp: Math.floor(app.lab.clock.now() / 1000) },
        { verb: 'GET' },
      ),
    )
  const me = JSON.parse((await read('/2/users/me?user.fields=created_at', plain)).body) as {
    data: { username: string }
  }
  assert.equal(me.data.username, 'chloe')
  assert.equal((await read('/2/dm_events', plain)).status, 403)
  assert.equal((await read('/2/dm_events', withDm)).status, 200)
  const ended = await sent(
    signedRequest(`${app.service.url}/1.1/oauth/invalidate_token.json`, {
      ...withDm,
      timestamp: Math.floor(app.lab.clock.now() / 1000),
    }),
  )
  assert.deepEqual([ended.status, JSON.parse(ended.body)], [200, { access_token: withDm.token }])
  assert.equal((await read('/2/users/me', withDm)).status, 401)
})

test('OAuth 1.0a: force_login requires the password, errors have codes, the token response names the person', async () => {
  const browser = appBrowser()
  const open = async (query: string) => {
    const { token } = await requestToken(app.service, { ...app, timestamp: Math.floor(app.lab.clock.now() / 1000) })
    return browser.walk(`${app.service.url}/oauth/authenticate?oauth_token=${token}${query}`, { person: 'esra' })
  }
  assert.ok((await open('')).chain.some((url) => url.includes('/login?')))
  assert.ok(!(await open('')).chain.some((url) => url.includes('/login?')))
  assert.ok((await open('&force_login=true')).chain.some((url) => url.includes('/login?')))
  const now = Math.floor(app.lab.clock.now() / 1000)
  const foreign = await requestToken(app.service, {
    ...app,
    timestamp: now,
    oauth: { oauth_callback: 'https://no.test/' },
  })
  assert.equal(foreign.status, 403)
  assert.equal((JSON.parse(foreign.body) as { errors: { code: number }[] }).errors[0]?.code, 415)
  const late = await requestToken(app.service, { ...app, timestamp: now - 4000 })
  assert.deepEqual(JSON.parse(late.body), { errors: [{ code: 135, message: 'Timestamp out of bounds.' }] })
  const wrong = await requestToken(app.service, { ...app, secret: 'wrong', timestamp: now })
  assert.deepEqual(
    [wrong.status, JSON.parse(wrong.body)],
    [401, { errors: [{ code: 32, message: 'Could not authenticate you.' }] }],
  )
})
