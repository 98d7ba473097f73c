import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chownSync, cpSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLinks, findPackage, prepareBinaries } from '#platform/embedded-postgres/binaries.ts'
import { locateDataFolder } from '#platform/embedded-postgres/data-folder.ts'
import { processesIn } from '#platform/embedded-postgres/processes.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { fixture, isRoot, movedTo, startsOf } from './holders.ts'

const skip = !isRoot && 'needs root'
const NOBODY = { uid: 65534, gid: 65534 }
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

test('started as root, it runs as a system user of its own', { skip }, async (t) => {
  const { cluster, hold } = await fixture(t)
  const holder = hold()
  await holder.opened
  const uid = Number(execFileSync('id', ['-u', 'tributary'], { encoding: 'utf8' }))
  for (const pid of await processesIn(cluster)) assert.equal(statSync(`/proc/${pid}`).uid, uid)
  assert.equal(statSync(cluster).uid, uid)
  await holder.leave()
})

test('started as a plain user, everything stays in a private data folder, which root may join', { skip }, async (t) => {
  const { cluster, dataDir, folder, hold } = await fixture(t, 'own/data')
  mkdirSync(join(folder, 'own'))
  chownSync(join(folder, 'own'), NOBODY.uid, NOBODY.gid)
  const plain = hold(NOBODY)
  assert.equal((await plain.opened).started, 'new')
  assert.equal(statSync(dataDir).mode & 0o777, 0o700)
  const root = hold()
  assert.equal((await root.opened).started, 'shared')
  await plain.leave()
  assert.deepEqual((await root.send('SELECT 1 AS n')).rows, [{ n: 1 }])
  await root.leave()
  assert.deepEqual(await processesIn(cluster), [])

  const rootFirst = hold()
  assert.equal((await rootFirst.opened).started, 'existing')
  for (const pid of await processesIn(cluster)) assert.equal(statSync(`/proc/${pid}`).uid, NOBODY.uid)
  const plainSecond = hold(NOBODY)
  assert.equal((await plainSecond.opened).started, 'shared')
  await rootFirst.leave()
  assert.deepEqual((await plainSecond.send('SELECT 1 AS n')).rows, [{ n: 1 }])
  await plainSecond.leave()
  assert.deepEqual(await processesIn(cluster), [])
})

test('in a folder closed to others, the database moves to the machine folder and says so', { skip }, async (t) => {
  const { dataDir, folder, hold, systemDir } = await fixture(t, 'closed/data')
  mkdirSync(join(folder, 'closed'), { mode: 0o700 })
  const holders = [hold(), hold()]
  const responses = await Promise.all(holders.map((holder) => holder.opened))
  assert.deepEqual(startsOf(responses), ['new', 'shared'])
  const home = movedTo(dataDir)!
  assert.ok(home.startsWith(systemDir))
  for (const { log: lines = [] } of responses) {
    // On a busy machine the second process may also report that it waits for the first.
    const messages = lines.filter((line) => !line.startsWith('Waiting for another process'))
    assert.ok(messages.some((line) => line.includes(home)) || messages.length === 0)
  }
  assert.ok(responses.some(({ log: lines = [] }) => lines.some((line) => line.includes(home))))
  assert.equal(existsSync(join(dataDir, 'postgres/data')), false)
  await holders[0]!.send('CREATE TABLE t AS SELECT 7 AS n')
  await Promise.all(holders.map((holder) => holder.leave()))

  const again = hold()
  const { log: lines, started } = await again.opened
  assert.deepEqual({ started, lines }, { started: 'existing', lines: [] })
  assert.deepEqual((await again.send('SELECT n FROM t')).rows, [{ n: 7 }])
  await again.leave()
  assert.deepEqual(await processesIn(join(home, 'data')), [])

  rmSync(home, { recursive: true })
  const lost = await hold().opened
  assert.equal(lost.code, 'database_missing')
})

test('binaries that the system user cannot reach are copied once, links included', { skip }, async (t) => {
  const { dataDir, folder, systemDir } = await fixture(t)
  const original = await findPackage()
  const closed = join(folder, 'closed')
  mkdirSync(closed, { mode: 0o700 })
  cpSync(original.folder, closed, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !lstatSync(path).isSymbolicLink(),
  })
  const links = JSON.parse(readFileSync(join(closed, 'native/pg-symlinks.json'), 'utf8')) as { target: string }[]
  const targets = links.map(({ target }) => join(closed, target))
  assert.ok(targets.length > 0 && !targets.some(existsSync))
  assert.deepEqual(await Promise.all([createLinks(closed), createLinks(closed)]), [true, true])
  assert.ok(targets.every(existsSync))

  const dataFolder = await locateDataFolder({ dataDir, systemDir, log })
  const options = { dataFolder, systemDir, log, package: { folder: closed, version: original.version } }
  const [first, second] = await Promise.all([prepareBinaries(options), prepareBinaries(options)])
  assert.ok(first.postgres.startsWith(systemDir))
  assert.deepEqual(second, first)
  assert.match(execFileSync(first.postgres, ['-V'], { ...NOBODY, encoding: 'utf8' }), /PostgreSQL\) 18/)
})
