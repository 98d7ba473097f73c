import assert from 'node:assert/strict'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, before, suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { codeOf } from '#platform/errors.ts'
import { withCopyConnection } from '#platform/postgres/copy.ts'
import { cuttableLine } from '../harness/database/cuttable-line.ts'
import { freshDatabase, type TestDatabase } from '../harness/database/database.ts'
import { openSql } from '../harness/database/sql.ts'
import { until } from '../harness/until.ts'

/** Two gigabytes, which the server makes as they are sent. */
const LARGE = `copy (select n, repeat('x', 100000) from generate_series(1, 20000) n) to stdout`

suite('copying', () => {
  let database: TestDatabase
  let opened: ReturnType<typeof openSql>
  before(async () => {
    database = await freshDatabase()
    opened = openSql(database.url)
    await opened.sql('create table number (n integer primary key)')
  })
  after(async () => {
    await opened.close()
    await database.drop()
  })
  const isWaiting = (event: string) =>
    until(`the server waits: ${event}`, async () => {
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and query like 'copy%' and wait_event = $1`
      return (await opened.sql(waiting, [event])).length > 0
    })
  const isGone = () =>
    until('the connection is gone', async () => {
      const others = `select 1 from pg_stat_activity where datname = current_database() and query like 'copy%'`
      return (await opened.sql(others)).length === 0
    })
  const count = async () => (await opened.sql<{ n: number }>('select count(*)::int as n from number'))[0]!.n

  /** Rows until the stream is destroyed; `bad` is in the middle of them. */
  async function* numbers(target: Writable, bad: number, instead: () => string): AsyncGenerator<Buffer> {
    for (let at = 0; !target.destroyed; at += 1000) {
      // A source that never waits would keep the process from reading what the server answers.
      await setImmediate()
      const rows = Array.from({ length: 1000 }, (_, i) => String(at + i))
      yield Buffer.from(`${(at === bad ? [...rows, instead()] : rows).join('\n')}\n`)
    }
  }

  test('rows go out and in unchanged, and the connection works on afterwards', async () => {
    const stored = await withCopyConnection(database.url, async (connection) => {
      await connection.run('begin')
      await pipeline([Buffer.from('1\n2\n'), Buffer.from('3\n')], connection.copyIn('copy number from stdin'))
      await pipeline([], connection.copyIn('copy number from stdin'))
      const rows = await connection.copyOut('copy (select n from number order by n) to stdout').toArray()
      const [row] = await connection.run<{ n: number }>('select count(*)::int as n from number')
      await connection.run('rollback')
      return [Buffer.concat(rows).toString(), row!.n]
    })
    assert.deepEqual(stored, ['1\n2\n3\n', 3])
  })

  test('out waits for its reader, who may stop early', async () => {
    await withCopyConnection(database.url, async (connection) => {
      for await (const rows of connection.copyOut(LARGE)) {
        assert.match(String(rows), /^1\tx/)
        await isWaiting('ClientWrite')
        break
      }
    })
    await isGone()
  })

  test('out fails with the error of the server after some rows', async () => {
    const text = 'copy (select 1 / (n - 500000) from generate_series(1, 1000000) n) to stdout'
    const reading = withCopyConnection(database.url, async (connection) => {
      let bytes = 0
      for await (const rows of connection.copyOut(text)) bytes += (rows as Buffer).length
      return bytes
    })
    await assert.rejects(reading, { code: '22012' })
  })

  test('out fails when the line is cut', async () => {
    const line = await cuttableLine(database.url)
    try {
      const reading = withCopyConnection(line.url, async (connection) => {
        for await (const rows of connection.copyOut(LARGE)) if ((rows as Buffer).length > 0) await line.cut()
      })
      await assert.rejects(reading, (error) => !/aborted/i.test(String(error)) && codeOf(error) !== 'ABORT_ERR')
      await isGone()
    } finally {
      await line.close()
    }
  })

  test('in stops at a row that the server refuses', async () => {
    const writing = withCopyConnection(database.url, (connection) => {
      const target = connection.copyIn('copy number from stdin')
      return pipeline(
        numbers(target, 100_000, () => 'x'),
        target,
      )
    })
    await assert.rejects(writing, { code: '22P02' })
    await isGone()
    assert.equal(await count(), 0)
  })

  test('in to a table that does not exist fails', async () => {
    const writing = withCopyConnection(database.url, (connection) => {
      const target = connection.copyIn('copy nothing from stdin')
      return pipeline(
        numbers(target, -1, () => ''),
        target,
      )
    })
    await assert.rejects(writing, { code: '42P01' })
  })

  test('in stores nothing when its source fails', async () => {
    const fault = new Error('the source failed')
    const writing = withCopyConnection(database.url, (connection) => {
      const target = connection.copyIn('copy number from stdin')
      return pipeline(
        numbers(target, 100_000, () => {
          throw fault
        }),
        target,
      )
    })
    await assert.rejects(writing, fault)
    await isGone()
    assert.equal(await count(), 0)
  })

  test('in waits for the server, and fails when the line is cut', async () => {
    const holder = openSql(database.url)
    const line = await cuttableLine(database.url)
    let sent = 0
    try {
      // The first row waits for another transaction with the same key, so nothing further is stored.
      await holder.sql('begin')
      await holder.sql('insert into number values (0)')
      const writing = withCopyConnection(line.url, (connection) => {
        const target = connection.copyIn('copy number from stdin')
        return pipeline(async function* source() {
          for await (const rows of numbers(target, -1, () => '')) {
            sent += rows.length
            yield rows
          }
        }, target)
      })
      const failing = assert.rejects(writing)
      await isWaiting('transactionid')
      let before = -1
      await until('nothing more is sent', () => {
        const isStill = sent === before
        before = sent
        return isStill
      })
      await line.cut()
      await failing
    } finally {
      await holder.close()
      await line.close()
    }
    await isGone()
    assert.equal(await count(), 0)
  })
})
