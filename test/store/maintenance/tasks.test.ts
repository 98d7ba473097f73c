import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Client } from 'pg'
import { PURGES } from '#flows/operations/maintenance/purges.ts'
import { type MaintenanceTask, runTask, runTasks } from '#flows/operations/maintenance/run-tasks.ts'
import { SIGN_IN_TASKS } from '#flows/operations/maintenance/sign-in-tasks.ts'
import { checkMaintenance, maintenanceStates } from '#flows/operations/maintenance/task-states.ts'
import type { Database, Queries, Statement } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { migrate } from '#store/migrate.ts'
import { type Opened, openPrepared, quiet } from '../opened.ts'
import { EXPIRED, fillExpired, fillOwners, NOW_MS } from './expired-rows.ts'
import { fillTable } from './fill-table.ts'

interface Deps {
  database: Database
  clock: { now: () => number }
  log: Log
}

/** These tasks use nothing but a database and a clock. */
const TASKS = [...PURGES, ...SIGN_IN_TASKS] as unknown as MaintenanceTask<Deps>[]
const taskOf = (name: string) => {
  const found = TASKS.find((task) => task.name === name)
  assert.ok(found !== undefined, name)
  return found
}
const LEASE_MS = 5 * 60_000

suite('tasks of maintenance', () => {
  let opened: Opened
  let client: Client
  let nowMs = NOW_MS
  const clock = { now: () => nowMs }
  const depsOf = (database: Database): Deps => ({ database, clock, log: quiet })
  before(async () => {
    opened = await openPrepared()
    await migrate(opened.database, 1)
    client = new Client({ connectionString: opened.url })
    await client.connect()
    await fillOwners(client)
  })
  after(async () => {
    await client?.end()
    await opened?.close()
  })
  const countOf = async (table: string) =>
    (await client.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]!.n
  const rowOf = async (task: string) =>
    (await client.query(`select * from maintenance where task = $1`, [task])).rows[0] as Record<string, unknown>

  for (const expired of EXPIRED)
    test(`${expired.task}: killed before each statement, ${expired.table} is finished by the next run`, async () => {
      const task = taskOf(expired.task)
      // As many statements as an undisturbed run sends.
      await fillExpired(client, expired, 3)
      const whole = interruptible(opened.database)
      assert.equal((await runTask(depsOf(whole.database), task)).end, 'succeeded')
      assert.equal(await countOf(expired.table), 1, 'only what has not ended is left')
      for (let last = 1; last <= whole.sent(); last += 1) {
        await client.query('delete from maintenance where task = $1', [task.name])
        await fillExpired(client, expired, 3)
        const dying = interruptible(opened.database, last)
        assert.equal((await runTask(depsOf(dying.database), task)).end, 'failed')
        // The lease of a process that is gone ends by itself.
        nowMs += LEASE_MS + 1
        for (let runs = 0; runs < 3; runs += 1)
          assert.equal((await runTask(depsOf(opened.database), task)).end, 'succeeded')
        assert.equal(await countOf(expired.table), 1, `after ${last} statements`)
      }
    })

  test('one that fails and one that hangs keep no other from running', async () => {
    const hangs = Promise.withResolvers<{ done: number; more: boolean }>()
    const ran: string[] = []
    const named = (name: string, run: MaintenanceTask<Deps>['run']): MaintenanceTask<Deps> => ({ name, run })
    const last = Promise.withResolvers<void>()
    const tasks = [
      named('hangs', () => hangs.promise),
      named('fails', () => Promise.reject(new Error('a table is out of reach: key=tra_secret0123456789abcdef'))),
      ...['a', 'b', 'c'].map((name) =>
        named(name, async () => {
          ran.push(name)
          if (name === 'c') last.resolve()
          return { done: 1, more: false }
        }),
      ),
    ]
    const running = runTasks(depsOf(opened.database), tasks)
    await last.promise
    assert.deepEqual(ran, ['a', 'b', 'c'])
    hangs.resolve({ done: 0, more: false })
    const ends = new Map((await running).map(({ task, end }) => [task, end]))
    assert.deepEqual([ends.get('fails'), ends.get('hangs'), ends.get('c')], ['failed', 'succeeded', 'succeeded'])
    const failed = await rowOf('fails')
    assert.deepEqual([failed['fails'], failed['succeeded_at'], failed['lease_until']], [1, null, 0])
    assert.match(String(failed['error']), /out of reach/)
  })

  test('those that ran longest ago come first, so that one that ends its worker is not always before them', async () => {
    const order: string[] = []
    const bothBegun = Promise.withResolvers<void>()
    const recent = ['w', 'x'].map((name) => ({
      name,
      run: async () => {
        order.push(name)
        return { done: 0, more: false }
      },
    }))
    const others = ['y', 'z'].map((name) => ({
      name,
      run: async () => {
        order.push(name)
        if (order.length === 2) bothBegun.resolve()
        await bothBegun.promise
        return { done: 0, more: false }
      },
    }))
    nowMs += 1
    await runTasks(depsOf(opened.database), recent)
    order.length = 0
    await runTasks(depsOf(opened.database), [...recent, ...others])
    assert.deepEqual(order.slice(0, 2).toSorted(), ['y', 'z'])
  })

  test('of two processes one runs a task; the other has it after the lease ended', async () => {
    const waits = Promise.withResolvers<{ done: number; more: boolean }>()
    const begun = Promise.withResolvers<void>()
    const slow = {
      name: 'slow',
      run: () => {
        begun.resolve()
        return waits.promise
      },
    }
    const first = runTask(depsOf(opened.database), slow)
    await begun.promise
    const quick = { name: 'slow', run: async () => ({ done: 1, more: false }) }
    assert.equal((await runTask(depsOf(opened.another()), quick)).end, 'leased')
    nowMs += LEASE_MS + 1
    assert.equal((await runTask(depsOf(opened.another()), quick)).end, 'succeeded')
    waits.resolve({ done: 9, more: false })
    await first
    assert.equal((await rowOf('slow'))['done'], 1, 'who lost the lease stores nothing')
  })

  test('a walk continues where the last run ended, and begins anew at the end', async () => {
    await client.query('delete from rate_limit')
    await fillTable(client, 'rate_limit', 5000, { refilled_at: '1000' })
    await fillTable(client, 'rate_limit', 1, { bucket: `'late'`, refilled_at: String(nowMs) }, 9001)
    const task = { ...taskOf('rate_limits'), maxSteps: 1 }
    const left: number[] = []
    for (let runs = 0; runs < 3; runs += 1) {
      await runTask(depsOf(opened.database), task)
      left.push(await countOf('rate_limit'))
    }
    assert.deepEqual(left, [3002, 1002, 1])
    assert.equal((await rowOf('rate_limits'))['position'], null)
    assert.notEqual((await rowOf('rate_limits'))['completed_at'], null)
  })

  test('a failure in the middle of a walk keeps its position', async () => {
    const steps: unknown[] = []
    const task: MaintenanceTask<Deps> = {
      name: 'walks',
      run: async (_deps, position) => {
        steps.push(position)
        if (steps.length === 3) throw new Error('away')
        const n = Number(position?.[0] ?? 0) + 1
        return n < 4 ? { done: 1, more: true, position: [n] } : { done: 1, more: false }
      },
    }
    assert.equal((await runTask(depsOf(opened.database), task)).end, 'failed')
    assert.equal((await runTask(depsOf(opened.database), task)).end, 'succeeded')
    assert.deepEqual(steps, [undefined, [1], [2], [2], [3]])
    assert.equal((await rowOf('walks'))['fails'], 0)
  })

  test('a run ends after a minute, and says that it succeeded', async () => {
    let steps = 0
    const task: MaintenanceTask<Deps> = {
      name: 'endless',
      run: async () => {
        steps += 1
        nowMs += 25_000
        return { done: 1, more: true }
      },
    }
    assert.deepEqual(await runTask(depsOf(opened.database), task), { task: 'endless', end: 'succeeded', done: 3 })
    assert.equal(steps, 3)
    const row = await rowOf('endless')
    assert.deepEqual([row['completed_at'], row['succeeded_at']], [null, nowMs])
  })

  test('doctor names the task that has not succeeded for an hour', async () => {
    await client.query('delete from maintenance')
    assert.equal((await checkMaintenance(opened.database, clock)).detail, 'it has not run yet')
    await runTasks(depsOf(opened.database), [taskOf('attempts'), taskOf('calls')])
    assert.equal((await checkMaintenance(opened.database, clock)).state, 'ok')
    nowMs += 3_600_001
    const fails = { name: 'calls', run: () => Promise.reject(new Error('no such table')) }
    await runTasks(depsOf(opened.database), [taskOf('attempts'), fails])
    const found = await checkMaintenance(opened.database, clock)
    assert.equal(found.state, 'warn')
    assert.match(found.detail, /^calls does not succeed \(last .*\): no such table$/)
    const states = await maintenanceStates(depsOf(opened.database))
    assert.deepEqual(
      states.filter(({ isLate }) => isLate).map(({ task }) => task),
      ['calls'],
    )
    assert.ok(states.length > 35 && states.some(({ startedAt }) => startedAt === undefined))
  })
})

/** A database that is gone, as for a process that was killed, before the statement with this number and for ever after. */
function interruptible(database: Database, last = Number.POSITIVE_INFINITY) {
  let sent = 0
  const queriesOn = (queries: Queries): Queries => {
    const send = <Result>(run: () => Promise<Result>): Promise<Result> => {
      sent += 1
      return sent >= last ? Promise.reject(new Error('the process is gone')) : run()
    }
    return {
      rows: <Row extends object>(statement: Statement, values?: readonly unknown[]) =>
        send(() => queries.rows<Row>(statement, values)),
      count: (statement, values) => send(() => queries.count(statement, values)),
    }
  }
  const dying: Database = {
    ...database,
    ...queriesOn(database),
    background: queriesOn(database.background),
    transaction: (work) => database.transaction((tx) => work(queriesOn(tx))),
  }
  return { database: dying, sent: () => sent }
}
