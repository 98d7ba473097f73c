import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { demoHealth } from '#connectors/demo-health/connector.ts'
import { demoSocial } from '#connectors/demo-social/connector.ts'
import type { OAuth2 } from '#kit/auth/auth.ts'
import { beginSignIn, finishSignIn } from '#upstream/sign-in.ts'
import { type Lab, startLab } from '../../lab/lab.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { CALLBACK, labKey, refusal, walk, withOptions } from './fixture.ts'

suite('OAuth 2 sign-in', () => {
  let lab: Lab<'demo-social' | 'demo-health'>
  let open: OpenUpstream
  before(async () => {
    lab = await startLab({ services: ['demo-social', 'demo-health'] })
    open = openUpstream(lab.clock)
  })
  after(async () => {
    await open.close()
    await lab.close()
  })
  beforeEach(() => {
    for (const service of Object.values(lab.services)) {
      service.faults.clear()
      service.requests.clear()
    }
  })

  const social = () => lab.services['demo-social']
  const socialWalk = (options: Partial<Parameters<typeof walk>[1]> = {}) =>
    walk(open.upstream, { connector: demoSocial, key: labKey(social()), ...options })

  test('returns the credential, the person and the unchanged record', async () => {
    const { back, params } = await socialWalk()
    assert.equal(params.get('state'), 'st')
    const { credential, self, raw } = await finishSignIn(open.upstream, back)
    assert.equal(self.id, '1576860000')
    assert.equal(self.handle, 'ada')
    assert.equal(self.email, 'ada@people.test')
    assert.equal(self.location, 'Lisbon')
    assert.equal(JSON.parse(raw).username, 'ada')
    assert.ok(credential.token && credential.refreshToken)
    assert.equal(credential.scope, 'profile email posts.read photos.read friends.read feed.read')
    const life = (credential.expiresAt ?? 0) - lab.clock.now()
    assert.ok(life > 3_590_000 && life <= 3_600_000, String(life))
  })

  test('has no secrets in the authorization URL and in the log', async () => {
    const { begun, back } = await socialWalk()
    const url = new URL(begun.url)
    assert.equal(url.searchParams.get('code_challenge_method'), 'S256')
    assert.equal(url.searchParams.get('code_challenge')?.length, 43)
    assert.equal(begun.url.includes(String(begun.secrets['verifier'])), false)
    const { credential } = await finishSignIn(open.upstream, back)
    const log = open.lines.join('')
    assert.match(log, /oauth\/token/)
    for (const secret of [credential.token, credential.refreshToken!, back.key.secret, back.params.get('code')!])
      assert.equal(log.includes(secret), false)
  })

  test('scope: the caller’s replaces the key’s, which replaces the default; commas or spaces', async () => {
    const key = { ...labKey(social()), scope: 'profile,posts.read' }
    const scopeOf = async (scope?: string) => {
      const input = { connector: demoSocial, key, callbackUrl: CALLBACK, state: 's', scope }
      return new URL((await beginSignIn(open.upstream, input)).url).searchParams.get('scope')
    }
    assert.equal(await scopeOf(), 'profile posts.read')
    assert.equal(await scopeOf('profile,  email profile'), 'profile email')
    const health = {
      connector: demoHealth,
      key: labKey(lab.services['demo-health']),
      callbackUrl: CALLBACK,
      state: 's',
    }
    const { url } = await beginSignIn(open.upstream, { ...health, scope: 'profile activity' })
    assert.equal(new URL(url).searchParams.get('scope'), 'profile,activity')
  })

  test('the granted scope is stored', async () => {
    const { back } = await socialWalk({ scope: 'profile email', permissions: ['profile'] })
    const { credential, self } = await finishSignIn(open.upstream, back)
    assert.equal(credential.scope, 'profile')
    assert.equal(self.email, undefined)
  })

  test('force_login requires the password again; an unknown flag changes nothing', async () => {
    const base = { connector: demoSocial, key: labKey(social()), callbackUrl: CALLBACK, state: 's' }
    const forced = await beginSignIn(open.upstream, { ...base, forceLogin: true, flag: 'constructor' })
    assert.equal(new URL(forced.url).searchParams.get('prompt'), 'login')
    const plain = await beginSignIn(open.upstream, base)
    assert.equal(new URL(plain.url).searchParams.has('prompt'), false)
  })

  test('a public client signs in without a secret', async () => {
    const { back } = await socialWalk({ key: labKey(social(), { secret: '' }) })
    assert.equal((await finishSignIn(open.upstream, back)).self.handle, 'ada')
  })

  test('a native id with an at sign stays unchanged', async () => {
    const { back } = await walk(open.upstream, { connector: demoHealth, key: labKey(lab.services['demo-health']) })
    const { credential, self } = await finishSignIn(open.upstream, back)
    assert.equal(self.id, 'ada@H01')
    assert.equal(credential.subject, 'ada@H01')
  })

  test('with a pushed request, the authorization URL has only a reference', async () => {
    const connector = withOptions<OAuth2>(demoSocial, { parUrl: 'https://demo-social.test/oauth/par' })
    const key = labKey(social(), { settings: { par: 'required' } })
    const { begun, back } = await socialWalk({ connector, key })
    assert.deepEqual([...new URL(begun.url).searchParams.keys()].sort(), ['client_id', 'request_uri'])
    assert.equal((await finishSignIn(open.upstream, back)).self.handle, 'ada')
  })

  test('a refused pushed request fails before the redirect', async () => {
    const connector = withOptions<OAuth2>(demoSocial, { parUrl: 'https://demo-social.test/oauth/par' })
    const key = { ...labKey(social()), secret: 'wrong' }
    const input = { connector, key, callbackUrl: CALLBACK, state: 's' }
    await refusal(beginSignIn(open.upstream, input), 'stop', 'keys_refused')
  })

  test('the person declines', async () => {
    const { back } = await socialWalk({ decision: 'deny' })
    await refusal(finishSignIn(open.upstream, back), 'stop', 'access_denied')
    assert.equal(social().requests.count('/oauth/token'), 0)
  })

  test('S03 a wrong issuer, and a missing one where it is announced, are refused before the code is used', async () => {
    for (const iss of ['wrong', 'off']) {
      const { back } = await socialWalk({ key: labKey(social(), { settings: { iss } }) })
      await refusal(finishSignIn(open.upstream, back), 'stop', 'issuer_mismatch')
    }
    const denied = await socialWalk({ decision: 'deny', key: labKey(social(), { settings: { iss: 'wrong' } }) })
    await refusal(finishSignIn(open.upstream, denied.back), 'stop', 'issuer_mismatch')
    assert.equal(social().requests.count('/oauth/token'), 0)
  })

  test('secrets of another service are refused', async () => {
    const { back } = await socialWalk()
    const secrets = { ...back.secrets, service: 'demo-health' }
    await refusal(finishSignIn(open.upstream, { ...back, secrets }), 'stop', 'issuer_mismatch')
  })

  test('a missing code and a repeated code are refused', async () => {
    const { back } = await socialWalk()
    const without = new URLSearchParams(back.params)
    without.delete('code')
    await refusal(finishSignIn(open.upstream, { ...back, params: without }), 'stop', 'code_missing')
    const twice = new URLSearchParams(back.params)
    twice.append('code', 'another')
    await refusal(finishSignIn(open.upstream, { ...back, params: twice }), 'stop', 'parameter_repeated')
  })

  test('a grant whose person cannot be read is revoked', async () => {
    const { back } = await socialWalk()
    social().faults.add({ path: '/api/me', kind: 'status', status: 503 })
    await refusal(finishSignIn(open.upstream, back), 'retry', 'service_failed')
    assert.deepEqual(
      social()
        .requests.to('/oauth/revoke')
        .map(({ status }) => status),
      [200, 200],
    )
  })

  test('a wrong verifier, a used code and wrong keys have different reasons', async () => {
    const wrong = (await socialWalk()).back
    const secrets = { ...wrong.secrets, verifier: 'x'.repeat(43) }
    await refusal(finishSignIn(open.upstream, { ...wrong, secrets }), 'reauthorize', 'grant_refused')

    const { back } = await socialWalk()
    await finishSignIn(open.upstream, back)
    await refusal(finishSignIn(open.upstream, back), 'reauthorize', 'grant_refused')

    const other = (await socialWalk()).back
    const key = { ...other.key, secret: 'not the secret' }
    const error = await refusal(finishSignIn(open.upstream, { ...other, key }), 'stop', 'keys_refused')
    assert.equal(error.message.includes('not the secret'), false)
  })
})
