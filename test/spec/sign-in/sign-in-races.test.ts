import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { connectProfile } from '#identity/connect-profile.ts'
import type { IdentityDeps } from '#identity/deps.ts'
import { randomShard, shardFor } from '#platform/crypto/ids.ts'
import { notOnCluster } from '../../harness/database/cluster.ts'
import { openSql } from '../../harness/database/sql.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { until } from '../../harness/until.ts'
import { makeAccount } from '../accounts/made-accounts.ts'
import { openFlows, startQuietHarness } from './fixture.ts'

let harness: LabHarness
let flows: { deps: IdentityDeps; close: () => Promise<void> }
before(async () => {
  harness = await startQuietHarness()
  flows = await openFlows(harness)
})
after(async () => {
  await flows.close()
  await harness.stop()
})

const signIn = (appId: string, nativeId: string) =>
  flows.deps.database.transaction((tx) =>
    connectProfile(flows.deps, tx, {
      appId,
      service: 'demo-social',
      signedIn: { credential: { token: 'token' }, self: { id: nativeId, name: nativeId }, raw: '{}' },
      actor: 'test',
      account: { how: 'found' },
      shard: randomShard(),
    }),
  )

suite('concurrent first sign-ins of one person', () => {
  const skip = notOnCluster('the coordinator does not show that a statement waits for a lock on another node')
  test('the later one holds no lock of the service user while it waits for the account', { skip }, async () => {
    const app = await harness.makeApp({ services: ['demo-social'] })
    const account = await makeAccount(flows.deps, app.clientId, ['someone-else'])
    const nativeId = 'ada'
    const [first, second] = [openSql(harness.tributary.databaseUrl), openSql(harness.tributary.databaseUrl)]
    const waitsFor = (text: string) =>
      until(`a statement waits: ${text}`, async () => {
        const waiting = await harness.sql(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ $1`,
          [text],
        )
        return waiting.length > 0
      })
    try {
      // One sign-in has inserted the service user and not committed yet; another has locked the account.
      await first.sql('begin')
      await first.sql(
        `insert into service_user (shard, app_id, service, native_id, account_ids, used_at) values ($1, $2, $3, $4, $5, 0)`,
        [shardFor(`${app.clientId} demo-social ${nativeId}`), app.clientId, 'demo-social', nativeId, [account.id]],
      )
      await second.sql('begin')
      await second.sql('select 1 from account where id = $1 for update', [account.id])
      const connecting = signIn(app.clientId, nativeId)
      await waitsFor('insert into service_user')
      await first.sql('commit')
      await waitsFor('from account')
      // Fails at once if the sign-in holds the row: the two transactions would wait for each other.
      await second.sql('select 1 from service_user where app_id = $1 and native_id = $2 for update nowait', [
        app.clientId,
        nativeId,
      ])
      await second.sql('commit')
      assert.equal((await connecting)?.account.id, account.id)
    } finally {
      await first.close()
      await second.close()
    }
  })

  test('twenty at once end in one account', async () => {
    const app = await harness.makeApp({ services: ['demo-social'] })
    const connected = await Promise.all(Array.from({ length: 20 }, () => signIn(app.clientId, 'esra')))
    assert.equal(new Set(connected.map((each) => each?.account.id)).size, 1)
    assert.equal(new Set(connected.map((each) => each?.profile.id)).size, 1)
    assert.equal(new Set(connected.map((each) => each?.token)).size, 20)
  })

  test('a service user whose accounts are all gone gets one new account', async () => {
    const app = await harness.makeApp({ services: ['demo-social'] })
    await harness.sql(
      `insert into service_user (shard, app_id, service, native_id, account_ids, used_at) values ($1, $2, $3, $4, $5, 0)`,
      [
        shardFor(`${app.clientId} demo-social grace`),
        app.clientId,
        'demo-social',
        'grace',
        ['0001m7khtx05fw9nq3x2g7chz30g'],
      ],
    )
    const connected = await Promise.all(Array.from({ length: 20 }, () => signIn(app.clientId, 'grace')))
    assert.equal(new Set(connected.map((each) => each?.account.id)).size, 1)
  })
})
