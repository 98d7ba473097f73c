import { after, suite, test } from 'node:test'
import { insertDeletionRequest } from '#store/identity/deletion-requests.ts'
import { AWAITED } from '../../../src/boot/awaited.ts'
import type { LoopName } from '../../../src/boot/planning-loop.ts'
import { makeApp } from '../../harness/app.ts'
import { openSql } from '../../harness/database/sql.ts'
import { watchStatements } from '../../harness/database/statements.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { until } from '../../harness/until.ts'

/** Longer than any test lasts: a loop that sleeps for an hour must be woken. */
const HOUR_MS = 3_600_000
const LOOPS = ['syncs', 'hooks', 'deletions', 'deliveries'] as const

suite('a service without work', () => {
  const running: Tributary[] = []
  const started = async (...options: Parameters<typeof startTributary>): Promise<Tributary> => {
    const tributary = await startTributary(...options)
    running.push(tributary)
    return tributary
  }
  after(async () => {
    for (const tributary of running) await tributary.stop()
  })
  /** Requests of services to delete a person whom nobody knows, which a worker finishes. */
  const finished = async ({ sql }: Tributary) =>
    (await sql('select 1 from deletion_request where finished_at is not null')).length

  /** No process has executed a statement of its own for many times the interval of a loop that is awake. */
  const isAsleep = async ({ sql }: Tributary) => {
    const lastStatement = async () => {
      const rows = await sql(
        `select max(query_start)::text as at from pg_stat_activity
         where datname = current_database() and application_name = 'tributary'`,
      )
      return rows[0]?.['at']
    }
    const before = await lastStatement()
    for (let i = 0; i < 25; i += 1) {
      await sql('select pg_sleep(0.1)')
      if ((await lastStatement()) !== before) return false
    }
    return true
  }

  test('sleeps while the clock stands, and looks again when it is set', async () => {
    const looks = new Map<LoopName, number>(LOOPS.map((name) => [name, 0]))
    const onPlanned = (name: LoopName) => void looks.set(name, (looks.get(name) ?? 0) + 1)
    let nowMs = Date.now()
    const tributary = await started({}, { idleMs: HOUR_MS, clock: { now: () => nowMs }, onPlanned })
    await until('each loop has looked', () => LOOPS.every((name) => looks.get(name)! > 0))
    // Maintenance, which begins with the process, may write where a loop waits. After it nobody looks but the loop that is woken.
    const lookedMeanwhile = async () => {
      const before = new Map(looks)
      const statements: string[] = []
      const stop = watchStatements(tributary.store.database, ({ name }) => {
        statements.push(name)
        return undefined
      })
      // The loop that is woken shows that there was time for the others.
      await until('one loop has looked often', () => {
        tributary.store.writes.heard(AWAITED.syncs)
        return looks.get('syncs')! - before.get('syncs')! >= 5
      })
      stop()
      // Stored items are read again after an upgrade; that loop looks once an hour. What a worker died with is woken with the syncs.
      const others = statements.filter((name) => !/^(sync|reread|destination-workers)/.test(name))
      return [...LOOPS.filter((name) => name !== 'syncs' && looks.get(name) !== before.get(name)), ...others]
    }
    await until('the other loops sleep', async () => (await lookedMeanwhile()).length === 0)
    const before = new Map(looks)
    // One loop sleeps four times as long.
    nowMs += 4 * HOUR_MS
    await until('each loop has looked again', () => LOOPS.every((name) => looks.get(name)! > before.get(name)!))
  })

  for (const workers of ['inline', 'processes'] as const)
    test(`is woken by what it writes, with workers ${workers}`, async () => {
      // Each with other workers.
      const tributary = await started({}, { idleMs: HOUR_MS }, { workers })
      const { database, clock } = tributary.store
      const { clientId: appId } = await makeApp(tributary)
      const person = { appId, service: 'github', nativeId: 'nobody' }
      for (const n of [1, 2]) {
        await until('all loops sleep', () => isAsleep(tributary))
        await insertDeletionRequest(database, { shard: n, hash: Buffer.of(n) }, person, clock.now())
        await until('the request is done', async () => (await finished(tributary)) === n)
      }
    })

  test('finds what appears without a wake-up', async () => {
    const tributary = await started({}, { idleMs: 1000 })
    const { clientId } = await makeApp(tributary)
    await tributary.idle('deletions')
    const other = openSql(tributary.databaseUrl)
    await other.sql(
      `insert into deletion_request (shard, hash, app_id, service, native_id, requested_at, profile_ids, profiles, lease_until)
       values (1, '\\x01', $1, 'github', 'nobody', 0, '{}', 0, 0)`,
      [clientId],
    )
    await until('the request is done', async () => (await finished(tributary)) === 1)
    await other.close()
  })
})
