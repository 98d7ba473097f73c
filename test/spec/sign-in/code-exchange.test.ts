import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { basic } from '../../harness/app.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { get, send } from '../../harness/send.ts'
import { type Granted, newCode, REDIRECT, redeem, signIn } from '../../harness/sign-in.ts'
import { assertRefused, entryOf, nativeId, startQuietHarness } from './fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const exchange = async (fields: Record<string, string> = {}, person = 'ada') => {
  const response = await redeem(harness, await newCode(harness, 'demo-social', person), fields)
  assert.equal(response.status, 200)
  return (await response.json()) as Granted & { profile: Record<string, unknown> }
}

suite('POST /oauth/access_token', () => {
  test('returns access_token, account and token_type, and nothing else', async () => {
    const granted = await exchange()
    assert.deepEqual(Object.keys(granted), ['access_token', 'account', 'token_type'])
    assert.equal(granted['token_type'], 'bearer')
    assert.ok(granted.access_token.length < 255)
  })

  test('accepts a form, JSON, Basic, and the standard parameters', async () => {
    const { clientId, secret } = harness.app
    const ways = [
      (code: string) => ({ form: { client_id: clientId, client_secret: secret, code } }),
      (code: string) => ({ json: { client_id: clientId, client_secret: secret, code } }),
      (code: string) => ({ form: { code }, headers: basic(harness.app) }),
      (code: string) => ({ json: { code, client_id: clientId }, headers: basic(harness.app) }),
      (code: string) => ({
        form: { code, grant_type: 'authorization_code', redirect_uri: REDIRECT },
        headers: basic(harness.app),
      }),
    ]
    for (const way of ways) {
      const response = await send(
        harness,
        'POST',
        '/oauth/access_token',
        way(await newCode(harness, 'demo-social', 'ada')),
      )
      assert.equal(response.status, 200, response.text)
      assert.equal(response.headers.get('cache-control'), 'no-store')
    }
  })

  test('profile=all returns the /profiles object; profile=last only the profile just used', async () => {
    const first = await exchange({}, 'ben')
    const code = await newCode(harness, 'demo-micro', 'ben', { access_token: first.access_token })
    const all = (await (await redeem(harness, code, { profile: 'all' })).json()) as typeof first
    const { body } = await get(harness, '/profiles', all.access_token)
    assert.deepEqual(all.profile, body)
    assert.deepEqual(Object.keys(body), ['id', 'demo-micro', 'demo-social'])
    const last = await exchange({ profile: 'last' }, 'ben')
    assert.deepEqual(last.profile, { id: first.account, 'demo-social': [nativeId(harness, 'demo-social', 'ben')] })
  })

  test('auth=true adds working tokens of the service', async () => {
    const entry = entryOf((await exchange({ profile: 'last', auth: 'true' })).profile, 'demo-social')
    const me = await fetch(`${harness.lab.services['demo-social'].url}/api/me`, {
      headers: { authorization: `Bearer ${entry.auth.token}` },
    })
    assert.equal(((await me.json()) as { id: string }).id, nativeId(harness, 'demo-social', 'ada'))
    assert.match(entry.auth.refresh_token ?? '', /^rt-/)
    assert.ok((entry.auth.expires_at ?? 0) > Date.now())
    assert.match(entry.auth.scope ?? '', /profile/)
    assert.equal('data' in entry, false)
  })

  test('auth=true of an OAuth 1 service includes the token secret', async () => {
    const response = await redeem(harness, await newCode(harness, 'demo-micro', 'ada'), { profile: 'last', auth: '1' })
    const { auth } = entryOf(((await response.json()) as { profile: unknown }).profile, 'demo-micro')
    assert.equal(typeof auth.token_secret, 'string')
    assert.equal(typeof auth.token, 'string')
  })

  test("full=true adds the service's own record", async () => {
    const entry = entryOf((await exchange({ profile: 'all', full: 'yes' }, 'finn')).profile, 'demo-social')
    assert.equal((entry['data'] as { username: string }).username, 'finn')
    assert.equal(entry['state'], 'active')
    assert.equal('auth' in entry, false)
  })

  test('auth and full alone add nothing', async () => {
    assert.equal('profile' in (await exchange({ auth: 'true', full: 'true' })), false)
  })

  test('names missing and invalid parameters', async () => {
    const code = await newCode(harness, 'demo-social', 'ada')
    const whole = { client_id: harness.app.clientId, client_secret: harness.app.secret, code }
    for (const name of ['client_id', 'client_secret', 'code'] as const) {
      const { [name]: _, ...form } = whole
      const response = await send(harness, 'POST', '/oauth/access_token', { form })
      assertRefused(response, 400, 'bad_body')
      assert.equal(response.body['param'], name)
      assert.match(String(response.body['error']), new RegExp(`^${name}: is missing`))
    }
    for (const wrong of [{ profile: 'some' }, { auth: 'perhaps' }, { grant_type: 'password' }]) {
      const response = await send(harness, 'POST', '/oauth/access_token', { form: { ...whole, ...wrong } })
      assertRefused(response, 400, 'bad_body')
      assert.match(String(response.body['error_description']), new RegExp(`^${Object.keys(wrong)[0]}: `))
    }
    const other = await send(harness, 'POST', '/oauth/access_token', {
      form: { ...whole, client_id: 'app_other' },
      headers: basic(harness.app),
    })
    assertRefused(other, 400, 'bad_body')
    assert.equal((await redeem(harness, code)).status, 200, 'none of these used the code up')
  })

  test('a wrong secret does not consume the code', async () => {
    const code = await newCode(harness, 'demo-social', 'ada')
    const response = await redeem(harness, code, {}, { ...harness.app, secret: 'trs_wrong' })
    assert.equal(response.status, 401)
    assert.match(response.headers.get('www-authenticate') ?? '', /^Basic/)
    assert.equal((await redeem(harness, code)).status, 200)
  })

  test('both secrets of a rotation work until the old one expires', async () => {
    const app = await harness.makeApp()
    const rotated = await harness.tributary.admin('POST', `/admin/apps/${app.clientId}/rotate-secret`, {})
    const secret = (rotated.body as { client_secret: string }).client_secret
    for (const each of [app.secret, secret]) {
      const code = await newCode(harness, 'demo-social', 'ada', {}, app)
      assert.equal((await redeem(harness, code, {}, { ...app, secret: each })).status, 200)
    }
  })

  test('secrets in the query are refused', async () => {
    const code = await newCode(harness, 'demo-social', 'ada')
    const query = { client_id: harness.app.clientId, client_secret: harness.app.secret, code }
    assert.equal((await send(harness, 'POST', '/oauth/access_token', { query, form: {} })).status, 400)
    assert.equal((await send(harness, 'GET', '/oauth/access_token', { query })).status, 405)
  })
})

