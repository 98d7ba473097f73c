import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { basic } from '../../harness/app.ts'
import { callbackOf } from '../../harness/callback.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { get, send } from '../../harness/send.ts'
import { type Granted, redeem } from '../../harness/sign-in.ts'
import { oauthlibMissing, type RunningOauthlibProvider, startOauthlibProvider } from '../../real/oauthlib-provider.ts'
import { assertRefused, entryOf, startQuietHarness } from './fixture.ts'
import { finishReal, walkReal } from './real-walk.ts'

const skip = await oauthlibMissing()

suite('sign-in at a service built on oauthlib', { skip }, () => {
  let harness: LabHarness
  let provider: RunningOauthlibProvider
  before(async () => {
    harness = await startQuietHarness()
    const callbacks = (url: string) => [callbackOf(harness.tributary, harness.app, 'oauthlib', { base_url: url })]
    provider = await startOauthlibProvider({ callbacks })
    await setKey(provider.consumerSecret)
  })
  after(async () => {
    await harness.stop()
    await provider.close()
  })

  const setKey = (secret: string) =>
    harness.tributary.admin('PUT', `/admin/apps/${harness.app.clientId}/keys/oauthlib`, {
      key: provider.consumerKey,
      secret,
      overrides: { base_url: provider.url },
    })
  const walk = (person: { deny?: boolean; user?: string } = {}, query: Record<string, string> = {}) =>
    walkReal(harness, 'oauthlib', (url) => provider.login(url, person), query)

  test('all three legs succeed', async () => {
    const walked = await walk({ user: 'bob' }, { state: 'a b' })
    assert.deepEqual([...walked.authorizeUrl.searchParams.keys()], ['oauth_token'])
    const back = await finishReal(walked)
    assert.equal(back.get('state'), 'a b')
    const response = await redeem(harness, back.get('code')!, { profile: 'last', auth: 'true' })
    const granted = (await response.json()) as Granted & { profile: unknown }
    const { auth, ...entry } = entryOf(granted.profile, 'oauthlib')
    assert.match(String(entry['id']), /bob/)
    const form = { token: auth.token, token_secret: auth.token_secret! }
    const applied = await send(harness, 'POST', '/auth/oauthlib/apply', { form, headers: basic(harness.app) })
    assert.equal(applied.body['profile'], entry['profile'])
    const erased = await send(harness, 'DELETE', '/profiles/oauthlib', { token: granted.access_token })
    assert.equal((erased.body['deleted'] as { service_token: string }[])[0]?.service_token, 'not_offered')
    assert.deepEqual((await get(harness, '/profiles', granted.access_token)).body, { id: granted.account })
    await provider.revoke(auth.token)
    assertRefused(
      await send(harness, 'POST', '/auth/oauthlib/apply', { form, headers: basic(harness.app) }),
      401,
      'service_refused',
    )
  })

  test('a denial reaches the app', async () => {
    assert.equal((await finishReal(await walk({ deny: true }, { state: 's' }))).get('error'), 'access_denied')
  })

  test('a changed verifier, a changed request token and a replay are refused', async () => {
    const wrong = await finishReal(await walk(), (url) => url.searchParams.set('oauth_verifier', 'guess'))
    assert.equal(wrong.get('error'), 'service_refused')
    const missing = await finishReal(await walk(), (url) => url.searchParams.delete('oauth_verifier'))
    assert.equal(missing.get('error'), 'service_refused')
    const [one, two] = [await walk(), await walk()]
    const crossed = new URL(one.callback)
    crossed.searchParams.set('oauth_token', two.callback.searchParams.get('oauth_token')!)
    assert.equal((await one.open(crossed)).status, 400)
    const used = await walk()
    await finishReal(used)
    assert.equal((await used.open(used.callback)).status, 400)
  })

  test('a wrong app secret is reported at once', async () => {
    await setKey('wrong')
    const response = await fetch(harness.startUrl('oauthlib', { state: 's' }), { redirect: 'manual' })
    assert.match(
      response.headers.get('location') ?? '',
      /\?error=service_refused&error_description=[^&]+&error_uri=[^&]+&state=s&iss=[^&]+$/,
    )
    await setKey(provider.consumerSecret)
    await finishReal(await walk())
  })
})
