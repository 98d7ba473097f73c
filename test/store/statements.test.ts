import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Client } from 'pg'
import { knownStatements } from '#platform/postgres/database.ts'
import { migrate } from '#store/migrate.ts'
import { type Opened, openPrepared } from './opened.ts'

let opened: Opened
let client: Client
before(async () => {
  opened = await openPrepared()
  await migrate(opened.database, 1)
  client = new Client({ connectionString: opened.url })
  await client.connect()
})
after(async () => {
  await client?.end()
  await opened?.close()
})

// The suites of every flow run on the newest PostgreSQL only; this shows that the older one can parse every statement.
test('this PostgreSQL can prepare every static statement', async () => {
  const root = join(import.meta.dirname, '../../src')
  const files = globSync('{store,flows}/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  for (const file of files) await import(join(root, file))
  // Others, like `analyze`, cannot be prepared.
  const statements = knownStatements().filter(({ text }) => /^(select|insert|update|delete|with)\b/i.test(text))
  assert.ok(statements.length > 50, `only ${statements.length} statements were found`)
  for (const [at, { name, text }] of statements.entries())
    await assert.doesNotReject(client.query(`prepare s${at} as ${text}`), `${name}: ${text}`)
})
