import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Fault } from '../../../lab/base/faults.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { countProfiles } from '../../harness/profiles.ts'
import { get, send } from '../../harness/send.ts'
import { newCode, redeem, signIn } from '../../harness/sign-in.ts'
import { until } from '../../harness/until.ts'
import { assertRefused, auditOf, entryOf, nativeId, startQuietHarness, tokensFor } from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const remove = (token: string, profile?: string) =>
  send(harness, 'DELETE', profile === undefined ? '/profiles' : `/profiles/${profile}`, { token })
const worksAt = async (service: 'demo-social' | 'demo-health', token: string) =>
  (
    await fetch(`${harness.lab.services[service].url}/api/${service === 'demo-social' ? 'me' : 'profile'}`, {
      headers: { authorization: `Bearer ${token}` },
    })
  ).status === 200
const left = () =>
  harness.sql<{ n: number }>(
    'select (select count(*) from profile)::int + (select count(*) from credential)::int + (select count(*) from service_user)::int as n',
  )

suite('DELETE /profiles/:id', () => {
  test('erases the profile, and the service revokes the token', async () => {
    const response = await redeem(harness, await newCode(harness, 'demo-social', 'ada'), {
      profile: 'last',
      auth: 'true',
    })
    const granted = (await response.json()) as { access_token: string; account: string; profile: unknown }
    const { auth } = entryOf(granted.profile, 'demo-social')
    assert.ok(await worksAt('demo-social', auth.token))
    const { requests } = harness.lab.services['demo-social']
    requests.clear()
    const profile = `${nativeId(harness, 'demo-social', 'ada')}@demo-social`
    const erased = await remove(granted.access_token, 'demo-social')
    assert.deepEqual(erased.body, { deleted: [{ profile, erased: true, service_token: 'revoked' }] })
    const hints = requests.to('/oauth/revoke').map(({ body }) => new URLSearchParams(body).get('token'))
    assert.deepEqual(hints, [auth.refresh_token, auth.token])
    assert.equal(await worksAt('demo-social', auth.token), false)
    assert.deepEqual(await left(), [{ n: 0 }])
    assert.deepEqual((await get(harness, '/profiles', granted.access_token)).body, { id: granted.account })
    const [entry] = await auditOf(harness, 'profile.disconnect')
    assert.deepEqual(entry?.detail, { profile })
  })

  test('only erases the profile that was named exactly', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    await signIn(harness, 'demo-social', 'ben', { access_token: ada.access_token })
    await signIn(harness, 'demo-health', 'ada', { access_token: ada.access_token })
    for (const name of ['demo', 'social', 'demo-micro', `9${nativeId(harness, 'demo-social', 'ada')}@demo-social`])
      assertRefused(await remove(ada.access_token, name), 404, 'no_profile')
    const one = await remove(ada.access_token, `${nativeId(harness, 'demo-social', 'ben')}@demo-social`)
    assert.equal((one.body['deleted'] as unknown[]).length, 1)
    const { body } = await get(harness, '/profiles', ada.access_token)
    assert.deepEqual(body['demo-social'], [nativeId(harness, 'demo-social', 'ada')])
    assert.ok('demo-health' in body)
    await remove(ada.access_token)
  })

  test('a service name erases all its profiles', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    await signIn(harness, 'demo-social', 'ben', { access_token: ada.access_token })
    assert.equal(((await remove(ada.access_token, 'demo-social')).body['deleted'] as unknown[]).length, 2)
    assertRefused(await remove(ada.access_token, 'demo-social'), 404, 'no_profile')
  })

  test('OAuth 1 tokens are revoked where the service has an endpoint for it', async () => {
    const ada = await signIn(harness, 'demo-micro', 'ada')
    const response = await remove(ada.access_token, 'demo-micro')
    assert.equal((response.body['deleted'] as { service_token: string }[])[0]?.service_token, 'revoked')
    assert.equal(harness.lab.services['demo-micro'].requests.count('/oauth/revoke'), 1)
  })

  const failures: [string, Partial<Fault> & Pick<Fault, 'kind'>][] = [
    ['returns 503', { kind: 'status', status: 503 }],
    ['resets the connection', { kind: 'reset' }],
    ['returns a page', { kind: 'html' }],
  ]
  for (const [what, fault] of failures) {
    test(`a service that ${what} is reported, and the profile is erased anyway`, async () => {
      const ada = await signIn(harness, 'demo-social', 'ada')
      harness.lab.services['demo-social'].faults.add({ path: '/oauth/revoke', times: 0, ...fault } as Fault)
      const response = await remove(ada.access_token, 'demo-social')
      harness.lab.services['demo-social'].faults.clear()
      const outcome = (response.body['deleted'] as { service_token: string }[])[0]?.service_token
      assert.equal(outcome, fault.kind === 'html' ? 'revoked' : 'unreachable')
      assert.deepEqual(await left(), [{ n: 0 }])
    })
  }

  test('without service keys: the profile is erased, and the response says that the token was not revoked', async () => {
    const app = await harness.makeApp()
    const ada = await signIn(harness, 'demo-social', 'ada', {}, app)
    await harness.tributary.admin('DELETE', `/admin/apps/${app.clientId}/keys/demo-social`)
    const response = await remove(ada.access_token, 'demo-social')
    assert.equal((response.body['deleted'] as { service_token: string }[])[0]?.service_token, 'unreachable')
  })
})

