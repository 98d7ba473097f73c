import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { markNeedsAuth } from '#access/needs-auth.ts'
import { pauseSync, resumeSync } from '#flows/sync/pause.ts'
import { requestSync, resetSync } from '#flows/sync/progress.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import { createAccessWatch } from '#store/identity/access-watch.ts'
import { runProfileAlone } from '#store/sync/deaths.ts'
import { findDueGroups, leaseDueProfiles } from '#store/sync/due-profiles.ts'
import { wakeEndpointsOf } from '#store/sync/endpoint-requests.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { type App, makeApp } from '../../harness/app.ts'
import { tributary } from '../../harness/command-line.ts'
import { until } from '../../harness/until.ts'
import { type Fixture, keyOf, notes, openFixture, paged, someNotes } from './engine-fixture.ts'
import { gate } from './scripted-service.ts'
import { orders, pagesOf, SECRET, type SyncHarness, startSyncHarness } from './shop-fixture.ts'

suite('a paused profile', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  const pause = (profile: Parameters<Fixture['run']>[0]) => pauseSync(fixture.deps, profile, 'test')
  const resume = (profile: Parameters<Fixture['run']>[0]) => resumeSync(fixture.deps, profile, 'test')
  const isDue = async () => {
    fixture.clock.offsetMs += 86_400_000
    const { database, registry } = fixture.deps
    const now = fixture.clock.now()
    const services = registry.list().map(({ service }) => service)
    const groups = (await findDueGroups(database, now, services)).map((group) => ({ ...group, most: 10 }))
    return (await leaseDueProfiles(database, groups, now, now + 60_000)).length > 0
  }
  const connected = async (name: string, count = 3) => {
    const connector = await fixture.use(name, { list: notes(`/${name}`, { pages: numberPages({ param: 'page' }) }) })
    fixture.service.on(
      `/${name}`,
      paged(() => someNotes(count), 10),
    )
    return { connector, profile: await fixture.connect(connector) }
  }
  /** Unschedules the profiles of other tests. */
  const unscheduleAll = () => fixture.sql('update profile_sync set next_run_at = null')

  test('is never due, refuses a requested sync with the reason, and continues where it was', async () => {
    await unscheduleAll()
    const { profile } = await connected('still')
    await fixture.run(profile)
    const calls = fixture.service.requestsTo('/still').length
    assert.equal((await pause(profile)).state, 'paused')
    assert.equal(await isDue(), false)
    await fixture.run(profile)
    const paused = await fixture.reload(profile)
    await assert.rejects(requestSync(fixture.deps, paused), { reason: 'profile_paused', status: 409 })
    await assert.rejects(resetSync(fixture.deps, paused), { reason: 'profile_paused', status: 409 })
    assert.equal((await fixture.progress(profile, 'list')).state, 'paused')
    assert.equal(fixture.service.requestsTo('/still').length, calls)
    assert.equal((await fixture.stored(profile)).size, 3)
    assert.equal((await resume(profile)).state, 'active')
    assert.equal(await isDue(), true)
    await fixture.run(profile)
    assert.equal(fixture.service.requestsTo('/still').length, calls + 2, 'what came due during the pause is read')
  })

  test('is idempotent, and each change is audited once', async () => {
    const { profile } = await connected('twice')
    const since = (await pause(profile)).pausedAt
    fixture.clock.offsetMs += 5000
    assert.equal((await pause(profile)).pausedAt, since)
    await resume(profile)
    await resume(profile)
    const rows = await fixture.sql<{ action: string }>(
      `select action from audit where account_id = $1 and action in ('profile.pause', 'profile.resume') order by at`,
      [profile.accountId],
    )
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['profile.pause', 'profile.resume'],
    )
  })

  test('paused before its first sync, it is connecting again afterwards', async () => {
    const { profile } = await connected('early')
    assert.equal((await pause(profile)).state, 'paused')
    assert.equal((await resume(profile)).state, 'connecting')
    await fixture.run(profile)
    assert.equal((await fixture.reload(profile)).state, 'active')
  })

  test('a running sync writes nothing after the pause, and the rest is read after it', async () => {
    const { profile } = await connected('running', 25)
    const [reached, release] = [gate(), gate()]
    fixture.service.on('/running', async (request) => {
      if (request.query['page'] === '2') {
        reached.open()
        await release.opened
      }
      return paged(() => someNotes(25), 10)(request)
    })
    const run = fixture.run(profile)
    await reached.opened
    await until('the first page is stored', async () => (await fixture.stored(profile)).size >= 10)
    await pause(profile)
    release.open()
    await run
    assert.equal((await fixture.stored(profile)).size, 10)
    assert.equal((await fixture.reload(profile)).state, 'paused')
    await resume(profile)
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 25)
  })

  test('a run that waits for its service ends without a response', async () => {
    const { profile } = await connected('silent')
    const reached = gate()
    fixture.service.on('/silent', () => {
      reached.open()
      return undefined
    })
    const access = createAccessWatch(fixture.deps)
    fixture.deps.access = access
    try {
      const run = fixture.run(profile)
      await reached.opened
      await pause(profile)
      await run
      assert.equal((await fixture.reload(profile)).state, 'paused')
    } finally {
      fixture.deps.access = undefined
      access.close()
    }
  })

  test('stays paused when the person signs in again, even after the token was refused', async () => {
    await unscheduleAll()
    const { profile, connector } = await connected('again')
    await fixture.run(profile)
    await pause(profile)
    assert.equal((await fixture.connect(connector)).state, 'paused')
    assert.equal(await isDue(), false)
    await markNeedsAuth(fixture.deps, profile, new UpstreamError('reauthorize', 'no', { reason: 'grant_refused' }))
    assert.equal((await fixture.reload(profile)).state, 'needs_auth', 'shown as needing a sign-in')
    assert.equal((await fixture.connect(connector)).state, 'paused')
    assert.equal(await isDue(), false)
    assert.equal((await resume(profile)).state, 'active', 'all of it was read before')
    assert.equal(await isDue(), true)
  })

  test('one that needs a sign-in can be paused and resumed, and still needs the sign-in', async () => {
    await unscheduleAll()
    const { profile, connector } = await connected('refused')
    await fixture.run(profile)
    await markNeedsAuth(fixture.deps, profile, new UpstreamError('reauthorize', 'no', { reason: 'grant_refused' }))
    const { state, pausedAt } = await pause(profile)
    assert.deepEqual([state, pausedAt === undefined], ['needs_auth', false])
    assert.equal((await resume(profile)).state, 'needs_auth')
    await fixture.connect(connector)
    assert.equal((await fixture.reload(profile)).state, 'connecting')
    assert.equal(await isDue(), true)
  })

  test('one that was disconnected meanwhile cannot be paused', async () => {
    const { profile } = await connected('left')
    await fixture.sql('delete from profile where id = $1', [profile.id])
    await assert.rejects(pause(profile), { reason: 'no_profile' })
    await assert.rejects(resume(profile), { reason: 'no_profile' })
  })

  test('changed rules of the app and a worker’s death do not make it due', async () => {
    await unscheduleAll()
    const { profile } = await connected('woken')
    await pause(profile)
    await wakeEndpointsOf(fixture.deps.database, fixture.appId, fixture.clock.now())
    await runProfileAlone(fixture.deps.database, keyOf(profile), { aloneUntil: 0, nextRunAt: 1 })
    assert.equal(await isDue(), false)
  })
})

