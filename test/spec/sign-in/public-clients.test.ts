import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { basic } from '../../harness/app.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { get, type RequestOptions, send } from '../../harness/send.ts'
import { type Granted, newBrowser, newCode, signIn, startUrl, walk } from '../../harness/sign-in.ts'
import { assertRefused, auditOf, type Pkce, pkce, startQuietHarness } from './fixture.ts'

let harness: LabHarness
let app: LabApp
before(async () => {
  harness = await startQuietHarness()
  app = await harness.makeApp({ name: 'Page', isPublic: true })
})
after(() => harness.stop())

/** Signs a person in to the public app with PKCE; returns the code and its verifier. */
async function challengedCode(person = 'ada', query: Record<string, string> = {}, by = app) {
  const proof: Pkce = pkce()
  return {
    code: await newCode(harness, 'demo-social', person, { ...proof.query, ...query }, by),
    verifier: proof.verifier,
  }
}

const exchange = (options: RequestOptions) => send(harness, 'POST', '/oauth/access_token', options)

suite('a public app', () => {
  test('exchanges a code by PKCE, without its secret', async () => {
    const { code, verifier } = await challengedCode()
    const fields = { client_id: app.clientId, code, code_verifier: verifier }
    const response = await exchange({ form: fields })
    assert.equal(response.status, 200, response.text)
    const { access_token: token, account } = response.body as Granted
    assert.equal((await get(harness, '/profiles', token)).body['id'], account)
    // A second use is refused and revokes what the first gave, as for every app.
    assertRefused(await exchange({ form: fields }), 400, 'code_invalid')
    assert.equal((await get(harness, '/profiles', token)).status, 401)
  })

  test('is also recognised by Basic with an empty secret, and by JSON', async () => {
    const first = await challengedCode()
    const header = basic({ clientId: app.clientId, secret: '' })
    const byHeader = await exchange({ form: { code: first.code, code_verifier: first.verifier }, headers: header })
    assert.equal(byHeader.status, 200, byHeader.text)
    const second = await challengedCode()
    const json = { client_id: app.clientId, code: second.code, code_verifier: second.verifier }
    assert.equal((await exchange({ json })).status, 200)
  })

  test('S95 cannot start a sign-in without PKCE', async () => {
    const back = await walk(startUrl(harness, 'demo-social', { state: 's' }, app), { person: 'ada' })
    assert.equal(back.searchParams.get('error'), 'invalid_request')
    assert.equal(back.searchParams.get('state'), 's')
  })

  test('S95 needs the verifier of this sign-in: none, a wrong one and that of another code are refused', async () => {
    const other = await challengedCode()
    for (const code_verifier of [undefined, 'x'.repeat(43), other.verifier]) {
      const { code } = await challengedCode()
      const form = { client_id: app.clientId, code, ...(code_verifier === undefined ? {} : { code_verifier }) }
      assertRefused(await exchange({ form }), 400, 'code_invalid')
    }
  })

  test('a wrong secret is refused, although none is needed', async () => {
    const { code, verifier } = await challengedCode()
    const form = { client_id: app.clientId, client_secret: 'trs_wrong', code, code_verifier: verifier }
    assertRefused(await exchange({ form }), 401, 'app_secret_invalid')
    const right = await exchange({ form: { ...form, client_secret: app.secret, profile: 'last', auth: 'true' } })
    assert.equal(right.status, 200, right.text)
  })

  test('S95 gets no tokens of services without its secret, and the code stays usable', async () => {
    const { code, verifier } = await challengedCode()
    const form = { client_id: app.clientId, code, code_verifier: verifier }
    assertRefused(await exchange({ form: { ...form, profile: 'last', auth: 'true' } }), 401, 'app_secret_invalid')
    assert.equal((await exchange({ form })).status, 200)
  })

  test('S95 another public app cannot exchange its code', async () => {
    const stranger = await harness.makeApp({ name: 'Stranger', isPublic: true })
    const { code, verifier } = await challengedCode()
    const form = { client_id: stranger.clientId, code, code_verifier: verifier }
    assertRefused(await exchange({ form }), 400, 'code_invalid')
    assert.equal((await exchange({ form: { ...form, client_id: app.clientId } })).status, 200)
  })

  test('S95 a redirect that other programs can receive is confirmed by the person first', async () => {
    const url = startUrl(harness, 'demo-social', pkce().query, app)
    const page = await newBrowser().walk(url, { person: 'ben' })
    assert.equal(page.stopped, false)
    assert.match(page.title, /^Continue to Page\?$/)
    // A confidential app proves itself with its secret, so its people are not asked.
    const confidential = await newBrowser().walk(harness.startUrl('demo-social', pkce().query), { person: 'ben' })
    assert.equal(confidential.stopped, true)
  })

  test('an https redirect reaches the app’s own site only: no page in between', async () => {
    const redirect = 'https://page.test/back'
    const site = await harness.makeApp({ name: 'Site', redirectUris: [redirect], isPublic: true })
    const { createBrowser } = await import('../../../lab/browser.ts')
    const browser = createBrowser({ stopAt: (url) => url.startsWith(redirect) })
    const proof = pkce()
    const url = startUrl(harness, 'demo-social', { ...proof.query, redirect_uri: redirect }, site)
    const back = new URL((await browser.walk(url, { person: 'ben' })).url)
    const form = { client_id: site.clientId, code: back.searchParams.get('code')!, code_verifier: proof.verifier }
    assert.equal((await exchange({ form })).status, 200)
  })

  test('S95 made confidential again: the code of an open sign-in needs the secret', async () => {
    const changed = await harness.makeApp({ name: 'Changed', isPublic: true })
    const { code, verifier } = await challengedCode('ada', {}, changed)
    const path = `/admin/apps/${changed.clientId}`
    const { body } = await harness.tributary.admin('PATCH', path, { public: false })
    assert.equal((body as { public: boolean }).public, false)
    const form = { client_id: changed.clientId, code, code_verifier: verifier }
    assertRefused(await exchange({ form }), 400, 'bad_body')
    assert.equal((await exchange({ form: { ...form, client_secret: changed.secret } })).status, 200)
  })

  test('S95 made public: a code of a sign-in without PKCE needs the secret', async () => {
    const changed = await harness.makeApp({ name: 'Opened' })
    const code = await newCode(harness, 'demo-social', 'ada', {}, changed)
    await harness.tributary.admin('PATCH', `/admin/apps/${changed.clientId}`, { public: true })
    const form = { client_id: changed.clientId, code }
    assertRefused(await exchange({ form }), 400, 'code_invalid')
    assert.equal((await exchange({ form: { ...form, client_secret: changed.secret } })).status, 200)
  })
})

