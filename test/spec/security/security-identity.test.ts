import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { basic } from '../../harness/app.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { LOOPBACK_TYPED } from '../../harness/loopback.ts'
import { ageCredentials } from '../../harness/profiles.ts'
import { get, send } from '../../harness/send.ts'
import { type Granted, redeem } from '../../harness/sign-in.ts'
import { type AtprotoNetwork, startAtproto } from '../../hostile/servers/atproto.ts'
import { assertRefused, entryOf, startQuietHarness } from '../sign-in/fixture.ts'
import { finishReal, walkReal } from '../sign-in/real-walk.ts'

const VICTIM = 'did:plc:victim'
const ATTACKER = 'did:plc:attacker'

let harness: LabHarness
let network: AtprotoNetwork
before(async () => {
  harness = await startQuietHarness(LOOPBACK_TYPED)
  network = await startAtproto()
  process.env['TEST_PLC_URL'] = network.plcUrl
  const key = { key: 'http://localhost', secret: '', overrides: { base_url: network.url } }
  await harness.tributary.admin('PUT', `/admin/apps/${harness.app.clientId}/keys/bluesky`, key)
})
after(async () => {
  await harness.stop()
  await network.close()
  delete process.env['TEST_PLC_URL']
})
beforeEach(() => {
  network.lies = { session: {}, trusts: {} }
  network.revoked.length = 0
  network.asked.length = 0
})

/** Walks the sign-in up to the redirect to the app. */
async function comeBack(did: string): Promise<URLSearchParams> {
  network.person = did
  const login = async (url: string) => (await fetch(url, { redirect: 'manual' })).headers.get('location')!
  return finishReal(await walkReal(harness, 'bluesky', login))
}

async function signIn(did: string): Promise<Granted> {
  return (await (await redeem(harness, (await comeBack(did)).get('code')!)).json()) as Granted
}

const stored = () =>
  harness.sql(
    `select 'consent' as what, native_id from consent union all select 'profile', native_id from profile
     union all select 'user', native_id from service_user order by 1, 2`,
  )
const reasonsLogged = () =>
  harness.tributary.logged.map((line) => (JSON.parse(line) as { reason?: string }).reason).filter(Boolean)

suite('S92 F1 nobody can sign in as somebody else', () => {
  test('a data server that names another person: refused, nothing stored, the token revoked', async () => {
    const victim = await signIn(VICTIM)
    const own = { items: [{ id: '1', data: { text: 'secret' } }] }
    await send(harness, 'POST', '/services/self/diary', { token: victim.access_token, json: own })
    const before = await stored()
    network.lies.session[ATTACKER] = VICTIM
    const back = await comeBack(ATTACKER)
    assert.deepEqual([back.get('error'), back.get('code')], ['service_refused', null])
    assert.deepEqual(await stored(), before)
    assert.equal(network.revoked.length, 2, 'refresh token and access token')
    assert.equal(reasonsLogged().at(-1), 'home_mismatch')
    assert.deepEqual((await get(harness, '/profiles', victim.access_token)).body['bluesky'], [
      encodeURIComponent(VICTIM),
    ])
  })

  test('a data server that does not trust the issuing server: refused, the token revoked', async () => {
    network.lies.trusts['did:plc:moved'] = `${network.url}/other`
    assert.equal((await comeBack('did:plc:moved')).get('error'), 'service_refused')
    assert.equal(network.revoked.length, 2)
  })

  test('a token response without a subject: refused, the token revoked', async () => {
    network.lies.withoutSub = true
    const before = await stored()
    assert.equal((await comeBack(ATTACKER)).get('error'), 'service_refused')
    assert.deepEqual(await stored(), before)
    assert.equal(network.revoked.length, 2)
  })

  test('honest people can still sign in', async () => {
    const attacker = await signIn(ATTACKER)
    const victim = await signIn(VICTIM)
    assert.notEqual(attacker.account, victim.account)
    assert.equal((await signIn(ATTACKER)).account, attacker.account)
  })
})

suite('S92 F1 a token that the app applies', () => {
  const apply = (did: string, given: object = {}) =>
    send(harness, 'POST', '/auth/bluesky/apply', {
      json: { token: network.sessionToken(did), ...given },
      headers: basic(harness.app),
    })

  test('is attached to the person whom the service names, if that person’s identity names the service too', async () => {
    const response = await apply('did:plc:carol')
    assert.equal(response.status, 200, response.text)
    assert.equal(response.body['profile'], `${encodeURIComponent('did:plc:carol')}@bluesky`)
  })

  test('is refused when the named person belongs to another service', async () => {
    network.lies.session['entryway'] = 'did:plc:dora'
    network.lies.trusts['did:plc:dora'] = `${network.url}/other`
    const before = await stored()
    assertRefused(await apply(ATTACKER), 401, 'service_refused')
    assert.deepEqual(await stored(), before)
  })

  test('is refused when only the server that came with it says so, and the person keeps their account', async () => {
    const victim = await signIn(VICTIM)
    const before = await stored()
    network.lies.session[ATTACKER] = VICTIM
    const instance = { api_url: `${network.url}/pds/${ATTACKER}/xrpc` }
    const refused = await apply(ATTACKER, { instance })
    const after = await stored()
    assert.equal((await signIn(VICTIM)).account, victim.account, 'a sign-in of the victim leads to the attacker')
    assertRefused(refused, 401, 'service_refused')
    assert.deepEqual(after, before)
  })

  test('has its app proved only at the authorization server that the issuer names', async () => {
    for (const name of ['token_url', 'revoke_url', 'authorize_url', 'access_token_url', 'request_token_url']) {
      const instance = { base_url: network.url, [name]: `${network.url}/evil/token` }
      const refused = await apply(ATTACKER, { token: undefined, refresh_token: 'r', instance })
      assert.equal(network.asked.includes('/evil/token'), false, name)
      assertRefused(refused, 400, 'bad_body')
    }
  })
})

suite('S92 F1 a refresh', () => {
  const credentialOf = async (did: string) =>
    (
      await harness.sql<{ sealed: Buffer; version: number }>(
        'select c.sealed, c.version from credential c join profile p on p.shard = c.shard and p.id = c.profile_id where p.native_id = $1',
        [did],
      )
    )[0]!
  const refreshed = async (did: string, tamper: (granted: Granted) => void) => {
    const granted = await signIn(did)
    await ageCredentials(harness.sql, 1000)
    const before = await credentialOf(did)
    tamper(granted)
    network.asked.length = 0
    network.revoked.length = 0
    const query = { auth: 'true', access_token: granted.access_token }
    const response = await send(harness, 'GET', '/profiles', { query, headers: basic(harness.app) })
    return { entry: entryOf(response.body, 'bluesky'), before, after: await credentialOf(did) }
  }

  for (const [what, did, sub] of [
    ['names somebody else', 'did:plc:first', VICTIM],
    ['names nobody', 'did:plc:second', null],
  ] as const) {
    test(`that ${what}: the profile becomes needs_auth, nothing is stored, the token is revoked`, async () => {
      const { entry, before, after } = await refreshed(did, () => {
        network.lies.refreshSub = sub
      })
      assert.equal(entry['state'], 'needs_auth')
      assert.equal(entry['error'], 'subject_changed')
      assert.deepEqual(after, before)
      assert.equal(network.asked.filter((path) => path === '/as/token').length, 1, 'one token request')
      assert.equal(network.revoked.length, 2)
      assert.notEqual((await signIn(did)).account, undefined)
    })
  }
})
