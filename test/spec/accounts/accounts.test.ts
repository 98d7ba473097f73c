import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { shardIn } from '#platform/crypto/ids.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { countProfiles } from '../../harness/profiles.ts'
import { get, send } from '../../harness/send.ts'
import { newCode, redeem, signIn, walk } from '../../harness/sign-in.ts'
import { assertRefused, auditOf, nativeId, startQuietHarness, tokensFor } from '../sign-in/fixture.ts'

let harness: LabHarness
/** An app of its own per test, so that no test finds accounts of another. */
let app: LabApp
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const enter = (person: string, query: Record<string, string> = {}) => signIn(harness, 'demo-social', person, query, app)
const apply = async (person: string, query: Record<string, string> = {}) => {
  const form = { client_id: app.clientId, client_secret: app.secret, ...query }
  const { token } = await tokensFor(harness, 'demo-social', person, app)
  const response = await send(harness, 'POST', '/auth/demo-social/apply', { form: { ...form, token } })
  assert.equal(response.status, 200, response.text)
  return response.body as { access_token: string; account: string; profile: string }
}
const drop = (token: string, profile: string) => send(harness, 'DELETE', `/profiles/${profile}`, { token })

suite('linking with access_token', () => {
  test('adds the profile to the account of the token', async () => {
    app = await harness.makeApp()
    const ada = await enter('ada')
    const linked = await signIn(harness, 'demo-micro', 'ada', { access_token: ada.access_token }, app)
    assert.equal(linked.account, ada.account)
    assert.notEqual(linked.access_token, ada.access_token)
    for (const token of [ada.access_token, linked.access_token])
      assert.deepEqual(Object.keys((await get(harness, '/profiles', token)).body), ['id', 'demo-micro', 'demo-social'])
    const [entry] = (await auditOf(harness, 'profile.link')).filter(({ account_id: id }) => id === ada.account)
    assert.equal(entry?.detail['service'], 'demo-micro')
  })

  test('two people of one service can be in one account', async () => {
    app = await harness.makeApp()
    const ada = await enter('ada')
    await enter('ben', { access_token: ada.access_token })
    const { body } = await get(harness, '/profiles', ada.access_token)
    const ids = ['ada', 'ben'].map((person) => nativeId(harness, 'demo-social', person))
    assert.deepEqual((body['demo-social'] as string[]).toSorted(), ids.toSorted())
  })

  test('signing in the same person again adds no second profile', async () => {
    app = await harness.makeApp()
    const ada = await enter('ada')
    await enter('ada', { access_token: ada.access_token })
    assert.equal(((await get(harness, '/profiles', ada.access_token)).body['demo-social'] as string[]).length, 1)
  })

  test('the same service user in two accounts: each has its own profile and its own tokens', async () => {
    app = await harness.makeApp()
    const ben = await enter('ben')
    const ada = await enter('ada')
    const linked = await enter('ben', { access_token: ada.access_token })
    assert.equal(linked.account, ada.account)
    const rows = await harness.sql<{ account_id: string; id: string }>(
      'select account_id, id from profile where app_id = $1 and native_id = $2',
      [app.clientId, nativeId(harness, 'demo-social', 'ben')],
    )
    assert.deepEqual(rows.map(({ account_id: id }) => id).toSorted(), [ada.account, ben.account].toSorted())
    await drop(ada.access_token, `${nativeId(harness, 'demo-social', 'ben')}@demo-social`)
    assert.deepEqual(Object.keys((await get(harness, '/profiles', ben.access_token)).body), ['id', 'demo-social'])
  })

  test('when the token is revoked before the code is redeemed, nothing is linked', async () => {
    app = await harness.makeApp()
    const ada = await enter('ada')
    const code = await newCode(harness, 'demo-micro', 'ada', { access_token: ada.access_token }, app)
    assert.equal((await send(harness, 'DELETE', '/profiles', { token: ada.access_token })).status, 200)
    const response = await redeem(harness, code, {}, app)
    assertRefused(
      { status: response.status, body: (await response.json()) as Record<string, unknown> },
      400,
      'code_invalid',
    )
    assert.equal(await countProfiles(harness.sql, { app: app.clientId }), 0)
  })

  test('the token of a merged account is refused at once', async () => {
    app = await harness.makeApp()
    const [ada, ben] = [await enter('ada'), await enter('ben')]
    await send(harness, 'POST', '/auth/merge', { form: { source: ada.access_token, dest: ben.access_token } })
    const back = await walk(harness.startUrl('demo-micro', { access_token: ada.access_token }, app), { person: 'ada' })
    assert.equal(back.searchParams.get('error'), 'invalid_access_token')
  })
})

