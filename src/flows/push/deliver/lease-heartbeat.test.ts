import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createLog } from '#platform/telemetry/log.ts'
import type { Cursor } from '#store/push/leases.ts'
import { keepLease } from './lease-heartbeat.ts'

const LEASE_MS = 30_000
const cursor: unknown = { shard: 1, destinationId: 'dst_1', profileId: 'prf_1', token: 'tok_1', epoch: 1 }

function start(context: TestContext) {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const lines: { message: string; destination: string; error: { message: string } }[] = []
  const clock = { nowMs: 0, now: () => clock.nowMs }
  const log = createLog({ level: 'info', format: 'json', clock, write: (line) => lines.push(JSON.parse(line)) })
  const database = { calls: 0, response: async (): Promise<number> => 1 }
  const count = () => {
    database.calls += 1
    return database.response()
  }
  const lease = keepLease({ database: { rows: async () => [], count }, clock, log }, cursor as Cursor)
  const beat = async () => {
    clock.nowMs += LEASE_MS / 3
    context.mock.timers.tick(LEASE_MS / 3)
    await setImmediate()
  }
  return { lease, lines, log, database, beat }
}

suite('the lease of a delivery', () => {
  test('a failing heartbeat is counted, and logged once until it works again', async (context) => {
    const { lease, lines, log, database, beat } = start(context)
    await beat()
    assert.deepEqual([database.calls, lines], [1, []])
    database.response = () => Promise.reject(new Error('the database is away'))
    for (let beats = 0; beats < 3; beats += 1) await beat()
    assert.equal(database.calls, 4)
    assert.equal(lines.length, 1)
    assert.equal(lines[0]!.destination, 'dst_1')
    assert.match(JSON.stringify(lines[0]), /the database is away/)
    database.response = async () => 1
    await beat()
    database.response = () => Promise.reject(new Error('away once more'))
    for (let beats = 0; beats < 2; beats += 1) await beat()
    assert.equal(lines.length, 2)
    assert.deepEqual(log.counts(), [{ level: 'warn', message: 'the heartbeat of a delivery failed', count: 2 }])
    lease.stop()
  })

  test('a failed heartbeat does not renew the lease: the database is queried before the next write', async (context) => {
    const { lease, database, beat } = start(context)
    database.response = () => Promise.reject(new Error('away'))
    for (let beats = 0; beats < 2; beats += 1) await beat()
    // The lease expired, and another run took it.
    database.response = async () => 0
    assert.equal(await lease.isHeld(), false)
    lease.stop()
  })

  test('a failed heartbeat does not lose the lease; a lease that another run took is lost', async (context) => {
    const { lease, database, beat } = start(context)
    database.response = () => Promise.reject(new Error('away'))
    await beat()
    database.response = async () => 1
    assert.equal(await lease.isHeld(), true)
    database.response = async () => 0
    await beat()
    assert.equal(await lease.isHeld(), false)
    lease.stop()
    const { calls } = database
    await beat()
    assert.equal(database.calls, calls)
  })
})
