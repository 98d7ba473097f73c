import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import type { LabHarness } from '../../harness/lab.ts'
import { get } from '../../harness/send.ts'
import { newBrowser, REDIRECT } from '../../harness/sign-in.ts'
import { loadCorePackage, packagesMissing } from '../../real/packages.ts'
import { nativeId, startQuietHarness } from './fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

suite('oauth4webapi accepts the service as a standard OAuth 2 server', () => {
  const insecure = { [oauth.allowInsecureRequests]: true }

  async function discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(harness.tributary.url)
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
    return oauth.processDiscoveryResponse(issuer, response)
  }

  for (const [name, auth] of Object.entries({
    client_secret_post: (secret: string) => oauth.ClientSecretPost(secret),
    client_secret_basic: (secret: string) => oauth.ClientSecretBasic(secret),
  })) {
    test(`discovery, PKCE, ${name}, token, revocation`, async () => {
      const server = await discover()
      const client: oauth.Client = { client_id: harness.app.clientId }
      const verifier = oauth.generateRandomCodeVerifier()
      const state = oauth.generateRandomState()
      const url = new URL(server.authorization_endpoint!)
      url.search = new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: REDIRECT,
        response_type: 'code',
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        service: 'demo-social',
      }).toString()
      const page = await newBrowser().walk(url.href, { person: 'ada' })
      const params = oauth.validateAuthResponse(server, client, new URL(page.url), state)
      const proof = auth(harness.app.secret)
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        proof,
        params,
        REDIRECT,
        verifier,
        insecure,
      )
      const granted = await oauth.processAuthorizationCodeResponse(server, client, response)
      assert.equal(granted.token_type, 'bearer')
      const read = await oauth.protectedResourceRequest(
        granted.access_token,
        'GET',
        new URL(`${harness.tributary.url}/profiles`),
        undefined,
        null,
        insecure,
      )
      assert.deepEqual(((await read.json()) as Record<string, unknown>)['demo-social'], [
        nativeId(harness, 'demo-social', 'ada'),
      ])
      const revoked = await oauth.revocationRequest(server, client, proof, granted.access_token, insecure)
      await oauth.processRevocationResponse(revoked)
      assert.equal((await get(harness, '/profiles', granted.access_token)).status, 401)
    })
  }

  test('a denial is an error that the library understands', async () => {
    const server = await discover()
    const url = harness.startUrl('demo-social', { response_type: 'code', state: 'st' })
    const page = await newBrowser().walk(url, { person: 'ada', decision: 'deny' })
    assert.throws(
      () => oauth.validateAuthResponse(server, { client_id: harness.app.clientId }, new URL(page.url), 'st'),
      (error) => error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied',
    )
  })
})

interface Strategy {
  success: (user: unknown) => void
  fail: (challenge: unknown, status: number) => void
  redirect: (url: string) => void
  error: (error: Error) => void
  authenticate(request: object, options?: object): void
  authorizationParams(options: object): object
}
type Verify = (
  token: string,
  refresh: string | undefined,
  params: { account: string },
  person: object,
  done: (error: null, user: object) => void,
) => void
interface PassportPackage {
  default: new (options: Record<string, unknown>, verify: Verify) => Strategy
}

const skip = await packagesMissing('core')

test('passport-oauth2 logs a person in through the service', { skip }, async () => {
  const { default: OAuth2Strategy } = await loadCorePackage<PassportPackage>('passport-oauth2')
  const strategy = new OAuth2Strategy(
    {
      authorizationURL: `${harness.tributary.url}/oauth/authorize`,
      tokenURL: `${harness.tributary.url}/oauth/access_token`,
      clientID: harness.app.clientId,
      clientSecret: harness.app.secret,
      callbackURL: REDIRECT,
      state: true,
      pkce: true,
    },
    (token, _refresh, params, _person, done) => done(null, { token, account: params.account }),
  )
  strategy.authorizationParams = () => ({ service: 'demo-social' })
  const session = {}
  /** One request to the app, as Express and Passport would pass it to the strategy. */
  const run = (url: string) =>
    new Promise<{ redirect?: string; user?: unknown }>((resolve, reject) => {
      strategy.redirect = (to) => resolve({ redirect: to })
      strategy.success = (user) => resolve({ user })
      strategy.fail = (challenge, status) => reject(new Error(`failed ${status}: ${JSON.stringify(challenge)}`))
      strategy.error = reject
      const query = Object.fromEntries(new URL(url).searchParams)
      strategy.authenticate({ query, body: {}, url, session, headers: {}, connection: {} })
    })
  const started = await run('http://localhost:4999/login')
  const page = await newBrowser().walk(started.redirect!, { person: 'ben' })
  const { user } = await run(page.url)
  const { token, account } = user as { token: string; account: string }
  const { body } = await get(harness, '/profiles', token)
  assert.equal(body['id'], account)
  assert.deepEqual(body['demo-social'], [nativeId(harness, 'demo-social', 'ben')])
})
