import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { basic } from '../../harness/app.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import { send } from '../../harness/send.ts'
import { type Granted, signIn } from '../../harness/sign-in.ts'
import { auditOf, CONNECTORS, entryOf, startQuietHarness } from '../sign-in/fixture.ts'

let harness: LabHarness
let app: LabApp
before(async () => {
  harness = await startQuietHarness()
  app = harness.app
})
after(() => harness.stop())

const social = () => harness.lab.services['demo-social']
const current = async (granted: Granted, service = 'demo-social') => {
  const query = { auth: 'true', access_token: granted.access_token }
  const response = await send(harness, 'GET', '/profiles', { query, headers: basic(app) })
  assert.equal(response.status, 200)
  return entryOf(response.body, service)
}
const refreshes = (service: 'demo-social' | 'demo-health' = 'demo-social') =>
  harness.lab.services[service].requests
    .to('/oauth/token')
    .filter(({ body }) => body.includes('grant_type=refresh_token')).length

/** As if all tokens had been issued an hour ago, for an hour. */
const age = () =>
  harness.sql('update credential set updated_at = $1, expires_at = $2', [Date.now() - 3_540_000, Date.now() + 60_000])

async function nearItsEnd(person: string, service: 'demo-social' | 'demo-health' = 'demo-social'): Promise<Granted> {
  harness.lab.services[service].configure({ accessTtlSeconds: 3600 })
  const granted = await signIn(harness, service, person)
  await age()
  harness.lab.services[service].requests.clear()
  return granted
}

suite('a token that is about to expire', () => {
  test('is refreshed in advance, once, and the rotated refresh token is stored', async () => {
    const ada = await nearItsEnd('ada')
    const first = await current(ada)
    assert.equal(refreshes(), 1)
    assert.ok((first.auth.expires_at ?? 0) > Date.now() + 50 * 60_000)
    const me = await fetch(`${social().url}/api/me`, { headers: { authorization: `Bearer ${first.auth.token}` } })
    assert.equal(me.status, 200)
    assert.deepEqual((await current(ada)).auth, first.auth)
    assert.equal(refreshes(), 1, 'far from its end it is left alone')
    await age()
    const second = await current(ada)
    assert.notEqual(second.auth.refresh_token, first.auth.refresh_token)
    assert.equal(refreshes(), 2, 'the rotated refresh token works')
  })

  test('keeps its refresh token where the service does not rotate', async () => {
    const ada = await nearItsEnd('ada', 'demo-health')
    const first = await current(ada, 'demo-health')
    await age()
    const second = await current(ada, 'demo-health')
    assert.equal(refreshes('demo-health'), 2)
    assert.equal(second.auth.refresh_token, first.auth.refresh_token)
    assert.notEqual(second.auth.token, first.auth.token)
  })

  test('an OAuth 1 token does not expire', async () => {
    const ada = await signIn(harness, 'demo-micro', 'ada')
    assert.equal((await current(ada, 'demo-micro')).auth.expires_at, undefined)
  })
})