suite('POST /oauth/revoke (RFC 7009)', () => {
  const revoke = (form: Record<string, string>, headers = basic(harness.app)) =>
    send(harness, 'POST', '/oauth/revoke', { form, headers })

  test('revokes one token and leaves the others', async () => {
    const [one, two] = [await signIn(harness, 'demo-social', 'ada'), await signIn(harness, 'demo-social', 'ada')]
    const response = await revoke({ token: one.access_token, token_type_hint: 'access_token' })
    assert.deepEqual([response.status, response.body], [200, {}])
    assertRefused(await send(harness, 'GET', '/profiles', { token: one.access_token }), 401, 'token_invalid')
    assert.equal((await get(harness, '/profiles', two.access_token)).status, 200)
    assert.equal((await revoke({ token: one.access_token })).status, 200, 'a second revocation succeeds')
  })

  test('an unknown token returns 200; the token of another app is not revoked', async () => {
    assert.equal((await revoke({ token: 'anything' })).status, 200)
    const granted = await signIn(harness, 'demo-social', 'ada')
    const other = await harness.makeApp()
    assert.equal((await revoke({ token: granted.access_token }, basic(other))).status, 200)
    assert.equal((await get(harness, '/profiles', granted.access_token)).status, 200)
  })

  test('requires the secret and a token', async () => {
    const granted = await signIn(harness, 'demo-social', 'ada')
    const wrong = basic({ clientId: harness.app.clientId, secret: 'wrong' })
    assertRefused(await revoke({ token: granted.access_token }, wrong), 401, 'app_secret_invalid')
    assertRefused(await revoke({}), 400, 'bad_body')
    assert.equal((await get(harness, '/profiles', granted.access_token)).status, 200)
  })
})

test('the metadata (RFC 8414) names existing addresses', async () => {
  const { status, body } = await send(harness, 'GET', '/.well-known/oauth-authorization-server')
  assert.equal(status, 200)
  assert.equal(body['issuer'], harness.tributary.url)
  assert.deepEqual(body['code_challenge_methods_supported'], ['S256'])
  assert.deepEqual(body['response_types_supported'], ['code', 'token'])
  for (const name of ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint', 'service_documentation']) {
    const response = await fetch(body[name] as string, { redirect: 'manual' })
    assert.notEqual(response.status, 404, name)
    await response.body?.cancel()
  }
})
