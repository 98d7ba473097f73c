import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { basic } from '../../harness/app.ts'
import { callbackOf } from '../../harness/callback.ts'
import { freePort } from '../../harness/free-port.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { LOOPBACK_TYPED } from '../../harness/loopback.ts'
import { ageCredentials } from '../../harness/profiles.ts'
import { send } from '../../harness/send.ts'
import { type Granted, redeem } from '../../harness/sign-in.ts'
import { type BlueskyAccount, blueskyMissing, type RunningBluesky, startBluesky } from '../../real/bluesky.ts'
import { entryOf, startQuietHarness } from './fixture.ts'
import { finishReal, walkReal } from './real-walk.ts'

const skip = await blueskyMissing()

suite('sign-in at a real Bluesky data server', { skip }, () => {
  let harness: LabHarness
  let network: RunningBluesky
  let alice: BlueskyAccount
  before(async () => {
    // Native clients of this network return to a numeric loopback address.
    const port = String(await freePort())
    harness = await startQuietHarness({ ...LOOPBACK_TYPED, PORT: port, BASE_URL: `http://127.0.0.1:${port}` })
    network = await startBluesky()
    process.env['TEST_PLC_URL'] = network.plcUrl
    alice = await network.createAccount('alice.test')
    const overrides = { base_url: network.pdsUrl }
    const query = {
      redirect_uri: callbackOf(harness.tributary, harness.app, 'bluesky', overrides),
      scope: 'atproto transition:generic',
    }
    const key = `http://localhost?${new URLSearchParams(query).toString()}`
    const set = await harness.tributary.admin('PUT', `/admin/apps/${harness.app.clientId}/keys/bluesky`, {
      key,
      secret: '',
      overrides,
    })
    assert.equal(set.status, 200, JSON.stringify(set.body))
  })
  after(async () => {
    await harness.stop()
    await network.close()
    delete process.env['TEST_PLC_URL']
  })

  const walk = (person: { deny?: boolean } = {}, query: Record<string, string> = {}) =>
    walkReal(
      harness,
      'bluesky',
      (url) => network.authorize(url, { handle: alice.handle, password: alice.password, ...person }),
      query,
    )

  test('pushed request, proofs with nonces, and the identity as the account’s profile', async () => {
    const walked = await walk({}, { state: 's' })
    assert.deepEqual([...walked.authorizeUrl.searchParams.keys()].toSorted(), ['client_id', 'request_uri'])
    const back = await finishReal(walked)
    assert.equal(back.get('state'), 's')
    const response = await redeem(harness, back.get('code')!, { profile: 'last', full: 'true' })
    const granted = (await response.json()) as Granted & { profile: unknown }
    const entry = entryOf(granted.profile, 'bluesky')
    assert.deepEqual([entry['id'], entry['handle']], [encodeURIComponent(alice.did), 'alice.test'])
  })

  test('the token is refreshed with rotation and its own key, and revoked at the server', async () => {
    const back = await finishReal(await walk())
    const granted = (await (await redeem(harness, back.get('code')!)).json()) as Granted
    const current = async () => {
      const query = { auth: 'true', access_token: granted.access_token }
      return entryOf((await send(harness, 'GET', '/profiles', { query, headers: basic(harness.app) })).body, 'bluesky')
    }
    const first = await current()
    for (let round = 0; round < 2; round += 1) {
      await ageCredentials(harness.sql)
      const next = await current()
      assert.notEqual(next.auth.refresh_token, first.auth.refresh_token)
      assert.notEqual(next['state'], 'needs_auth')
    }
    assert.equal('dpopKey' in first.auth || 'dpop_key' in first.auth, false, 'the key of the proofs is not shown')
    const response = await send(harness, 'DELETE', '/profiles/bluesky', { token: granted.access_token })
    assert.equal((response.body['deleted'] as { service_token: string }[])[0]?.service_token, 'revoked')
  })

  test('an app without keys signs people in at the server that their DID leads to', async () => {
    const keyless = await harness.makeApp({ services: [] })
    const login = (url: string) => network.authorize(url, { handle: alice.handle, password: alice.password })
    const walked = await walkReal(harness, 'bluesky', login, { login_hint: alice.did }, keyless)
    assert.equal(walked.authorizeUrl.origin, network.pdsUrl)
    assert.match(walked.authorizeUrl.searchParams.get('client_id') ?? '', /^http:\/\/localhost\?/)
    const back = await finishReal(walked)
    const granted = (await (await redeem(harness, back.get('code')!, {}, keyless)).json()) as Granted
    const query = { auth: 'true', access_token: granted.access_token }
    const current = async () =>
      entryOf((await send(harness, 'GET', '/profiles', { query, headers: basic(keyless) })).body, 'bluesky')
    const first = await current()
    assert.equal(first['id'], encodeURIComponent(alice.did))
    await ageCredentials(harness.sql)
    assert.notEqual((await current()).auth.refresh_token, first.auth.refresh_token)
    const response = await send(harness, 'DELETE', '/profiles/bluesky', { token: granted.access_token })
    assert.equal((response.body['deleted'] as { service_token: string }[])[0]?.service_token, 'revoked')
  })

  test('a denial, a replay, and a wrong issuer are refused', async () => {
    assert.equal((await finishReal(await walk({ deny: true }))).get('error'), 'access_denied')
    const walked = await walk()
    await finishReal(walked)
    assert.equal((await walked.open(walked.callback)).status, 400)
    const forged = await finishReal(await walk(), (url) => url.searchParams.set('iss', 'https://elsewhere.example'))
    assert.equal(forged.get('error'), 'service_refused')
  })
})
