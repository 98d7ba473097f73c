import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '#platform/postgres/database.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { migrate } from '#store/migrate.ts'
import { preparedDatabase } from '../harness/database/database.ts'
import { holdTable } from '../harness/database/hold-table.ts'
import { PROGRAM } from '../harness/program.ts'

const log = createLog({ level: 'silent', format: 'json', clock: { now: () => 0 }, write: () => {} })

test('a waiting command exits with 130 on Ctrl-C and leaves nothing half done', async (t) => {
  const { url, drop } = await preparedDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'tributary-interrupted-'))
  const database = openDatabase({ url, pool: 2, prepared: true, log })
  t.after(async () => {
    await database.close()
    await drop()
    rmSync(folder, { recursive: true })
  })
  await migrate(database, 1)
  const lock = await holdTable(url, 'app')
  const args = ['app', 'create', '--name', 'x', '--redirect-uri', 'https://a.test/']
  const env = { PATH: process.env['PATH'], TRIBUTARY_DATA: folder, DATABASE_URL: url }
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: 'ignore' })
  const ended = once(child, 'close') as Promise<[number | null]>
  await Promise.race([lock.awaited(), ended])
  child.kill('SIGINT')
  assert.deepEqual((await ended)[0], 130)
  await lock.release()
  assert.deepEqual(await database.rows({ name: '', text: 'select id from app' }), [])
})
