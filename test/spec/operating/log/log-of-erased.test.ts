// What waits in memory to be logged must not appear after its account was erased, whichever process erased it.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Client } from 'pg'
import { createCallLog, type NewCall } from '#flows/proxy/call-log.ts'
import { createOperationLog } from '#store/log/operation-log.ts'
import { newOperationId, type OperationPart } from '#store/log/operations.ts'
import { basic } from '../../../harness/app.ts'
import { startSecondServer } from '../../../harness/database/second-server.ts'
import type { LabHarness } from '../../../harness/lab.ts'
import { LOOPBACK } from '../../../harness/loopback.ts'
import { get, send } from '../../../harness/send.ts'
import { type Granted, signIn } from '../../../harness/sign-in.ts'
import { until } from '../../../harness/until.ts'
import { CONNECTORS, startQuietHarness } from '../../sign-in/fixture.ts'

const SERVICE = 'demo-social'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const shardOfAccount = async (account: string) =>
  (await harness.sql<{ shard: number }>('select shard from account where id = $1', [account]))[0]!.shard
const erase = (account: string) => send(harness, 'DELETE', `/accounts/${account}`, { headers: basic(harness.app) })
const rowsOf = (account: string) =>
  harness.sql(
    `select 'operation' as what, id from operation where account_id = $1 union all
     select 'call', id from call_log where account_id = $1`,
    [account],
  )
/** Logs as another process has them, and one entry of the account for each. */
async function otherProcess(account: string) {
  const shard = await shardOfAccount(account)
  const { store } = harness.tributary
  const now = Date.now()
  const part: OperationPart = {
    shard,
    id: newOperationId(shard, now),
    appId: harness.app.clientId,
    kind: 'sync',
    service: SERVICE,
    accountId: account,
    profileId: undefined,
    at: now,
    endedAt: now,
    outcome: 'ok',
    reason: undefined,
    expiresAt: undefined,
    requestId: undefined,
    summary: 'logged late',
    steps: [],
  }
  const call: NewCall = {
    shard,
    appId: harness.app.clientId,
    accountId: account,
    at: now,
    method: 'GET',
    service: SERVICE,
    path: '/logged-late',
    status: 200,
    ms: 1,
    bytes: 1,
    refreshed: false,
    retried: false,
    secrets: [],
    requestId: 'r',
  }
  return { part, call, operations: createOperationLog(store), calls: createCallLog(store) }
}

suite('the log of an erased account', () => {
  test('entries that wait are dropped, in the process that erases and in another one; those of others are written', async () => {
    const [gone, kept] = [await signIn(harness, SERVICE, 'ada'), await signIn(harness, SERVICE, 'ben')]
    const [late, other] = [await otherProcess(gone.account), await otherProcess(kept.account)]
    for (const { part, call } of [late, other]) {
      late.operations.add(part)
      late.calls.add(call)
    }
    // A sign-in whose first part was written before its account was known.
    const begun = { ...late.part, id: newOperationId(late.part.shard, Date.now()), kind: 'sign_in' as const }
    late.operations.add({ ...begun, accountId: undefined })
    await late.operations.flush()
    late.operations.add(begun)
    late.operations.add(late.part)
    assert.equal((await erase(gone.account)).status, 200)
    await late.operations.flush()
    await late.calls.close()
    assert.deepEqual(await rowsOf(gone.account), [])
    assert.deepEqual(await harness.sql('select 1 from operation where id = $1', [begun.id]), [])
    const ids = (await rowsOf(kept.account)).map((row) => (row as { what: string }).what)
    assert.ok(ids.includes('operation') && ids.includes('call'), String(ids))
  })

  test('an erasure between the look-up and the write is noticed afterwards', async () => {
    const { account } = await signIn(harness, SERVICE, 'ada')
    // The service writes its log of this sign-in a little later, and would wait as well.
    const ended = `select 1 from operation where account_id = $1 and kind = 'sign_in' and outcome = 'ok'`
    await until('the sign-in is in the log', async () => (await harness.sql(ended, [account])).length > 0)
    const { part, call, operations, calls } = await otherProcess(account)
    const holder = new Client({ connectionString: harness.tributary.databaseUrl })
    await holder.connect()
    await holder.query('begin; lock table operation, call_log in access exclusive mode')
    operations.add(part)
    calls.add(call)
    const written = Promise.all([operations.flush(), calls.close()])
    try {
      await until('both wait to write', async () => {
        const [row] = await harness.sql<{ waiting: number }>(
          `select count(*)::int as waiting from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into%'`,
        )
        return row!.waiting === 2
      })
      // The log of the account is not erased here: what the erasure removed was not there yet.
      await harness.sql('delete from account where id = $1', [account])
    } finally {
      await holder.query('commit')
      await holder.end()
    }
    await written
    assert.deepEqual(await rowsOf(account), [])
  })

  test('a sign-in that is written while its app is deleted leaves nothing, and that of another app stays', async () => {
    const { account } = await signIn(harness, SERVICE, 'ada')
    const { part, operations } = await otherProcess(account)
    const ended = await harness.makeApp()
    const begun = (appId: string): OperationPart => {
      const id = newOperationId(part.shard, Date.now())
      return { ...part, id, appId, accountId: undefined, kind: 'sign_in', outcome: 'open' }
    }
    const [late, other] = [begun(ended.clientId), begun(harness.app.clientId)]
    // The deletion has removed the log of the app already, and not yet the app.
    await harness.sql('update app set deleting_at = 1 where id = $1', [ended.clientId])
    operations.add(late)
    operations.add(other)
    await operations.flush()
    const rows = await harness.sql('select id from operation where id = any($1)', [[late.id, other.id]])
    assert.deepEqual(rows, [{ id: other.id }])
  })

  test('entries of an account that was merged meanwhile go to the one that stays, and are erased with it', async () => {
    const [one, two] = [await signIn(harness, SERVICE, 'ada'), await signIn(harness, 'demo-health', 'ben')]
    const { part, call, operations, calls } = await otherProcess(one.account)
    operations.add(part)
    calls.add(call)
    const form = { source: one.access_token, dest: two.access_token }
    const merged = await send(harness, 'POST', '/auth/merge', { form, headers: basic(harness.app) })
    assert.ok(merged.status < 300, merged.text)
    await operations.flush()
    await calls.close()
    assert.deepEqual(await rowsOf(one.account), [])
    assert.ok((await rowsOf(two.account)).some((row) => (row as { id: string }).id === part.id))
    await erase(two.account)
    assert.deepEqual(await rowsOf(two.account), [])
    operations.add({ ...part, id: newOperationId(part.shard, Date.now()) })
    await operations.flush()
    assert.deepEqual([...(await rowsOf(one.account)), ...(await rowsOf(two.account))], [])
  })

  test('a call through one server, and the erasure through another', async () => {
    const ada: Granted = await signIn(harness, SERVICE, 'ada')
    const second = await startSecondServer(harness.tributary, {
      TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
      TRIBUTARY_CONNECTORS: CONNECTORS,
    })
    try {
      const called = await get(second, `/proxy/${SERVICE}/me`, ada.access_token)
      assert.equal(called.status, 200, called.text)
      assert.equal((await erase(ada.account)).status, 200)
    } finally {
      // Writes what waits.
      await second.stop()
    }
    assert.deepEqual(await rowsOf(ada.account), [])
  })
})
