import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { until } from '../../harness/until.ts'
import { oidcProviderMissing, type RunningOidcProvider, startOidcProvider } from '../oidc-provider.ts'

const redirectUri = 'http://127.0.0.1:9/auth/callback'
const verifier = randomBytes(32).toString('base64url')

function authorizeUrl(server: RunningOidcProvider, extra: Record<string, string> = {}): string {
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const params = {
    client_id: server.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    state: 's1',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...extra,
  }
  return `${server.authorizeUrl}?${new URLSearchParams(params).toString()}`
}

interface TokenResponse {
  status: number
  access_token?: string
  refresh_token?: string
  error?: string
}

async function token(
  server: RunningOidcProvider,
  form: Record<string, string>,
  secret = server.clientSecret,
): Promise<TokenResponse> {
  const authorization = `Basic ${Buffer.from(`${server.clientId}:${secret}`).toString('base64')}`
  const body = new URLSearchParams(form)
  const response = await fetch(server.tokenUrl, {
    method: 'POST',
    headers: { authorization, connection: 'close' },
    body,
  })
  return { status: response.status, ...((await response.json()) as object) }
}

const bearer = (accessToken: string | undefined) => ({
  headers: { authorization: `Bearer ${accessToken}`, connection: 'close' },
})

const skip = await oidcProviderMissing()

suite('oidc-provider', () => {
  let server: RunningOidcProvider
  if (skip === false) {
    before(async () => {
      server = await startOidcProvider({ redirectUris: [redirectUri] })
    })
    after(() => server.close())
  }

  async function newCode(person = {}): Promise<string> {
    const redirect = new URL(await server.login(authorizeUrl(server), person))
    return redirect.searchParams.get('code') ?? ''
  }
  const redeem = (code: string, changed: Record<string, string> = {}, secret?: string) =>
    token(
      server,
      { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier, ...changed },
      secret,
    )

  test('a person signs in, consents, and their claims are read with the token', { skip }, async () => {
    const redirect = new URL(await server.login(authorizeUrl(server), { user: 'maya' }))
    assert.equal(`${redirect.origin}${redirect.pathname}`, redirectUri)
    assert.equal(redirect.searchParams.get('state'), 's1')
    assert.equal(redirect.searchParams.get('iss'), server.issuer)
    const granted = await redeem(redirect.searchParams.get('code') ?? '')
    assert.equal(granted.status, 200)
    assert.ok(granted.refresh_token)
    const response = await fetch(server.userinfoUrl, bearer(granted.access_token))
    const claims = await response.json()
    const expected = { sub: 'maya', name: 'Maya Example', email: 'maya@people.example', email_verified: true }
    assert.deepEqual(claims, { ...expected, picture: 'https://people.example/maya.png' })
  })

  test('a denied request returns access_denied and the state', { skip }, async () => {
    const redirect = new URL(await server.login(authorizeUrl(server), { deny: true }))
    assert.equal(redirect.searchParams.get('error'), 'access_denied')
    assert.equal(redirect.searchParams.get('state'), 's1')
  })

  test('a request without PKCE is refused', { skip }, async () => {
    const redirect = new URL(
      await server.login(authorizeUrl(server, { code_challenge: '', code_challenge_method: '' })),
    )
    assert.equal(redirect.searchParams.get('error'), 'invalid_request')
  })

  test('an unregistered redirect address shows an error page and never redirects', { skip }, async () => {
    await assert.rejects(
      server.login(authorizeUrl(server, { redirect_uri: 'http://127.0.0.1:9/other' })),
      /returned 400/,
    )
  })

  test('wrong verifier, wrong secret and wrong redirect address are refused', { skip }, async () => {
    const wrongVerifier = await redeem(await newCode(), { code_verifier: randomBytes(32).toString('base64url') })
    assert.deepEqual([wrongVerifier.status, wrongVerifier.error], [400, 'invalid_grant'])
    const wrongSecret = await redeem(await newCode(), {}, 'wrong')
    assert.deepEqual([wrongSecret.status, wrongSecret.error], [401, 'invalid_client'])
    const wrongRedirect = await redeem(await newCode(), { redirect_uri: 'http://127.0.0.1:9/other' })
    assert.deepEqual([wrongRedirect.status, wrongRedirect.error], [400, 'invalid_grant'])
  })

  test('a code used twice is refused and revokes what the first use gave', { skip }, async () => {
    const code = await newCode()
    const first = await redeem(code)
    assert.equal((await redeem(code)).error, 'invalid_grant')
    const refreshed = await token(server, { grant_type: 'refresh_token', refresh_token: first.refresh_token ?? '' })
    assert.equal(refreshed.error, 'invalid_grant')
  })

  test('a revoked token is refused', { skip }, async () => {
    const granted = await redeem(await newCode())
    const body = new URLSearchParams({ token: granted.access_token ?? '', client_id: server.clientId })
    const authorization = `Basic ${Buffer.from(`${server.clientId}:${server.clientSecret}`).toString('base64')}`
    const revoked = await fetch(server.revokeUrl, {
      method: 'POST',
      headers: { authorization, connection: 'close' },
      body,
    })
    assert.equal(revoked.status, 200)
    assert.equal((await fetch(server.userinfoUrl, bearer(granted.access_token))).status, 401)
  })
})

suite('oidc-provider with settings', () => {
  test('rotated refresh tokens work once; reuse revokes the grant', { skip }, async (t) => {
    const server = await startOidcProvider({
      redirectUris: [redirectUri],
      rotateRefresh: true,
      iss: 'https://elsewhere.example',
    })
    t.after(() => server.close())
    const redirect = new URL(await server.login(authorizeUrl(server)))
    assert.equal(redirect.searchParams.get('iss'), 'https://elsewhere.example')
    const code = redirect.searchParams.get('code') ?? ''
    const first = await token(server, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    })
    const refresh = (value = '') => token(server, { grant_type: 'refresh_token', refresh_token: value })
    const second = await refresh(first.refresh_token)
    assert.notEqual(second.refresh_token, first.refresh_token)
    assert.equal((await refresh(first.refresh_token)).error, 'invalid_grant')
    assert.equal((await refresh(second.refresh_token)).error, 'invalid_grant')
  })

  test('without iss, without PKCE, secret in the body, short-lived tokens', { skip, timeout: 30_000 }, async (t) => {
    const server = await startOidcProvider({
      redirectUris: [redirectUri],
      iss: false,
      requirePkce: false,
      authMethod: 'client_secret_post',
      accessTokenTtlS: 2,
    })
    t.after(() => server.close())
    const params = { client_id: server.clientId, redirect_uri: redirectUri, response_type: 'code', scope: 'openid' }
    const redirect = new URL(await server.login(`${server.authorizeUrl}?${new URLSearchParams(params).toString()}`))
    assert.equal(redirect.searchParams.has('iss'), false)
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: redirect.searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      client_id: server.clientId,
      client_secret: server.clientSecret,
    })
    const response = await fetch(server.tokenUrl, { method: 'POST', headers: { connection: 'close' }, body })
    const granted = (await response.json()) as { access_token: string; expires_in: number }
    assert.equal(granted.expires_in, 2)
    const statusNow = async () => (await fetch(server.userinfoUrl, bearer(granted.access_token))).status
    assert.equal(await statusNow(), 200)
    await until('the token has expired', statusNow, (status) => status === 401)
    const discovery = await fetch(`${server.issuer}/.well-known/openid-configuration`, {
      headers: { connection: 'close' },
    })
    assert.equal('authorization_response_iss_parameter_supported' in ((await discovery.json()) as object), false)
  })
})
