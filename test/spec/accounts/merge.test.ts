import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { basic } from '../../harness/app.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { get, send } from '../../harness/send.ts'
import { signIn } from '../../harness/sign-in.ts'
import { assertRefused, auditOf, entryOf, nativeId, serviceToken, startQuietHarness } from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const merge = (source: string, dest: string) => send(harness, 'POST', '/auth/merge', { form: { source, dest } })
const apply = async (app: LabApp, service: 'demo-social' | 'demo-health', person: string) => {
  const token = await serviceToken(harness, service, person, app)
  const form = { client_id: app.clientId, client_secret: app.secret, token }
  const { body } = await send(harness, 'POST', `/auth/${service}/apply`, { form })
  return { ...(body as { access_token: string; account: string }), token }
}

suite('/auth/merge', () => {
  test('GET moves all profiles; the source and its tokens end; the response is /profiles of dest', async () => {
    const app = await harness.makeApp()
    const ada = await signIn(harness, 'demo-social', 'ada', {}, app)
    const more = await signIn(harness, 'demo-micro', 'ada', { access_token: ada.access_token }, app)
    const ben = await signIn(harness, 'demo-health', 'ben', {}, app)
    const query = { source: ada.access_token, dest: ben.access_token }
    const merged = await send(harness, 'GET', '/auth/merge', { query })
    assert.equal(merged.status, 200)
    assert.deepEqual(Object.keys(merged.body), ['id', 'demo-health', 'demo-micro', 'demo-social'])
    assert.equal(merged.body['id'], ben.account)
    assert.deepEqual((await get(harness, '/profiles', ben.access_token)).body, merged.body)
    for (const { access_token: token } of [ada, more])
      assertRefused(await send(harness, 'GET', '/profiles', { token }), 401, 'token_invalid')
    const shown = await send(harness, 'GET', `/accounts/${ada.account}`, { headers: basic(app) })
    assertRefused(shown, 404, 'not_found')
    const entry = (await auditOf(harness, 'account.merge')).at(-1)
    assert.equal(entry?.account_id, ben.account)
    assert.equal(entry?.detail['source'], ada.account)
    assert.equal((entry.detail['profiles'] as string[]).length, 2)
  })

  test('writes no item, however many there are', async () => {
    const app = await harness.makeApp()
    const [ada, ben] = [
      await signIn(harness, 'demo-social', 'ada', {}, app),
      await signIn(harness, 'demo-social', 'ben', {}, app),
    ]
    const json = Array.from({ length: 300 }, (_, i) => ({ id: `n${i}`, at: i }))
    await send(harness, 'POST', '/services/self/notes', { token: ada.access_token, json })
    const versions = () => harness.sql('select id, xmin::text, ctid::text from item order by id, ctid')
    const before = await versions()
    assert.ok(before.length >= json.length)
    const form = { source: ada.access_token, dest: ben.access_token }
    assert.equal((await send(harness, 'POST', '/auth/merge', { form })).status, 200)
    assert.deepEqual(await versions(), before)
    const { text } = await get(harness, '/services/self/notes?limit=1000', ben.access_token)
    assert.equal((JSON.parse(text) as object[]).length, json.length)
  })

  test('POST with a form or JSON does the same', async () => {
    const app = await harness.makeApp()
    for (const kind of ['form', 'json'] as const) {
      const [ada, ben] = [
        await signIn(harness, 'demo-social', 'ada', {}, app),
        await signIn(harness, 'demo-health', 'ben', {}, app),
      ]
      const fields = { source: ada.access_token, dest: ben.access_token }
      assert.equal((await send(harness, 'POST', '/auth/merge', { [kind]: fields })).status, 200)
      await send(harness, 'DELETE', '/profiles', { token: ben.access_token })
    }
  })

  test('moved profiles keep their tokens and their state, and can be disconnected', async () => {
    const app = await harness.makeApp()
    const ada = await apply(app, 'demo-social', 'ada')
    const ben = await signIn(harness, 'demo-health', 'ben', {}, app)
    await merge(ada.access_token, ben.access_token)
    const query = { auth: 'true', access_token: ben.access_token }
    const { body } = await send(harness, 'GET', '/profiles', { query, headers: basic(app) })
    assert.equal(entryOf(body, 'demo-social').auth.token, ada.token)
    assert.equal(entryOf(body, 'demo-social')['state'], 'active')
    const response = await send(harness, 'DELETE', '/profiles/demo-social', { token: ben.access_token })
    assert.equal((response.body['deleted'] as { service_token: string }[])[0]?.service_token, 'revoked')
  })

  for (const newer of ['source', 'dest'] as const) {
    test(`a profile in both accounts: one remains, with the newer token (of ${newer})`, async () => {
      const app = await harness.makeApp()
      const older = await apply(app, 'demo-social', 'ada')
      const later = await apply(app, 'demo-social', 'ada')
      const [source, dest] = newer === 'source' ? [later, older] : [older, later]
      assert.notEqual(source.token, dest.token)
      const merged = await merge(source.access_token, dest.access_token)
      assert.deepEqual(merged.body, { id: dest.account, 'demo-social': [nativeId(harness, 'demo-social', 'ada')] })
      const query = { auth: 'true', access_token: dest.access_token }
      const { body } = await send(harness, 'GET', '/profiles', { query, headers: basic(app) })
      assert.equal(entryOf(body, 'demo-social').auth.token, later.token)
      const rows = await harness.sql<{ merged_into: string | null }>(
        'select merged_into from profile where account_id = $1',
        [dest.account],
      )
      assert.equal(rows.filter(({ merged_into: into }) => into === null).length, 1)
      assert.equal(rows.length, 2, 'the other keeps its items')
      const credentials = await harness.sql(
        'select 1 from credential c join profile p on p.shard = c.shard and p.id = c.profile_id where p.account_id = $1',
        [dest.account],
      )
      assert.equal(credentials.length, 1)
    })
  }

  test('refuses another app, the same account, and an invalid token', async () => {
    const app = await harness.makeApp()
    const ada = await signIn(harness, 'demo-social', 'ada', {}, app)
    const again = await signIn(harness, 'demo-social', 'ada', {}, app)
    const foreign = await signIn(harness, 'demo-social', 'ada', {}, await harness.makeApp())
    assertRefused(await merge(ada.access_token, foreign.access_token), 403, 'other_app')
    assertRefused(await merge(ada.access_token, again.access_token), 400, 'same_account')
    assertRefused(await merge(ada.access_token, ada.access_token), 400, 'same_account')
    for (const [source, dest, name] of [
      ['nonsense', ada.access_token, 'source'],
      [ada.access_token, 'nonsense', 'dest'],
    ] as const) {
      const response = await merge(source, dest)
      assertRefused(response, 401, 'token_invalid')
      assert.match(String(response.body['error']), new RegExp(`^${name}: `))
    }
    for (const query of [{ source: ada.access_token }, { dest: ada.access_token }, {}])
      assertRefused(await send(harness, 'GET', '/auth/merge', { query }), 400, 'bad_parameter')
    assert.deepEqual(Object.keys((await get(harness, '/profiles', ada.access_token)).body), ['id', 'demo-social'])
    assert.equal((await get(harness, '/profiles', foreign.access_token)).status, 200)
  })

  test('an empty account can be merged either way', async () => {
    const app = await harness.makeApp()
    const [ada, ben] = [
      await signIn(harness, 'demo-social', 'ada', {}, app),
      await signIn(harness, 'demo-social', 'ben', {}, app),
    ]
    await send(harness, 'DELETE', '/profiles/demo-social', { token: ada.access_token })
    const merged = await merge(ben.access_token, ada.access_token)
    assert.deepEqual(merged.body, { id: ada.account, 'demo-social': [nativeId(harness, 'demo-social', 'ben')] })
  })
})