suite('the account that a sign-in finds', () => {
  test('is the one that used the service user last, by a link', async () => {
    app = await harness.makeApp()
    const ben = await enter('ben')
    const ada = await enter('ada')
    await enter('ben', { access_token: ada.access_token })
    assert.equal((await enter('ben')).account, ada.account)
    await enter('ben', { access_token: ben.access_token })
    assert.equal((await enter('ben')).account, ben.account)
  })

  test('is the one that used the service user last, by apply, which always creates an account', async () => {
    app = await harness.makeApp()
    const first = await enter('ben')
    const [one, two] = [await apply('ben'), await apply('ben')]
    assert.equal(new Set([first.account, one.account, two.account]).size, 3)
    assert.equal((await enter('ben')).account, two.account)
  })

  test('is the previous one after the last one disconnects', async () => {
    app = await harness.makeApp()
    const ben = await enter('ben')
    const ada = await enter('ada')
    await enter('ben', { access_token: ada.access_token })
    await drop(ada.access_token, `${nativeId(harness, 'demo-social', 'ben')}@demo-social`)
    assert.equal((await enter('ben')).account, ben.account)
  })

  test('is a new one when no account has the service user any more', async () => {
    app = await harness.makeApp()
    const ben = await enter('ben')
    await drop(ben.access_token, 'demo-social')
    const again = await enter('ben')
    assert.notEqual(again.account, ben.account)
    assert.deepEqual(
      (await get(harness, '/profiles', ben.access_token)).body,
      { id: ben.account },
      'the old one is empty',
    )
  })

  test('after a merge is the destination account', async () => {
    app = await harness.makeApp()
    const [ada, ben] = [await enter('ada'), await enter('ben')]
    await send(harness, 'POST', '/auth/merge', { form: { source: ben.access_token, dest: ada.access_token } })
    assert.equal((await enter('ben')).account, ada.account)
    assert.equal((await enter('ada')).account, ada.account)
  })

  test('does not change by a merge: the order of use stays', async () => {
    app = await harness.makeApp()
    const [ada, ben] = [await enter('ada'), await enter('ben')]
    const esra = await enter('esra')
    await enter('ben', { access_token: esra.access_token })
    await send(harness, 'POST', '/auth/merge', { form: { source: ben.access_token, dest: ada.access_token } })
    assert.equal((await enter('ben')).account, esra.account)
  })

  test('is never a deleted one', async () => {
    app = await harness.makeApp()
    const ada = await enter('ada')
    await send(harness, 'DELETE', '/profiles', { token: ada.access_token })
    assert.notEqual((await enter('ada')).account, ada.account)
  })

  test('a person signs in repeatedly while the account is being merged: no response is a 5xx', async () => {
    app = await harness.makeApp()
    for (let round = 0; round < 3; round += 1) {
      const [ada, ben] = [await enter('ada'), await enter('ben')]
      const codes = await Promise.all(
        Array.from({ length: 4 }, (_, i) => newCode(harness, 'demo-social', i % 2 === 0 ? 'ada' : 'ben', {}, app)),
      )
      const merge = { form: { source: ada.access_token, dest: ben.access_token } }
      const [merged, ...redeemed] = await Promise.all([
        send(harness, 'POST', '/auth/merge', merge),
        ...codes.map((code) => redeem(harness, code, {}, app)),
      ])
      assert.deepEqual([merged.status, ...redeemed.map(({ status }) => status)], [200, 200, 200, 200, 200])
      await send(harness, 'DELETE', '/profiles', { token: ben.access_token })
    }
  })
})

test('people of one app are in different shards', async () => {
  app = await harness.makeApp()
  const accounts = []
  for (const person of ['ada', 'ben', 'chloe', 'dmitri']) accounts.push((await enter(person)).account)
  // Chance puts all of them into one shard once in 10^9 runs.
  assert.ok(new Set(accounts.map(shardIn)).size > 1, accounts.join(', '))
})