suite('a failed refresh', () => {
  test('permanent: the profile becomes needs_auth, which is reported once, and a new sign-in repairs it', async () => {
    const ben = await nearItsEnd('ben')
    social().tokens.revoke('ben')
    const entry = await current(ben)
    assert.deepEqual([entry['state'], entry['error']], ['needs_auth', 'grant_refused'])
    await current(ben)
    const audited = (await auditOf(harness, 'profile.needs_auth')).filter(({ account_id: id }) => id === ben.account)
    assert.equal(audited.length, 1)
    assert.equal(audited[0]?.detail['reason'], 'grant_refused')
    const again = await signIn(harness, 'demo-social', 'ben')
    assert.equal(again.account, ben.account)
    const healed = await current(again)
    assert.equal(healed['state'], 'active')
    assert.equal('error' in healed, false)
  })

  for (const fault of [
    { kind: 'status', status: 503 },
    { kind: 'status', status: 429, retryAfterSeconds: 30 },
    { kind: 'reset' },
    { kind: 'html' },
    { kind: 'response', status: 400, body: '<html>proxy error</html>' },
  ] as const) {
    test(`temporary (${fault.kind}${'status' in fault ? ` ${fault.status}` : ''}): nothing is lost`, async () => {
      const chloe = await nearItsEnd('chloe')
      social().faults.add({ path: '/oauth/token', ...fault })
      const during = await current(chloe)
      assert.equal(during['state'], 'active')
      assert.match(during.auth.token, /^at-/)
      const after = await current(chloe)
      assert.notEqual(after.auth.token, during.auth.token)
      assert.equal(after['state'], 'active')
    })
  }

  test('a lost response: the next refresh succeeds where refresh tokens do not rotate; where they do, the grant is lost', async () => {
    const finn = await nearItsEnd('finn', 'demo-health')
    harness.lab.services['demo-health'].faults.add({ path: '/oauth/token', kind: 'truncated' })
    const during = await current(finn, 'demo-health')
    assert.notEqual((await current(finn, 'demo-health')).auth.token, during.auth.token)
    const esra = await nearItsEnd('esra')
    social().faults.add({ path: '/oauth/token', kind: 'truncated' })
    assert.equal((await current(esra))['state'], 'active', 'not known yet')
    assert.equal((await current(esra))['state'], 'needs_auth')
  })

  test('wrong app keys: the profile is not marked', async () => {
    const esra = await nearItsEnd('esra')
    social().faults.add({ path: '/oauth/token', kind: 'response', status: 401, body: '{"error":"invalid_client"}' })
    assert.equal((await current(esra))['state'], 'active')
  })
})

suite('S51 many callers when a token expires', () => {
  const CALLERS = [13, 13, 12, 12]

  test('50 callers in 4 processes at a rotating service: one refresh, one token for all, no new sign-in needed', async () => {
    const ada = await nearItsEnd('ada')
    social().tokens.expire('ada')
    // Long enough for all callers to overlap.
    social().faults.add({ path: '/oauth/token', kind: 'delay', delayMs: 400 })
    const children = CALLERS.map(() => forkCaller())
    try {
      await Promise.all(children.map((child) => once(child, 'message')))
      const responses = children.map((child) => once(child, 'message'))
      for (const [i, child] of children.entries()) child.send({ token: ada.access_token, calls: CALLERS[i] })
      const entries = (await Promise.all(responses)).flatMap(([list]) =>
        (list as unknown[]).map((each) => entryOf(each, 'demo-social')),
      )
      assert.equal(entries.length, 50)
      assert.equal(refreshes(), 1)
      assert.equal(new Set(entries.map(({ auth }) => auth.token)).size, 1)
      assert.ok(entries.every(({ state }) => state === 'active'))
      const me = await fetch(`${social().url}/api/me`, {
        headers: { authorization: `Bearer ${entries[0]!.auth.token}` },
      })
      assert.equal(me.status, 200)
      await Promise.all(children.map((child) => (child.exitCode === null ? once(child, 'exit') : Promise.resolve())))
    } finally {
      for (const child of children) child.kill()
    }
    const marked = await harness.sql("select 1 from profile where account_id = $1 and state = 'needs_auth'", [
      ada.account,
    ])
    assert.deepEqual(marked, [])
  })

  test('when a process dies during a refresh, others proceed after its lease expires', async () => {
    const ben = await nearItsEnd('ben')
    await harness.sql('update credential set refresh_until = $1', [Date.now() + 600])
    const entry = await current(ben)
    assert.equal(refreshes(), 1)
    assert.equal(entry['state'], 'active')
  })
})

function forkCaller(): ChildProcess {
  const { databaseUrl, dataDir } = harness.tributary
  return fork(join(import.meta.dirname, 'refresh-caller.ts'), {
    execArgv: [],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      DATABASE_POOL: '4',
      TRIBUTARY_DATA: dataDir,
      TRIBUTARY_CONNECTORS: CONNECTORS,
      TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    },
  })
}
