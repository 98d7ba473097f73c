import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findData, removeData } from '#flows/operations/remove-data.ts'
import { processesIn } from '#platform/embedded-postgres/processes.ts'
import { embeddedFolders, removeEmbedded } from '#platform/embedded-postgres/remove.ts'
import { SetupError } from '#platform/errors.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { tributary } from '../harness/command-line.ts'
import { fixture, isRoot, movedTo } from './holders.ts'

const quiet = () => {}
const log: Log = {
  debugEnabled: false,
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: quiet,
  with: () => log,
  counts: () => [],
}
const refusal = (code: string) => (error: unknown) => error instanceof SetupError && error.code === code

test('reset refuses while a process uses the database, then removes what is ours and keeps the rest', async (t) => {
  const { cluster, dataDir, hold } = await fixture(t)
  const deps = { config: { dataDir, databaseUrl: undefined }, log }
  const holder = hold()
  await holder.opened
  writeFileSync(join(dataDir, 'keyring.json'), '{}')
  writeFileSync(join(dataDir, 'notes.txt'), 'of the operator')
  await assert.rejects(removeData(deps), refusal('data_folder_in_use'))
  assert.deepEqual((await holder.send('SELECT 1 AS n')).rows, [{ n: 1 }])
  assert.ok(existsSync(join(dataDir, 'keyring.json')))
  // Killed, it leaves a lease without a process, and PostgreSQL runs on.
  await holder.kill()
  const { removed, kept } = await removeData(deps)
  const paths = ['postgres', 'postgres.log', 'keyring.json'].map((name) => join(dataDir, name))
  assert.deepEqual(removed, paths)
  assert.deepEqual(kept, [join(dataDir, 'notes.txt')])
  assert.deepEqual(await processesIn(cluster), [])
  assert.deepEqual(await findData(deps), [], 'a second time there is nothing to remove')
  const again = hold()
  assert.equal((await again.opened).started, 'new')
  await again.leave()
})

test('a reset that was interrupted is completed by the next one', async (t) => {
  const { dataDir } = await fixture(t)
  mkdirSync(join(dataDir, 'postgres.0123456789ab/data'), { recursive: true })
  assert.deepEqual((await removeData({ config: { dataDir, databaseUrl: undefined }, log })).kept, [])
  assert.equal(existsSync(dataDir), false, 'an empty data folder goes, too')
})

test('reset removes a database outside the data folder', { skip: !isRoot && 'needs root' }, async (t) => {
  const { dataDir, folder, hold, systemDir } = await fixture(t, 'closed/data')
  mkdirSync(join(folder, 'closed'))
  chmodSync(join(folder, 'closed'), 0o700)
  const holder = hold()
  await holder.opened
  await holder.leave()
  const home = movedTo(dataDir)!
  assert.deepEqual(await embeddedFolders({ dataDir, systemDir, log }), [home, join(dataDir, 'postgres')])
  assert.equal(await removeEmbedded({ dataDir, systemDir, log }), true)
  assert.equal(existsSync(home), false)
  assert.equal(existsSync(join(dataDir, 'postgres')), false)
})

test('reset does not follow a forged note of where the database is', async (t) => {
  const { dataDir, folder, systemDir } = await fixture(t)
  const other = join(folder, 'precious')
  mkdirSync(join(other, 'data'), { recursive: true })
  mkdirSync(join(dataDir, 'postgres'), { recursive: true })
  for (const named of [other, `${systemDir}/../precious`, systemDir]) {
    mkdirSync(systemDir, { recursive: true })
    writeFileSync(join(dataDir, 'postgres/moved-to'), `${named}\n`)
    await assert.rejects(removeEmbedded({ dataDir, systemDir, log }), refusal('data_folder_refused'), named)
    assert.ok(readdirSync(other).includes('data'), named)
  }
})

test('the command asks for a confirmation, and leaves a database of the operator alone', async (t) => {
  const { dataDir } = await fixture(t)
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'admin-token'), 'x')
  const asked = await tributary(['reset', '--data', dataDir])
  assert.equal(asked.code, 2)
  assert.match(asked.stderr, /This removes .*admin-token\. It cannot be undone\. Add --yes/)
  const own = await tributary(['reset', '--yes', '--data', dataDir], {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x',
  })
  assert.match(own.stderr, /DATABASE_URL names a database of your own/)
  assert.ok(existsSync(join(dataDir, 'admin-token')))
  const done = await tributary(['reset', '--yes', '--data', dataDir, '--json'])
  assert.deepEqual(JSON.parse(done.stdout), { removed: [join(dataDir, 'admin-token')], kept: [] })
  assert.equal((await tributary(['reset', '--data', dataDir])).stdout, 'Nothing to remove.\n')
})
