import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { countSignIn, recountSignIn, uncountSignIn } from '#identity/open-sign-ins.ts'
import { openSignIns } from '#store/identity/open-sign-ins.ts'
import { basic } from '../../harness/app.ts'
import { type LabHarness, startLabHarness } from '../../harness/lab.ts'
import { expireSignIns } from '../../harness/maintenance.ts'
import { send } from '../../harness/send.ts'
import { newCode, redeem } from '../../harness/sign-in.ts'
import { until } from '../../harness/until.ts'
import { openFlows } from '../sign-in/fixture.ts'
import { startScripted } from '../sync/scripted-service.ts'

type Deps = Awaited<ReturnType<typeof openFlows>>['deps']

const PER_ADDRESS = 5
const TEN_MINUTES_MS = 600_000

let harness: LabHarness
before(async () => {
  harness = await startLabHarness({ TRUST_PROXY: '127.0.0.1', TRIBUTARY_QUOTA_ADDRESS_SIGN_INS: String(PER_ADDRESS) })
})
after(() => harness.stop())

const begin = (from: string, service = 'demo-social', accept = 'text/html', by = harness.app) =>
  fetch(harness.startUrl(service, {}, by), { redirect: 'manual', headers: { 'x-forwarded-for': from, accept } })
const statusesOf = async (count: number, start: () => Promise<Response>) =>
  (await Promise.all(Array.from({ length: count }, start))).map(({ status }) => status)
const howMany = (statuses: number[], status: number) => statuses.filter((each) => each === status).length
const openAt = async (subject: string) =>
  (
    await harness.sql<{ n: number }>(
      'select coalesce(sum(n), 0)::int as n from open_sign_in, unnest(counts) as n where subject = $1',
      [subject],
    )
  )[0]!.n

const becomes = (subject: string, expected: number) =>
  until(
    `${expected} are open`,
    () => openAt(subject),
    (open) => open === expected,
  )

