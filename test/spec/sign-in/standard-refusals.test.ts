import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { get, send } from '../../harness/send.ts'
import { newCode, REDIRECT, walk } from '../../harness/sign-in.ts'
import { loadCorePackage, packagesMissing } from '../../real/packages.ts'
import { pkce, startQuietHarness } from './fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const skip = await packagesMissing('core')

suite('a request with grant_type is refused in the form of RFC 6749', () => {
  const refused = async (form: Record<string, string>, path = '/oauth/access_token') => {
    const { clientId, secret } = harness.app
    return send(harness, 'POST', path, { form: { client_id: clientId, client_secret: secret, ...form } })
  }
  const grant = { grant_type: 'authorization_code' }
  const CASES: [what: string, form: Record<string, string>, status: number, word: string, reason: string][] = [
    ['an unknown code', { ...grant, code: 'trc_x' }, 400, 'invalid_grant', 'code_invalid'],
    ['no code', grant, 400, 'invalid_request', 'bad_body'],
    ['another grant', { grant_type: 'password', code: 'x' }, 400, 'unsupported_grant_type', 'bad_body'],
    ['a wrong secret', { ...grant, code: 'x', client_secret: 'trs_no' }, 401, 'invalid_client', 'app_secret_invalid'],
  ]
  for (const [what, form, status, word, reason] of CASES)
    test(`${what}: ${word}`, async () => {
      const { status: given, body } = await refused(form)
      assert.deepEqual([given, body['error'], body['reason']], [status, word, reason])
      assert.match(String(body['error_description']), /^[ !#-[\]-~]{10,}$/)
      assert.match(String(body['error_uri']), /^http/)
      assert.equal(typeof body['code'], 'number')
      assert.equal(typeof body['request_id'], 'string')
      assert.equal('error_code' in body, false, 'the word is in `error` already')
    })

  test('so is one to /oauth/revoke; a body in JSON too', async () => {
    const { body } = await refused({ ...grant, token: '' }, '/oauth/revoke')
    assert.equal(body['error'], 'invalid_request')
    const json = { client_id: harness.app.clientId, client_secret: harness.app.secret, code: 'x', ...grant }
    const inJson = await send(harness, 'POST', '/oauth/access_token', { json })
    assert.equal(inJson.body['error'], 'invalid_grant')
  })

  test('without grant_type `error` is a sentence, and the word is beside it', async () => {
    const { body } = await refused({ code: 'trc_x' })
    assert.match(String(body['error']), /^The code /)
    assert.deepEqual([body['error_code'], body['reason']], ['invalid_grant', 'code_invalid'])
    assert.equal(typeof body['error_description'], 'string')
  })
})

suite('refusals that standard clients understand', () => {
  const insecure = { [oauth.allowInsecureRequests]: true }

  test('oauth4webapi: a used code is invalid_grant', async () => {
    const issuer = new URL(harness.tributary.url)
    const discovery = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
    const server = await oauth.processDiscoveryResponse(issuer, discovery)
    const client: oauth.Client = { client_id: harness.app.clientId }
    const { verifier, query } = pkce()
    const back = await walk(harness.startUrl('demo-social', { ...query, state: 's' }), { person: 'ada' })
    const params = oauth.validateAuthResponse(server, client, back, 's')
    const exchange = async (secret: string) => {
      const proof = oauth.ClientSecretPost(secret)
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        proof,
        params,
        REDIRECT,
        verifier,
        insecure,
      )
      return oauth.processAuthorizationCodeResponse(server, client, response)
    }
    await exchange(harness.app.secret)
    await assert.rejects(
      exchange(harness.app.secret),
      (error) =>
        error instanceof oauth.ResponseBodyError &&
        error.error === 'invalid_grant' &&
        error.status === 400 &&
        (error.error_description ?? '').startsWith('The code '),
    )
    await assert.rejects(
      exchange('trs_wrong'),
      (error) => error instanceof oauth.WWWAuthenticateChallengeError && error.cause[0]?.scheme === 'basic',
    )
  })

  test('oauth4webapi: a revoked token is an invalid_token challenge', async () => {
    const token = await tokenOfPublicApp(await harness.makeApp({ name: 'Ended', isPublic: true }))
    await send(harness, 'POST', '/oauth/revoke', { form: { token } })
    const url = new URL(`${harness.tributary.url}/profiles`)
    await assert.rejects(
      oauth.protectedResourceRequest(token, 'GET', url, undefined, null, insecure),
      (error) =>
        error instanceof oauth.WWWAuthenticateChallengeError &&
        error.cause[0]?.scheme === 'bearer' &&
        error.cause[0].parameters.error === 'invalid_token',
    )
  })

  test('openid-client: a public client signs in, is refused in its own words, and revokes its token', {
    skip,
  }, async () => {
    const oidc = await loadCorePackage<OpenidClient>('openid-client')
    const app = await harness.makeApp({ name: 'Oidc', isPublic: true })
    const config = await oidc.discovery(new URL(harness.tributary.url), app.clientId, undefined, oidc.None(), {
      algorithm: 'oauth2',
      execute: [oidc.allowInsecureRequests],
    })
    const { verifier, query } = pkce()
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      service: 'demo-social',
      state: 's',
      ...query,
    })
    const checks = { pkceCodeVerifier: verifier, expectedState: 's' }
    const back = await walk(url.href, { person: 'ada' })
    const granted = await oidc.authorizationCodeGrant(config, back, checks)
    assert.equal((await get(harness, '/profiles', granted.access_token)).body['id'], granted['account'])
    await assert.rejects(oidc.authorizationCodeGrant(config, back, checks), {
      code: 'OAUTH_RESPONSE_BODY_ERROR',
      error: 'invalid_grant',
      status: 400,
    })
    const denied = await walk(url.href, { person: 'ben', decision: 'deny' })
    await assert.rejects(oidc.authorizationCodeGrant(config, denied, checks), {
      code: 'OAUTH_AUTHORIZATION_RESPONSE_ERROR',
      error: 'access_denied',
    })
    const elsewhere = new URL(back)
    elsewhere.searchParams.set('iss', 'https://elsewhere.test')
    await assert.rejects(oidc.authorizationCodeGrant(config, elsewhere, checks), (error: Error) =>
      /unexpected "iss"/.test(String(error.cause)),
    )
    const again = await oidc.authorizationCodeGrant(config, await walk(url.href, { person: 'ada' }), checks)
    await oidc.tokenRevocation(config, again.access_token)
    assert.equal((await get(harness, '/profiles', again.access_token)).status, 401)
  })

  test('passport-oauth2: a refused code is a TokenError with the code invalid_grant', { skip }, async () => {
    const { default: OAuth2Strategy } = await loadCorePackage<PassportPackage>('passport-oauth2')
    const strategy = new OAuth2Strategy(
      {
        authorizationURL: `${harness.tributary.url}/oauth/authorize`,
        tokenURL: `${harness.tributary.url}/oauth/access_token`,
        clientID: harness.app.clientId,
        clientSecret: harness.app.secret,
        callbackURL: REDIRECT,
      },
      () => {},
    )
    const failure = await new Promise<{ name: string; code: string; message: string }>((resolve) => {
      strategy.error = resolve
      strategy.authenticate({ query: { code: 'trc_x' }, body: {}, url: REDIRECT, headers: {}, connection: {} })
    })
    assert.equal(failure.name, 'TokenError')
    assert.equal(failure.code, 'invalid_grant')
    assert.match(failure.message, /^The code /)
  })
})

async function tokenOfPublicApp(app: LabApp): Promise<string> {
  const { verifier, query } = pkce()
  const code = await newCode(harness, 'demo-social', 'ada', query, app)
  const form = { client_id: app.clientId, code, code_verifier: verifier }
  return String((await send(harness, 'POST', '/oauth/access_token', { form })).body['access_token'])
}

interface OpenidClient {
  discovery: (server: URL, id: string, metadata: undefined, auth: unknown, options: object) => Promise<object>
  None: () => unknown
  allowInsecureRequests: unknown
  buildAuthorizationUrl: (config: object, parameters: Record<string, string>) => URL
  authorizationCodeGrant: (
    config: object,
    url: URL,
    checks: object,
  ) => Promise<{ access_token: string; [field: string]: unknown }>
  tokenRevocation: (config: object, token: string) => Promise<void>
}

interface PassportPackage {
  default: new (
    options: Record<string, unknown>,
    verify: () => void,
  ) => { error: (error: { name: string; code: string; message: string }) => void; authenticate(request: object): void }
}
