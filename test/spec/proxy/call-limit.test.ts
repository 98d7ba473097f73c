import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { type CallLog, createCallLog } from '#flows/proxy/call-log.ts'
import { encodeNumber, newShardId } from '#platform/crypto/ids.ts'
import { limitCalls } from '#store/apps/calls.ts'
import { insertAccount } from '#store/identity/accounts.ts'
import { migrate } from '#store/migrate.ts'
import { type Opened, openPrepared, quiet } from '../../store/opened.ts'

const MAX_CALLS = 10_000
const SHARD = 5
const NOW = 1_800_000_000_000
const [BUSY, OTHER] = [newShardId(SHARD, NOW), newShardId(SHARD, NOW)]

let opened: Opened
const sql = <Row extends object>(text: string, values: unknown[] = []) =>
  opened.database.rows<Row>({ name: '', text }, values)
beforeEach(async () => {
  opened = await openPrepared()
  await migrate(opened.database, 1)
  for (const id of [BUSY, OTHER])
    await insertAccount(opened.database, { shard: SHARD, id, appId: 'app', shards: [SHARD], createdAt: 0 })
})
afterEach(() => opened.close())

/** Calls that were logged before, the newest one a second ago. */
const logged = (account: string, count: number) =>
  sql(
    `insert into call_log (shard, id, app_id, account_id, at, method, service, path, status, ms, bytes, refreshed, retried, request_id)
     select ${SHARD}, $1 || lpad(n::text, 8, '0') || $2, 'app', $2, n, 'GET', 'shop', '/', 200, 1, 1, false, false, 'r'
     from generate_series(1, $3::int) n`,
    [encodeNumber(NOW - 1000, 10), account, count],
  )
const countOf = async (account: string) => {
  const [row] = await sql<{ n: number; oldest: number }>(
    'select count(*)::int as n, min(at)::float8 as oldest from call_log where account_id = $1',
    [account],
  )
  return row!
}
const openLog = () => createCallLog({ database: opened.database, clock: { now: () => NOW }, log: quiet })
const call = (log: CallLog, accountId: string, times: number) => {
  for (let n = 0; n < times; n += 1)
    log.add({
      shard: SHARD,
      appId: 'app',
      accountId,
      at: NOW,
      method: 'GET',
      service: 'shop',
      path: '/',
      status: 200,
      ms: 1,
      bytes: 1,
      refreshed: false,
      retried: false,
      requestId: 'r',
      secrets: [],
    })
}

suite('the call log of an account', () => {
  test('keeps its newest entries, and those of others', async () => {
    await logged(BUSY, MAX_CALLS + 200)
    await logged(OTHER, MAX_CALLS)
    const log = openLog()
    call(log, BUSY, 999)
    call(log, OTHER, 10)
    await log.close()
    assert.equal((await countOf(BUSY)).n, MAX_CALLS + 1199, 'a removal follows each thousand')
    const next = openLog()
    call(next, BUSY, 1000)
    await next.close()
    assert.deepEqual(await countOf(BUSY), { n: MAX_CALLS, oldest: 2200 })
    assert.equal((await countOf(OTHER)).n, MAX_CALLS + 10)
  })

  test('of four processes that write all the time has no more than each may add', async () => {
    const logs = Array.from({ length: 4 }, openLog)
    for (let round = 0; round < 4; round += 1) for (const log of logs) call(log, BUSY, 1100)
    await Promise.all(logs.map((log) => log.close()))
    const { n } = await countOf(BUSY)
    assert.ok(n <= MAX_CALLS + 4 * 1000, String(n))
    assert.ok(n >= MAX_CALLS, String(n))
  })

  test('of which the process ended before the removal is shortened by the next one', async () => {
    await logged(BUSY, MAX_CALLS + 12_000)
    const done: number[] = []
    for (;;) {
      const { done: removed, more } = await limitCalls(opened.database, { shard: SHARD, accountId: BUSY })
      done.push(removed)
      if (!more) break
    }
    assert.deepEqual(done, [5000, 5000, 2000])
    assert.deepEqual(await countOf(BUSY), { n: MAX_CALLS, oldest: 12_001 })
  })
})
