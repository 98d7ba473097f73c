import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { processesIn } from '#platform/embedded-postgres/processes.ts'
import { codeOf } from '#platform/errors.ts'
import { fixture, startsOf } from './holders.ts'

test('a first start creates a durable, private database; another process attaches and leaves without stopping it', async (t) => {
  const { cluster, dataDir, hold } = await fixture(t)
  const first = hold()
  const { started, url = '' } = await first.opened
  assert.equal(started, 'new')
  assert.deepEqual(
    (
      await first.send(
        `SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('fsync') AS fsync,
           current_setting('listen_addresses') AS listen, current_setting('TimeZone') AS zone, current_user AS who,
           datname AS database, datlocprovider AS provider, datlocale AS locale, pg_encoding_to_char(encoding) AS encoding
         FROM pg_database WHERE datname = current_database()`,
      )
    ).rows,
    [
      {
        major: 18,
        fsync: 'on',
        listen: '',
        zone: 'UTC',
        who: 'tributary',
        database: 'tributary',
        provider: 'b',
        locale: 'C.UTF-8',
        encoding: 'UTF8',
      },
    ],
  )
  for (const folder of [cluster, join(dataDir, 'postgres/run'), join(dataDir, 'postgres/leases')]) {
    assert.equal(statSync(folder).mode & 0o777, 0o700, folder)
  }
  const stranger = new Client({ connectionString: url.replace(/:[^:]*@/, ':wrong@') })
  await assert.rejects(stranger.connect(), (error) => codeOf(error) === '28P01')

  const second = hold()
  assert.equal((await second.opened).started, 'shared')
  await first.send('CREATE TABLE t AS SELECT 1 AS n')
  assert.deepEqual((await second.send('SELECT n FROM t')).rows, [{ n: 1 }])
  await second.leave()
  assert.deepEqual((await first.send('SELECT n FROM t')).rows, [{ n: 1 }])
  await first.leave()
  assert.deepEqual(await processesIn(cluster), [])

  const again = hold()
  assert.equal((await again.opened).started, 'existing')
  assert.deepEqual((await again.send('SELECT n FROM t')).rows, [{ n: 1 }])
  await again.leave()
})

test('of processes that start at the same time, one creates the database and the others share it', async (t) => {
  const { cluster, hold } = await fixture(t)
  const holders = [hold(), hold(), hold()]
  const responses = await Promise.all(holders.map((holder) => holder.opened))
  assert.deepEqual(startsOf(responses), ['new', 'shared', 'shared'])
  await Promise.all(holders.map((holder) => holder.leave()))
  assert.deepEqual(await processesIn(cluster), [])
})

test('processes that attach and leave', async (t) => {
  const { cluster, dataDir, hold } = await fixture(t)

  await t.test('the first process leaves while the second works on', async () => {
    const first = hold()
    await first.opened
    const second = hold()
    await second.opened
    await first.leave()
    assert.deepEqual((await second.send('SELECT 1 AS n')).rows, [{ n: 1 }])
    await second.leave()
    assert.deepEqual(await processesIn(cluster), [])
  })

  await t.test('attaching and leaving at the same time never meets a stopping database', async () => {
    const rounds = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const worked: unknown[] = []
        for (let round = 0; round < 5; round++) {
          const holder = hold()
          const { error } = await holder.opened
          worked.push(error ?? (await holder.send('SELECT 1 AS n')).rows)
          await holder.leave()
        }
        return worked
      }),
    )
    assert.deepEqual(
      rounds.flat(),
      Array.from({ length: 15 }, () => [{ n: 1 }]),
    )
    assert.deepEqual(await processesIn(cluster), [])
    assert.deepEqual(await readdir(join(dataDir, 'postgres/leases')), [])
  })

  await t.test('one process may hold it several times', async () => {
    const holder = hold()
    await holder.opened
    assert.equal((await holder.send('cycle')).started, 'shared')
    assert.deepEqual((await holder.send('SELECT 1 AS n')).rows, [{ n: 1 }])
    await holder.leave()
    assert.deepEqual(await processesIn(cluster), [])
  })

  await t.test('an interrupt for the process group does not reach the database', async () => {
    const holder = hold()
    await holder.opened
    process.kill(-holder.child.pid!, 'SIGINT')
    assert.deepEqual((await holder.send('SELECT 1 AS n')).rows, [{ n: 1 }])
    await holder.leave()
  })

  await t.test('a log over 10 MB is rotated at the next start', async () => {
    const log = join(dataDir, 'postgres.log')
    await writeFile(log, Buffer.alloc(10 * 1024 * 1024 + 1, 'x'))
    const holder = hold()
    await holder.opened
    await holder.leave()
    assert.ok(existsSync(`${log}.1`))
    assert.ok(statSync(log).size < 100_000)
  })
})

test('a path too long for a socket gets a loopback port', async (t) => {
  const { hold } = await fixture(t, `${'deep'.repeat(20)}/with space, "quotes" and ü`)
  const first = hold()
  assert.match((await first.opened).url!, /@127\.0\.0\.1:\d+\/tributary$/)
  const second = hold()
  assert.equal((await second.opened).started, 'shared')
  assert.deepEqual((await second.send('SELECT 1 AS n')).rows, [{ n: 1 }])
  await first.leave()
  await second.leave()
})

test('a folder with odd characters is reached by its socket', async (t) => {
  const { hold } = await fixture(t, `a "b", 'c' ü`)
  const holder = hold()
  assert.match((await holder.opened).url!, /\?host=%2F/)
  assert.deepEqual((await holder.send('SELECT 1 AS n')).rows, [{ n: 1 }])
  await holder.leave()
})