suite('pausing over HTTP and by the CLI', () => {
  let harness: SyncHarness
  before(async () => {
    harness = await startSyncHarness()
    harness.service.on(
      '/orders',
      pagesOf(() => orders(5)),
    )
  })
  after(() => harness.stop())

  const control = async (verb: 'pause' | 'resume' | 'sync' | 'reset', token: string) => {
    const { status, body } = await harness.ask('POST', `/profiles/shop/${verb}`, token)
    return { status, body }
  }

  test('no syncs, even when the service reports changes; reading and the proxy still work', async () => {
    const { access_token: token } = await harness.connect('ada')
    await harness.until(token, ({ state }) => state === 'done')
    assert.deepEqual(await control('pause', token), { status: 200, body: { profile: 'ada@shop', state: 'paused' } })
    assert.deepEqual(await control('pause', token), { status: 200, body: { profile: 'ada@shop', state: 'paused' } })
    for (const verb of ['sync', 'reset'] as const) {
      const { status, body } = await control(verb, token)
      assert.deepEqual([status, (body as { reason: string }).reason], [409, 'profile_paused'])
    }
    assert.equal((await harness.progress(token)).state, 'paused')
    const { body: profiles } = await harness.ask('GET', '/profiles?full=true', token)
    assert.equal((profiles as { shop: { state: string }[] }).shop[0]!.state, 'paused')
    assert.equal(((await harness.ask('GET', '/services/shop/orders', token)).body as unknown[]).length, 5)
    const proxied = await harness.ask('GET', '/proxy/shop/me', token)
    assert.deepEqual([proxied.status, proxied.body], [200, { id: 'ada', name: 'ada' }])

    const body = JSON.stringify({ people: ['ada'] })
    const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`
    const hook = await fetch(`${harness.tributary.url}/hooks/shop/${harness.clientId}`, {
      method: 'POST',
      headers: { 'x-shop-signature': signature },
      body,
    })
    assert.deepEqual(await hook.json(), { woken: 0 })
    assert.deepEqual(await harness.sql('select next_run_at from profile_sync where next_run_at is not null'), [])
    assert.deepEqual(await control('resume', token), { status: 200, body: { profile: 'ada@shop', state: 'active' } })
    assert.equal((await control('sync', token)).status, 202)
    await harness.until(token, ({ state }) => state === 'done')
  })

  test('a client that follows the sync of a paused profile does not wait', async () => {
    const { access_token: token } = await harness.connect('bea')
    await harness.until(token, ({ state }) => state === 'done')
    await control('pause', token)
    const followed = await fetch(`${harness.tributary.url}/profiles/shop/sync`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    })
    assert.match(await followed.text(), /event: done\ndata: .*"state":"paused"/)
  })

  test('an app pauses and resumes with its secret, its own accounts only', async () => {
    const { access_token: token, account } = await harness.connect('dora')
    await harness.until(token, ({ state }) => state === 'done')
    const other = await makeApp(harness.tributary)
    const byApp = async (verb: 'pause' | 'resume', profile: string, { clientId, secret }: App = harness) => {
      const headers = { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` }
      const url = `${harness.tributary.url}/accounts/${account}/profiles/${profile}/${verb}`
      const response = await fetch(url, { method: 'POST', headers })
      return { status: response.status, body: await response.json() }
    }
    assert.deepEqual(await byApp('pause', 'shop'), { status: 200, body: { profile: 'dora@shop', state: 'paused' } })
    assert.equal((await harness.progress(token)).state, 'paused')
    for (const verb of ['pause', 'resume'] as const) {
      assert.equal((await byApp(verb, 'github')).status, 404)
      assert.equal((await byApp(verb, 'shop', other)).status, 404)
      assert.equal((await byApp(verb, 'shop', { ...other, secret: 'wrong' })).status, 401)
    }
    assert.equal((await harness.progress(token)).state, 'paused', 'another app cannot resume it')
    assert.deepEqual(await byApp('resume', 'dora@shop'), {
      status: 200,
      body: { profile: 'dora@shop', state: 'active' },
    })
  })

  test('an unknown profile is refused', async () => {
    const { access_token: token } = await harness.connect('cleo')
    assert.equal((await harness.ask('POST', '/profiles/github/pause', token)).status, 404)
    assert.equal((await harness.ask('POST', '/profiles/github/resume', token)).status, 404)
  })

  /** The same service user in two accounts; the one in the second was connected later. */
  const inTwoAccounts = async (person: string) => {
    const first = await harness.connect(person)
    const second = await harness.connect(`${person}-2`)
    await harness.connect(person, second.account)
    for (const { access_token: token } of [first, second]) await harness.until(token, ({ state }) => state === 'done')
    const merge = async () => {
      const body = new URLSearchParams({ source: second.access_token, dest: first.access_token })
      const auth = Buffer.from(`${harness.clientId}:${harness.secret}`).toString('base64')
      const headers = { authorization: `Basic ${auth}` }
      assert.equal((await fetch(`${harness.tributary.url}/auth/merge`, { method: 'POST', headers, body })).status, 200)
    }
    /** The profile that remains after the merge. */
    const remaining = async () => {
      const [row] = await harness.sql<{ state: string; scheduled: boolean }>(
        `select p.state, s.next_run_at is not null as scheduled from profile p join profile_sync s on s.shard = p.shard and s.profile_id = p.id
         where p.account_id = $1 and p.native_id = $2 and p.merged_into is null`,
        [first.account, person],
      )
      return row
    }
    return { first, second, merge, remaining }
  }

  test('a merge keeps the pause of the remaining profile', async () => {
    const { first, merge, remaining } = await inTwoAccounts('eve')
    assert.equal((await harness.ask('POST', '/profiles/eve@shop/pause', first.access_token)).status, 200)
    await merge()
    assert.deepEqual(await remaining(), { state: 'paused', scheduled: false })
  })

  test('a merge does not transfer the pause of the other profile', async () => {
    const { second, merge, remaining } = await inTwoAccounts('finn')
    assert.equal((await harness.ask('POST', '/profiles/finn@shop/pause', second.access_token)).status, 200)
    await merge()
    assert.deepEqual(await remaining(), { state: 'active', scheduled: true })
  })

  test('a merge that brings a valid token ends the wait for a sign-in', async () => {
    const { first, merge, remaining } = await inTwoAccounts('gus')
    await harness.sql(
      `with p as (update profile set state = 'needs_auth' where account_id = $1 returning shard, id)
       update profile_sync s set next_run_at = null from p where s.shard = p.shard and s.profile_id = p.id`,
      [first.account],
    )
    await merge()
    assert.deepEqual(await remaining(), { state: 'active', scheduled: true })
  })

  test('the CLI pauses and resumes the same profile', async () => {
    const { access_token: token, account } = await harness.connect('dora')
    await harness.until(token, ({ state }) => state === 'done')
    const env = { DATABASE_URL: harness.tributary.databaseUrl, TRIBUTARY_DATA: harness.tributary.dataDir }
    const cli = (args: string[]) => tributary([...args, '--json'], env)
    const paused = await cli(['sync', 'pause', account, 'shop'])
    assert.deepEqual(JSON.parse(paused.stdout), { profile: 'dora@shop', state: 'paused' })
    assert.equal((await control('sync', token)).status, 409)
    const refused = await cli(['sync', account, 'shop'])
    assert.equal((JSON.parse(refused.stdout) as { reason: string }).reason, 'profile_paused')
    const resumed = await cli(['sync', 'resume', account, 'shop'])
    assert.deepEqual(JSON.parse(resumed.stdout), { profile: 'dora@shop', state: 'active' })
    assert.equal((await control('sync', token)).status, 202)
  })
})
