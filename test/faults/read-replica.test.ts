import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Diagnosis } from '#flows/operations/diagnosis.ts'
import { codeOf } from '#platform/errors.ts'
import { openReplica } from '#platform/postgres/replica.ts'
import { type App, basic, makeApp } from '../harness/app.ts'
import { tributary as runCommand } from '../harness/command-line.ts'
import { type CuttableLine, cuttableLine } from '../harness/database/cuttable-line.ts'
import { type OpenSql, openSql, type Sql } from '../harness/database/sql.ts'
import { putItems } from '../harness/own-items.ts'
import { newPerson, type Person } from '../harness/person.ts'
import { startTributary, type Tributary } from '../harness/start.ts'
import { until } from '../harness/until.ts'
import { type Replicated, replicationMissing, startReplicated } from './replicated-postgres.ts'

const AN_HOUR_S = 3600
const SERIALIZATION_FAILURE = '40001'

suite('a streaming replica', { skip: replicationMissing() }, () => {
  let servers: Replicated
  let line: CuttableLine
  let standby: OpenSql
  let tributary: Tributary
  let app: App
  let person: Person
  before(async () => {
    // No conflict waits: a statement in the way of replay is ended at once.
    servers = await startReplicated({ synchronous: false, standby: { max_standby_streaming_delay: '0' } })
    line = await cuttableLine(servers.standbyUrl)
    standby = openSql(servers.standbyUrl)
    tributary = await startTributary({ DATABASE_URL: servers.primaryUrl, DATABASE_READ_URL: line.url })
    app = await makeApp(tributary)
    person = await newPerson(tributary.store, app.clientId)
    await put('first')
    await untilShown(['first'])
  })
  after(async () => {
    await tributary?.stop()
    await standby?.close()
    await line?.close()
    await servers?.remove()
  })

  /** Replay ends any statement in its way, also those of this test: they are repeated. */
  const onStandby: Sql = async (text) => {
    for (;;) {
      try {
        return await standby.sql(text)
      } catch (error) {
        if (codeOf(error) !== SERIALIZATION_FAILURE) throw error
      }
    }
  }
  const put = (id: string, to = person) => putItems(tributary, to, [{ id, at: 1, type: 'statuses' }], 'notes')
  /** The response, and whether it was read on the replica. */
  const read = async (path: string, token = person.token) => {
    const response = await fetch(`${tributary.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
    const header = response.headers.get('x-staleness')
    const body: unknown = await response.json()
    return { status: response.status, body, staleness: header, onReplica: Number(header ?? 0) > 0 }
  }
  const list = async (maxStalenessS?: number, token?: string) => {
    const query = maxStalenessS === undefined ? '' : `?max_staleness=${maxStalenessS}`
    const response = await read(`/services/self/notes${query}`, token)
    const ids = Array.isArray(response.body)
      ? (response.body as { data: { id: string } }[]).map(({ data }) => data.id)
      : []
    return { ...response, ids: ids.toSorted() }
  }
  /** Waits until a read on the replica shows these items. */
  const untilShown = (ids: string[]) =>
    until(
      `the replica shows ${ids.join(', ')}`,
      () => list(AN_HOUR_S),
      (response) => response.onReplica && response.ids.join() === ids.join(),
    )
  const metric = async (name: string) => {
    const text = await (await fetch(`${tributary.url}/metrics`)).text()
    return Number(
      text
        .split('\n')
        .find((each) => each.startsWith(name))
        ?.split(' ')[1],
    )
  }
  const pause = async () => {
    await onStandby('select pg_wal_replay_pause()')
    await until('replay is paused', async () => {
      const [row] = await onStandby<{ state: string }>('select pg_get_wal_replay_pause_state() as state')
      return row?.state === 'paused'
    })
  }
  const resume = () => onStandby('select pg_wal_replay_resume()')
  const diagnose = async (): Promise<Diagnosis | undefined> => {
    const { stdout } = await runCommand(['doctor', '--json'], {
      DATABASE_URL: servers.primaryUrl,
      DATABASE_READ_URL: line.url,
      TRIBUTARY_DATA: tributary.dataDir,
      PORT: '0',
    })
    const { findings } = JSON.parse(stdout) as { findings: Diagnosis[] }
    return findings.find(({ name }) => name === 'replica')
  }

  test('serves reads of items that allow staleness, and no others', async () => {
    const answered = () => metric('tributary_replica_reads_total{outcome="answered"}')
    const before = await answered()
    const paths = ['/services/self/notes', '/services/self/notes/first', '/types/all', '/types', '/services/self']
    for (const path of paths) {
      const { status, staleness } = await read(path)
      assert.deepEqual([path, status, staleness], [path, 200, null])
    }
    assert.equal(await answered(), before)
    for (const path of paths) {
      // Under load a measurement may be late, and the replica is not used for a moment.
      const { body } = await until(
        `${path} is read on the replica`,
        () => read(`${path}?max_staleness=${AN_HOUR_S}`),
        ({ onReplica }) => onReplica,
      )
      assert.deepEqual(body, (await read(path)).body)
    }
    assert.ok((await answered()) >= before + paths.length)
    assert.equal((await diagnose())?.state, 'ok')
    assert.equal((await read('/services/self/notes?max_staleness=-1')).status, 400)
  })

  test('is not used for a read that allows less staleness than it has', async () => {
    await pause()
    await put('second')
    const stale = await list(AN_HOUR_S)
    assert.deepEqual([stale.ids, stale.onReplica], [['first'], true])
    assert.deepEqual((await list()).ids, ['first', 'second'])
    const strict = await list(0)
    assert.deepEqual([strict.ids, strict.staleness], [['first', 'second'], '0.000'])
    // The bound is obeyed: from the moment when the replica may be older than a second, such a read uses the primary.
    await until('the replica is a second old', async () => (await metric('tributary_replica_lag_seconds')) > 1)
    assert.deepEqual((await list(1)).ids, ['first', 'second'])
    assert.ok((await metric('tributary_replica_reads_total{outcome="refused"}')) >= 2)
    assert.equal((await diagnose())?.state, 'warn')
    await resume()
    await untilShown(['first', 'second'])
  })

  test('never decides about tokens: a revoked one is refused, and a new one is accepted, whatever the replica knows', async () => {
    const other = await newPerson(tributary.store, app.clientId)
    await put('theirs', other)
    const shown = () => list(AN_HOUR_S, other.token)
    await until('the replica shows it', shown, ({ onReplica, ids }) => onReplica && ids.join() === 'theirs')
    await pause()
    const late = await newPerson(tributary.store, app.clientId)
    const missing = await list(AN_HOUR_S, late.token)
    assert.deepEqual([missing.status, (missing.body as { reason?: string }).reason], [404, 'no_profile'])
    await put('late', late)
    // The second time with a cached account, which is verified on the primary. The replica does not have the item yet.
    for (let i = 0; i < 2; i += 1) {
      const { status, body, onReplica } = await read(`/types/all?max_staleness=${AN_HOUR_S}`, late.token)
      assert.deepEqual([status, body, onReplica], [200, [], true])
    }
    const revoked = await fetch(`${tributary.url}/oauth/revoke`, {
      method: 'POST',
      headers: basic(app),
      body: new URLSearchParams({ token: other.token }),
    })
    assert.equal(revoked.status, 200)
    const [row] = await onStandby<{ n: number }>('select count(*)::int as n from access_token where revoked_at is null')
    assert.equal(row!.n, 2, 'the replica has two valid tokens: that of the first person, and the revoked one')
    assert.equal((await shown()).status, 401)
    for (const path of ['/types', '/services/self/notes/theirs'])
      assert.equal((await read(`${path}?max_staleness=${AN_HOUR_S}`, other.token)).status, 401)
    await resume()
    await untilShown(['first', 'second'])
  })

  test('that cannot be reached, or hangs, delays nothing for long: the primary answers', async () => {
    await line.cut()
    assert.deepEqual((await list(AN_HOUR_S)).ids, ['first', 'second'])
    await until('it is not used', async () => (await metric('tributary_replica_up')) === 0)
    assert.equal((await list(AN_HOUR_S)).onReplica, false)
    assert.equal((await diagnose())?.state, 'fail')
    await line.mend()
    await untilShown(['first', 'second'])

    servers.signalStandby('SIGSTOP')
    try {
      assert.deepEqual((await list(AN_HOUR_S)).ids, ['first', 'second'])
      await until('it is not used', async () => (await metric('tributary_replica_up')) === 0)
    } finally {
      servers.signalStandby('SIGCONT')
    }
    await untilShown(['first', 'second'])
  })

  test('that ends a read for a recovery conflict: the read runs on the primary', async () => {
    const { database, log } = tributary.store
    const primary = openSql(servers.primaryUrl)
    const replica = openReplica({ url: line.url, pool: 3, prepared: true, log }, database)
    try {
      await primary.sql('create table conflict as select n from generate_series(1, 1000) n')
      const reads = await until('the replica can be used', () => replica.readsWithin(AN_HOUR_S * 1000))
      const find = { name: '', text: `select to_regclass('conflict') is not null as found` }
      await until('the replica has the table', async () => (await onStandby<{ found: boolean }>(find.text))[0]!.found)
      // Sleeps on the replica only, with a snapshot in which the rows exist.
      const text = `select count(*)::int as n, pg_is_in_recovery() as "onReplica",
        case when pg_is_in_recovery() then pg_sleep(600) end from conflict`
      const reading = reads.queries.rows<{ n: number; onReplica: boolean }>({ name: '', text })
      const isRunning = `select 1 from pg_stat_activity where wait_event = 'PgSleep' and query like '%from conflict'`
      await until('it is read', async () => (await onStandby(isRunning)).length > 0)
      await primary.sql('delete from conflict where n > 10')
      await primary.sql('vacuum conflict')
      const [{ n, onReplica } = { n: 0, onReplica: true }] = await reading
      assert.deepEqual({ n, onReplica }, { n: 10, onReplica: false })
      const { reads: counted } = replica.status()
      assert.equal(counted.failed, 1)
    } finally {
      await replica.close()
      await primary.close()
    }
  })

  // This runs last.
  test('that is promoted is not used any more', async () => {
    await onStandby('select pg_promote()')
    await until('it is not used', async () => (await metric('tributary_replica_up')) === 0)
    await put('third')
    const { ids, onReplica } = await list(AN_HOUR_S)
    assert.deepEqual([ids, onReplica], [['first', 'second', 'third'], false])
    const found = await diagnose()
    assert.equal(found?.state, 'fail')
    assert.match(found.detail, /promoted/)
  })
})