suite('unfinished sign-ins of one address', () => {
  test('are limited, also when they begin at the same time; other addresses are not affected', async () => {
    const rows = async () => (await harness.sql<{ n: number }>('select count(*)::int as n from pending'))[0]!.n
    const before = await rows()
    const statuses = await statusesOf(40, () => begin('203.0.113.1'))
    assert.equal(howMany(statuses, 302), PER_ADDRESS)
    assert.equal(howMany(statuses, 429), 40 - PER_ADDRESS)
    assert.equal((await rows()) - before, PER_ADDRESS)
    assert.equal((await begin('203.0.113.2')).status, 302)
  })

  test('are refused with a page for people and Retry-After', async () => {
    await statusesOf(PER_ADDRESS, () => begin('203.0.113.3'))
    const refused = await begin('203.0.113.3')
    assert.equal(refused.status, 429)
    const wait = Number(refused.headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 780, String(wait))
    const page = await refused.text()
    assert.match(refused.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(page, /Too many sign-ins from your network were begun and not finished\. .*try again in \d+ minutes/)
    const refusal = (await (await begin('203.0.113.3', 'demo-social', 'application/json')).json()) as { reason: string }
    assert.equal(refusal.reason, 'too_many_sign_ins')
  })

  test('are counted per network of an IPv6 address', async () => {
    let host = 0
    const statuses = await statusesOf(20, () => begin(`2001:db8:0:7::${((host += 1)).toString(16)}`))
    assert.equal(howMany(statuses, 302), PER_ADDRESS)
    assert.equal((await begin('2001:db8:0:8::1')).status, 302)
    assert.equal(await openAt('address 2001:db8:0:7::/64'), PER_ADDRESS)
  })

  test('are counted before a request token is requested from the service', async () => {
    const service = await startScripted()
    try {
      service.on('/oauth/request_token', () => ({
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `oauth_token=t${service.requests.length}&oauth_token_secret=s&oauth_callback_confirmed=true`,
      }))
      const app = await harness.makeApp({ services: [] })
      const keys = { key: 'k', secret: 's', overrides: { base_url: service.url } }
      await harness.tributary.admin('PUT', `/admin/apps/${app.clientId}/keys/demo-micro`, keys)
      const statuses = await statusesOf(20, () => begin('203.0.113.4', 'demo-micro', 'text/html', app))
      assert.equal(howMany(statuses, 429), 20 - PER_ADDRESS)
      assert.equal(service.requests.length, PER_ADDRESS)
    } finally {
      await service.close()
    }
  })

  test('that the service refuses are not counted', async () => {
    const app = await harness.makeApp({ services: [] })
    const keys = { key: 'k', secret: 's', overrides: { base_url: 'http://127.0.0.1:1' } }
    await harness.tributary.admin('PUT', `/admin/apps/${app.clientId}/keys/demo-micro`, keys)
    assert.equal((await begin('203.0.113.5', 'demo-micro', 'text/html', app)).status, 302)
    assert.equal(await openAt('address 203.0.113.5'), 0)
  })
})

suite('a finished sign-in', () => {
  test('counts until its code is redeemed', async () => {
    const subject = `app ${harness.app.clientId}`
    const before = await openAt(subject)
    const codes = [await newCode(harness, 'demo-social', 'ada'), await newCode(harness, 'demo-social', 'ada')]
    assert.equal(await openAt(subject), before + 2)
    assert.equal((await redeem(harness, codes[0]!)).status, 200)
    await becomes(subject, before + 1)
    // A second redemption is refused and frees nothing.
    assert.equal((await redeem(harness, codes[0]!)).status, 400)
    assert.equal((await redeem(harness, codes[1]!)).status, 200)
    await becomes(subject, before)
  })

  test('is counted until the end of its code, and again only where its person returned late', async () => {
    const ip = '203.0.113.77'
    const at = async <Result>(minutes: number, work: (deps: Deps) => Promise<Result>) => {
      const { deps, close } = await openFlows(harness, minutes * 60_000)
      try {
        return await work(deps)
      } finally {
        await close()
      }
    }
    const app = await harness.makeApp()
    const counted = await at(0, (deps) => countSignIn(deps, app.clientId, ip))
    const soon = await at(1, (deps) => recountSignIn(deps, app.clientId, counted))
    assert.deepEqual(soon, counted)
    const late = await at(8, (deps) => recountSignIn(deps, app.clientId, counted))
    assert.ok(late!.minute >= counted.minute + 8 * 60_000)
    assert.deepEqual([await openAt(`address ${ip}`), await openAt(`app ${app.clientId}`)], [1, 1])
    // The code of the late one is valid for ten minutes.
    const open = await at(17, (deps) => openSignIns(deps.database, `address ${ip}`, deps.clock.now()))
    assert.equal(open.n, 1)
    await at(17, (deps) => uncountSignIn(deps, app.clientId, late))
    assert.deepEqual([await openAt(`address ${ip}`), await openAt(`app ${app.clientId}`)], [0, 0])
  })
})

test('a quota of the app holds over all addresses, and is shown', async () => {
  const app = await harness.makeApp()
  const put = await harness.tributary.admin('PUT', `/admin/apps/${app.clientId}/quotas`, { app_sign_ins: 3 })
  assert.equal(put.status, 200)
  let host = 10
  const statuses = await statusesOf(12, () => begin(`198.51.100.${(host += 1)}`, 'demo-social', 'text/html', app))
  assert.equal(howMany(statuses, 302), 3)
  assert.equal(howMany(statuses, 429), 9)
  // A refused sign-in counts for nobody.
  assert.equal((await openAt('address 198.51.100.11')) + (await openAt('address 198.51.100.12')) <= 2, true)
  const { body } = await send(harness, 'GET', '/usage', { headers: basic(app) })
  assert.deepEqual((body['quotas'] as Record<string, unknown>)['app_sign_ins'], { used: 3, limit: 3, state: 'reached' })
})

test('unfinished sign-ins expire by themselves and are purged', async () => {
  await statusesOf(PER_ADDRESS, () => begin('203.0.113.9'))
  assert.equal((await begin('203.0.113.9')).status, 429)
  const { deps, close } = await openFlows(harness, TEN_MINUTES_MS + 4 * 60_000)
  try {
    await expireSignIns(deps)
  } finally {
    await close()
  }
  assert.equal(await openAt('address 203.0.113.9'), 0)
  assert.equal((await begin('203.0.113.9')).status, 302)
})
