import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { checkCluster } from '#flows/operations/cluster.ts'
import { placementSql } from '#store/cluster/placement-sql.ts'
import { readCluster } from '#store/cluster/read-cluster.ts'
import { migrate, planMigrations } from '#store/migrate.ts'
import { readMigrations } from '#store/read-migrations.ts'
import { CLUSTER_NODES, onNode } from '../../harness/database/cluster.ts'
import { openEmptyCluster } from '../opened.ts'
import { columnsOf, fillTables, sumsOf } from './fill-tables.ts'

const skip = CLUSTER_NODES.length === 0 && 'needs a sharded server: npm run test:citus'
const ALL = readMigrations()
/** Migrations only grow, so the first of them are the schema of an older release. */
const OLDER = [-1, -2, -3, -4, -5].map((back) => ALL.slice(0, back))

suite('a filled, distributed database', { skip }, () => {
  for (const older of OLDER)
    test(`of a release up to ${older.at(-1)!.name} is upgraded, and keeps every row`, async () => {
      const opened = await openEmptyCluster()
      try {
        await migrate(opened.database, 1, older)
        await onNode(opened.url, async (client) => {
          for (const text of placementSql((await readCluster(opened.database))!.tables)) await client.query(text)
          await fillTables(client)
          const columns = await columnsOf(client)
          const before = await sumsOf(client, columns)
          const empty = Object.entries(before).filter(([, sum]) => sum.startsWith('0 '))
          assert.deepEqual(empty, [])

          const rest = ALL.slice(older.length)
          // The files before the first one that builds indexes are one transaction, which the last of them breaks.
          const indexes = rest.findIndex(({ indexSteps }) => indexSteps !== undefined)
          const together = indexes === -1 ? rest : rest.slice(0, indexes)
          const broken = {
            name: '9999-broken.sql',
            checksum: '',
            sql: 'alter table item alter column id set statistics 9',
          }
          await assert.rejects(migrate(opened.database, 2, [...older, ...together, broken]))
          // So the release before still starts.
          assert.deepEqual((await planMigrations(opened.database, older)).pending, [])
          assert.deepEqual(await sumsOf(client, columns), before)

          await migrate(opened.database, 2)
          assert.deepEqual(await sumsOf(client, columns), before)
          assert.deepEqual((await checkCluster(opened)).problems, [])
        })
      } finally {
        await opened.close()
      }
    })
})
