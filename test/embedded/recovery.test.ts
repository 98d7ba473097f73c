import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { processesIn } from '#platform/embedded-postgres/processes.ts'
import { codeOf } from '#platform/errors.ts'
import { until } from '../harness/until.ts'
import { fixture, isRoot } from './holders.ts'

const postmasterOf = (cluster: string) => Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0])

test('recovery after kills', async (t) => {
  const { cluster, dataDir, hold, killPostgres } = await fixture(t)

  await t.test('a killed process leaves the database to the next one, which stops it', async () => {
    const first = hold()
    await first.opened
    await first.kill()
    const second = hold()
    assert.equal((await second.opened).started, 'shared')
    assert.equal((await readdir(join(dataDir, 'postgres/leases'))).length, 2)
    await second.leave()
    assert.deepEqual(await processesIn(cluster), [])
    assert.deepEqual(await readdir(join(dataDir, 'postgres/leases')), [])
  })

  await t.test('a killed process neither keeps the database running nor stops it for the others', async () => {
    const first = hold()
    await first.opened
    const second = hold()
    await second.opened
    await first.kill()
    assert.deepEqual((await second.send('SELECT 1 AS n')).rows, [{ n: 1 }])
    await second.leave()
    assert.deepEqual(await processesIn(cluster), [])
  })

  await t.test(
    'a killed postmaster is restarted by a new process or by one that still holds the database',
    async () => {
      const first = hold()
      await first.opened
      await first.send('CREATE TABLE IF NOT EXISTS t AS SELECT 7 AS n')
      process.kill(postmasterOf(cluster), 'SIGKILL')
      const second = hold()
      assert.equal((await second.opened).started, 'existing')
      assert.deepEqual((await second.send('SELECT n FROM t')).rows, [{ n: 7 }])
      process.kill(postmasterOf(cluster), 'SIGKILL')
      assert.equal((await first.send('ensure')).error, undefined)
      assert.deepEqual((await first.send('SELECT n FROM t')).rows, [{ n: 7 }])
      await first.leave()
      assert.deepEqual((await second.send('SELECT n FROM t')).rows, [{ n: 7 }])
      await second.leave()
      assert.deepEqual(await processesIn(cluster), [])
    },
  )

  await t.test('a backend that outlives its killed postmaster does not block the next start', async () => {
    const first = hold()
    await first.opened
    const spinning = first.send('DO $$ BEGIN LOOP END LOOP; END $$')
    await until('the backend spins', async () => (await processesIn(cluster)).some(spins))
    process.kill(postmasterOf(cluster), 'SIGKILL')
    const second = hold()
    assert.equal((await second.opened).started, 'existing')
    assert.deepEqual((await second.send('SELECT 1 AS n')).rows, [{ n: 1 }])
    assert.match((await spinning).error ?? '', /terminated|reset/)
    await second.leave()
  })

  await t.test('the database recovers when everything is killed at once', async () => {
    const first = hold()
    await first.opened
    await first.send('CREATE TABLE IF NOT EXISTS t AS SELECT 7 AS n')
    await Promise.all([first.kill(), killPostgres()])
    const second = hold()
    assert.equal((await second.opened).started, 'existing')
    assert.deepEqual((await second.send('SELECT n FROM t')).rows, [{ n: 7 }])
    await second.leave()
  })

  await t.test('a postmaster.pid whose process id was reused by another process is recognised as stale', async () => {
    const first = hold()
    await first.opened
    const { uid, gid } = statSync(cluster)
    const stranger = spawn('sleep', ['600'], { ...(isRoot ? { uid, gid } : {}), stdio: 'ignore' })
    t.after(() => stranger.kill())
    const pidFile = join(cluster, 'postmaster.pid')
    const stale = readFileSync(pidFile, 'utf8').replace(/^\d+/, String(stranger.pid))
    await Promise.all([first.kill(), killPostgres()])
    await writeFile(pidFile, stale)
    await writeFile(join(dataDir, 'postgres/run/.s.PGSQL.5432.lock'), stale)
    const second = hold()
    assert.equal((await second.opened).started, 'existing')
    assert.equal(stranger.exitCode ?? stranger.signalCode, null)
    await second.leave()
  })
})

for (const victims of ['our process', 'the whole tree'] as const) {
  test(`${victims} killed while the database is created: the next start creates it again`, async (t) => {
    const { cluster, dataDir, hold } = await fixture(t)
    const home = join(dataDir, 'postgres')
    const drafts = () => (existsSync(home) ? readdirSync(home).filter((name) => name.startsWith('data.new-')) : [])
    const first = hold()
    await until('initdb is half done', () => drafts().some((name) => existsSync(join(home, name, 'global/pg_control'))))
    const [draft = ''] = drafts()
    await first.kill()
    if (victims === 'the whole tree') {
      for (const pid of await processesIn(join(home, draft))) killIfRunning(pid)
    }
    assert.equal(existsSync(cluster), false)
    assert.deepEqual(drafts(), [draft])
    const second = hold()
    assert.equal((await second.opened).started, 'new')
    assert.deepEqual(drafts(), [])
    assert.deepEqual(
      (await readdir(home)).filter((name) => name.includes('new-')),
      [],
    )
    await second.leave()
  })
}

/** initdb ends by itself when one of its own processes is killed. */
function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

function spins(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(' DO')
}
