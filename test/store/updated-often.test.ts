import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Client } from 'pg'
import { migrate } from '#store/migrate.ts'
import { readMigrations } from '#store/read-migrations.ts'
import { PARTITIONS, partitionName, partitionTables } from '../runner/partition-tables.ts'
import { type Opened, openFresh } from './opened.ts'

const TABLES = ['profile_sync', 'endpoint_sync', 'delivery_cursor', 'credential', 'feed', 'open_sign_in', 'rate_limit']
const FILE = /^\d+-updated-often\.sql$/

async function settingsOf(opened: Opened, tables: readonly string[]) {
  const rows = await opened.database.rows<{ name: string; settings: string }>(
    {
      name: 'test-settings',
      text: `select relname as name, array_to_string(reloptions, ' ') as settings from pg_class where relname = any($1)`,
    },
    [tables],
  )
  return new Map(rows.map(({ name, settings }) => [name, settings]))
}

const assertSet = (settings: Map<string, string>, tables: readonly string[]) => {
  for (const table of tables) assert.match(settings.get(table) ?? '', /fillfactor=\d+ autovacuum_/, table)
}

suite('tables that are updated often', () => {
  test('keep space free on their pages, and have a threshold of their own for the vacuum', async () => {
    const opened = await openFresh()
    try {
      await migrate(opened.database, 1)
      assertSet(await settingsOf(opened, TABLES), TABLES)
    } finally {
      await opened.close()
    }
  })

  test('so do their partitions, of which a migration is told nothing', async () => {
    const opened = await openFresh()
    const client = new Client({ connectionString: opened.url })
    try {
      const migrations = readMigrations()
      const at = migrations.findIndex(({ name }) => FILE.test(name))
      await migrate(opened.database, 1, migrations.slice(0, at))
      await client.connect()
      await partitionTables(client)
      await migrate(opened.database, 1, migrations)
      const partitions = TABLES.flatMap((table) =>
        Array.from({ length: PARTITIONS }, (_, n) => partitionName(table, n)),
      )
      assertSet(await settingsOf(opened, partitions), partitions)
    } finally {
      await client.end()
      await opened.close()
    }
  })
})
