import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { migrate } from '#store/migrate.ts'
import { type Opened, openFresh } from './opened.ts'

const TABLES = ['profile_sync', 'endpoint_sync', 'delivery_cursor', 'credential', 'feed', 'open_sign_in', 'rate_limit']

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
})