suite('DELETE /profiles', () => {
  test('erases the whole account: profiles, tokens at the services, all access tokens', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const again = await signIn(harness, 'demo-health', 'ada', { access_token: ada.access_token })
    const response = await remove(again.access_token)
    const outcomes = response.body['deleted'] as { profile: string; service_token: string }[]
    assert.deepEqual(
      outcomes.map(({ service_token: outcome }) => outcome),
      ['revoked', 'revoked'],
    )
    for (const { access_token: token } of [ada, again])
      assertRefused(await send(harness, 'GET', '/profiles', { token }), 401, 'token_invalid')
    assert.deepEqual(await harness.sql('select 1 from account where id = $1', [ada.account]), [])
    assert.equal((await auditOf(harness, 'account.delete')).at(-1)?.account_id, ada.account)
    assert.notEqual((await signIn(harness, 'demo-social', 'ada')).account, ada.account)
  })

  test('also erases profiles that were merged into others, along a chain', async () => {
    const app = await harness.makeApp()
    const enter = async () => {
      const form = {
        client_id: app.clientId,
        client_secret: app.secret,
        token: (await tokensFor(harness, 'demo-social', 'esra', app)).token,
      }
      return (await send(harness, 'POST', '/auth/demo-social/apply', { form })).body as {
        access_token: string
        account: string
      }
    }
    const [a, b, c] = [await enter(), await enter(), await enter()]
    for (const [source, dest] of [
      [a, b],
      [b, c],
    ] as const)
      assert.equal(
        (await send(harness, 'POST', '/auth/merge', { form: { source: source.access_token, dest: dest.access_token } }))
          .status,
        200,
      )
    assert.equal(await countProfiles(harness.sql, { account: c.account }), 3)
    await remove(c.access_token, 'demo-social')
    assert.equal(await countProfiles(harness.sql, { account: c.account }), 0)
  })

  test('a second call returns 401', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    await remove(ada.access_token)
    assertRefused(await remove(ada.access_token), 401, 'token_invalid')
  })

  test('a link during the erasure leaves nothing behind', async () => {
    const app = await harness.makeApp()
    for (let round = 0; round < 4; round += 1) {
      const ada = await signIn(harness, 'demo-social', 'ada', {}, app)
      const code = await newCode(harness, 'demo-health', 'ada', { access_token: ada.access_token }, app)
      const [response, linked] = await Promise.all([remove(ada.access_token), redeem(harness, code, {}, app)])
      assert.equal(response.status, 200)
      assert.ok([200, 400].includes(linked.status))
      assert.equal(await countProfiles(harness.sql, { app: app.clientId }), 0)
    }
  })
})

test('a service that hangs does not delay the erasure for long, and the response says so', async () => {
  const ada = await signIn(harness, 'demo-social', 'ada')
  const social = harness.lab.services['demo-social']
  social.faults.add({ path: '/oauth/revoke', kind: 'hang', times: 0 })
  social.requests.clear()
  const pending = remove(ada.access_token, 'demo-social')
  await until('the service is called', () => social.requests.count('/oauth/revoke') > 0)
  assert.deepEqual(
    (await get(harness, '/profiles', ada.access_token)).body,
    { id: ada.account },
    'erased while the service hangs',
  )
  await social.close()
  assert.equal(((await pending).body['deleted'] as { service_token: string }[])[0]?.service_token, 'unreachable')
})
