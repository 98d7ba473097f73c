import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { newShardId, shardIn } from '#platform/crypto/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { isSharded } from '#store/cluster/is-sharded.ts'
import { writeForStoredAccounts } from '#store/log/accounts-of-log.ts'
import { migrate } from '#store/migrate.ts'
import { type Opened, openPrepared } from '../opened.ts'

const NOW = 1_900_000_000_000
const MANY_SHARDS = 9

suite('the accounts of entries of the log', () => {
  let opened: Opened
  before(async () => {
    opened = await openPrepared()
    await migrate(opened.database, NOW)
  })
  after(() => opened.close())

  const accountIn = async (shard: number, mergedInto: string | null = null) => {
    const id = newShardId(shard, NOW)
    await opened.database.rows({
      name: '',
      text: 'insert into account (shard, id, app_id, shards, created_at, merged_into) values ($1, $2, $3, $4, 1, $5)',
      values: [shard, id, 'app', [shard], mergedInto],
    })
    return id
  }
  /** The accounts that the entries were written with, and the names of the look-ups before and after. */
  const write = async (ids: readonly string[]) => {
    const names: string[] = []
    const watched: Queries = {
      rows: (statement, values) => {
        names.push(statement.name)
        return opened.database.rows(statement, values)
      },
      count: (statement, values) => opened.database.count(statement, values),
    }
    const written: (string | undefined)[] = []
    const entries = ids.map((accountId) => ({ shard: shardIn(accountId), accountId }))
    const erased = await writeForStoredAccounts(watched, entries, async (kept) => {
      written.push(...kept.map(({ accountId }) => accountId))
    })
    const lookUps = names.filter((name) => name.startsWith('log-accounts'))
    return { written, erased: erased.map(({ accountId }) => accountId), lookUps }
  }

  test('are looked up in their shard, where there is one', async () => {
    const [one, other] = [await accountIn(7), await accountIn(7)]
    const gone = newShardId(7, NOW)
    const { written, erased, lookUps } = await write([one, gone, other, one])
    assert.deepEqual([written, erased], [[one, other, one], [gone]])
    assert.deepEqual(lookUps, ['log-accounts', 'log-accounts'])
  })

  test('of few shards are looked up one by one where the rows are divided, and followed to where they were merged', async () => {
    const into = await accountIn(11)
    const merged = await accountIn(12, into)
    const { written, lookUps } = await write([merged, into])
    assert.deepEqual(written, [into, into])
    const before = (await isSharded(opened.database)) ? ['log-accounts', 'log-accounts'] : ['log-accounts-of-shards']
    assert.deepEqual(lookUps, [...before, 'log-accounts'])
  })

  test('of many shards are looked up by one statement', async () => {
    const ids = await Promise.all(Array.from({ length: MANY_SHARDS }, (_, i) => accountIn(100 + i)))
    const { written, lookUps } = await write(ids)
    assert.deepEqual(written, ids)
    assert.deepEqual(lookUps, ['log-accounts-of-shards', 'log-accounts-of-shards'])
  })
})
