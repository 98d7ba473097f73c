import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { systemClock } from '#platform/clock.ts'
import { randomSecret } from '#platform/crypto/ids.ts'
import { openEmbedded } from '#platform/embedded-postgres/open.ts'
import { createLog } from '#platform/telemetry/log.ts'

/** Starts the embedded PostgreSQL for the tests of one run, in a folder that is removed afterwards. */
export async function onEmbedded(work: (url: string) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-suite-'))
  // As root the database runs as another user, who needs search permission on this folder.
  chmodSync(dataDir, 0o711)
  const log = createLog({
    level: 'warn',
    format: 'text',
    clock: systemClock,
    write: (line) => process.stderr.write(line),
  })
  const embedded = await openEmbedded({ dataDir, password: randomSecret(), log })
  try {
    await commitWithoutWaiting(embedded.url)
    await work(embedded.url)
  } finally {
    await embedded.release()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** This database ends with the tests, and tests that kill a database start their own: no commit waits for the disk. */
async function commitWithoutWaiting(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('alter role current_user set synchronous_commit = off')
  } finally {
    await client.end()
  }
}