suite('a token revokes itself, without a secret', () => {
  const revoke = (form: Record<string, string>) => send(harness, 'POST', '/oauth/revoke', { form })

  test('of a public and of a confidential app; the others of the account keep working', async () => {
    const { code, verifier } = await challengedCode('chloe')
    const granted = await exchange({ form: { client_id: app.clientId, code, code_verifier: verifier } })
    const { access_token: first } = granted.body as Granted
    assert.equal((await revoke({ token: first, client_id: app.clientId })).status, 200)
    assert.equal((await get(harness, '/profiles', first)).status, 401)

    const older = await signIn(harness, 'demo-social', 'chloe')
    const newer = await signIn(harness, 'demo-social', 'chloe')
    assert.equal((await revoke({ token: newer.access_token })).status, 200)
    assert.equal((await get(harness, '/profiles', newer.access_token)).status, 401)
    assert.equal((await get(harness, '/profiles', older.access_token)).status, 200)
    assert.equal((await auditOf(harness, 'token.revoke')).at(-1)?.actor, 'token')
  })

  test('an unknown token, a revoked one and one of another app get the same response', async () => {
    const { access_token: token } = await signIn(harness, 'demo-social', 'ada')
    const foreign = await revoke({ token, client_id: app.clientId })
    const unknown = await revoke({ token: token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')) })
    assert.equal((await get(harness, '/profiles', token)).status, 200)
    const own = await revoke({ token })
    const again = await revoke({ token })
    for (const { status, text } of [foreign, unknown, own, again]) assert.deepEqual([status, text], [200, '{}'])
  })

  test('a wrong secret beside it is refused', async () => {
    const { access_token: token } = await signIn(harness, 'demo-social', 'ada')
    const { clientId } = harness.app
    assertRefused(await revoke({ token, client_id: clientId, client_secret: 'no' }), 401, 'app_secret_invalid')
    assert.equal((await get(harness, '/profiles', token)).status, 200)
  })
})

suite('the issuer on redirects (RFC 9207)', () => {
  test('is the base address: with a code, with a token and with an error', async () => {
    const iss = harness.tributary.url
    const { body } = await send(harness, 'GET', '/.well-known/oauth-authorization-server')
    assert.equal(body['authorization_response_iss_parameter_supported'], true)
    assert.equal(body['issuer'], iss)
    const code = await walk(harness.startUrl('demo-social'), { person: 'ada' })
    assert.equal(code.searchParams.get('iss'), iss)
    const token = await walk(harness.startUrl('demo-social', { response_type: 'token' }), { person: 'ada' })
    assert.equal(new URLSearchParams(token.hash.slice(1)).get('iss'), iss)
    const denied = await walk(harness.startUrl('demo-social'), { person: 'ada', decision: 'deny' })
    assert.equal(denied.searchParams.get('iss'), iss)
    const wrong = await walk(harness.startUrl('nowhere'), { person: 'ada' })
    assert.equal(wrong.searchParams.get('iss'), iss)
  })
})
