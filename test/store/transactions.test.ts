import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { isUnavailable } from '#platform/errors.ts'
import { execute, statement } from '#platform/postgres/database.ts'
import { type Opened, openFresh } from './opened.ts'

const add = statement('t-add', 'insert into thing (id) values ($1)')
const all = statement('t-all', 'select id from thing order by id')
const addOne = statement('t-add-one', 'insert into thing (id) values ($id)')
const removeFrom = statement('t-remove-from', 'delete from thing where id >= $id')
const fail = statement('t-fail', 'select fail($code)')
const deadlocked = statement('t-deadlocked', 'select deadlocked($times) as n')
const myPid = statement('t-pid', 'select pg_backend_pid() as pid')
const end = statement('t-end', 'select pg_terminate_backend($1)')

let opened: Opened
const ids = async () => (await opened.database.rows<{ id: number }>(all)).map(({ id }) => id)

before(async () => {
  opened = await openFresh()
  await opened.database.script('create table thing (id bigint primary key)')
  await opened.database.script(
    `create function fail(code text) returns void language plpgsql as
     $$ begin if code <> '' then raise exception 'failed' using errcode = code; end if; end $$`,
  )
  // A sequence keeps its number when the statement is rolled back.
  await opened.database.script(
    `create sequence try; create function deadlocked(times int) returns int language plpgsql as
     $$ declare n int := nextval('try'); begin
       if n <= times then raise exception 'deadlocked' using errcode = '40P01'; end if; return n; end $$`,
  )
})
after(() => opened.close())

suite('a transaction', () => {
  test('commits all or nothing', async () => {
    assert.equal(
      await opened.database.transaction(async (tx) => {
        await tx.count(add, [1])
        await tx.count(add, [2])
        return 'done'
      }),
      'done',
    )
    const failing = opened.database.transaction(async (tx) => {
      await tx.count(add, [3])
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    await assert.rejects(
      opened.database.transaction(async (tx) => {
        await tx.count(add, [4])
        await tx.count(add, [1])
      }),
      { code: '23505' },
    )
    assert.deepEqual(await ids(), [1, 2])
  })

  test('sends statements without waiting, which run in their order', async () => {
    await opened.database.transaction(async (tx) => {
      await execute(tx, addOne.with({ id: 40 }))
      await execute(tx, addOne.with({ id: 41 }))
      assert.deepEqual(
        (await tx.rows<{ id: number }>(all)).map(({ id }) => id).filter((id) => id >= 40),
        [40, 41],
      )
      await execute(tx, removeFrom.with({ id: 41 }))
    })
    assert.deepEqual((await ids()).slice(-1), [40])
    await execute(opened.database, removeFrom.with({ id: 40 }))
  })

  test('of which a statement fails that was sent without waiting commits nothing, and throws its error', async () => {
    const before = await ids()
    const atCommit = opened.database.transaction(async (tx) => {
      await execute(tx, addOne.with({ id: 50 }))
      await execute(tx, addOne.with({ id: 1 }))
      await execute(tx, addOne.with({ id: 51 }))
    })
    await assert.rejects(atCommit, { code: '23505' })
    let isPast = false
    const atNext = opened.database.transaction(async (tx) => {
      await execute(tx, addOne.with({ id: 1 }))
      await tx.rows(all)
      isPast = true
    })
    await assert.rejects(atNext, { code: '23505' })
    assert.equal(isPast, false)
    const caught = opened.database.transaction(async (tx) => {
      await execute(tx, addOne.with({ id: 1 }))
      await tx.rows(all).catch(() => [])
      await execute(tx, addOne.with({ id: 52 }))
    })
    await assert.rejects(caught, { code: '23505' })
    assert.deepEqual(await ids(), before)
  })

  test('deadlocked by a statement that was sent without waiting is repeated', async () => {
    let tries = 0
    await opened.database.transaction(async (tx) => {
      tries += 1
      await execute(tx, fail.with({ code: tries < 3 ? '40P01' : '' }))
    })
    assert.equal(tries, 3)
  })

  test('of one statement, outside a transaction, is repeated too', async () => {
    const [row] = await opened.database.rows<{ n: number }>(deadlocked.with({ times: 2 }))
    assert.equal(row!.n, 3)
  })

  test('is invisible before its commit', async () => {
    await opened.database.transaction(async (tx) => {
      await tx.count(add, [10])
      assert.deepEqual((await ids()).includes(10), false)
    })
    assert.deepEqual((await ids()).includes(10), true)
  })

  test('leaves its connection usable for the next, however it ends', async () => {
    const narrow = opened.another({ pool: 1 })
    for (let i = 0; i < 20; i += 1) {
      await assert.rejects(narrow.transaction((tx) => tx.count(statement('t-wrong', 'select 1 / $1::int'), [0])))
      assert.deepEqual(await narrow.rows(statement('t-one', 'select 1 as one')), [{ one: 1 }])
    }
  })

  test('whose connection is lost during a statement fails as unavailable, and the process survives', async () => {
    const lost = opened.database.transaction(async (tx) => {
      const [row] = await tx.rows<{ pid: number }>(myPid)
      // Awaited together: the statement may fail before the other result is here.
      await Promise.all([tx.rows(statement('t-sleep', 'select pg_sleep(60)')), opened.another().rows(end, [row!.pid])])
    })
    await assert.rejects(lost, isUnavailable)
    assert.ok((await ids()).length > 0)
  })

  test('whose connection is lost between two statements fails as unavailable, and the process survives', async () => {
    const other = opened.another()
    const lost = opened.database.transaction(async (tx) => {
      const [row] = await tx.rows<{ pid: number }>(myPid)
      await tx.count(add, [20])
      await other.rows(end, [row!.pid])
      const gone = statement('t-gone', 'select 1 from pg_stat_activity where pid = $1')
      while ((await other.rows(gone, [row!.pid])).length > 0);
      // Two turns of the event loop, so that the end of the connection is read before the next statement.
      for (let i = 0; i < 2; i += 1) await new Promise((resolve) => setImmediate(resolve))
      await tx.count(add, [21])
    })
    await assert.rejects(lost, isUnavailable)
    assert.deepEqual(
      (await ids()).filter((id) => id >= 20),
      [],
    )
  })

  test('of a process that froze ends at the server: others get its locks, and it writes nothing', async () => {
    const freezing = opened.another({ idleTransactionMs: 200 })
    const lock = statement('t-lock', 'select id from thing where id = 1 for update')
    const frozen = freezing.transaction(async (tx) => {
      await tx.rows(lock)
      await tx.count(add, [30])
      // Sends nothing while another process waits for the lock, as if it were frozen.
      await opened.database.transaction((other) => other.rows(lock))
      await tx.count(add, [31])
    })
    await assert.rejects(frozen, isUnavailable)
    assert.deepEqual(
      (await ids()).filter((id) => id >= 30),
      [],
    )
  })

  test('any number of long reads leaves connections for short ones', async () => {
    const narrow = opened.another({ pool: 3 })
    const held = statement('t-held', 'select id from thing where id = 1 for update')
    let waiting: Promise<unknown>[] = []
    await opened.database.transaction(async (tx) => {
      await tx.rows(held)
      waiting = Array.from({ length: 6 }, () => narrow.background.rows(held))
      assert.deepEqual(await narrow.rows(statement('t-one', 'select 1 as one')), [{ one: 1 }])
      const blocked = statement(
        't-blocked',
        `select count(*) as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      while ((await narrow.rows<{ n: number }>(blocked))[0]!.n === 0);
      assert.deepEqual(await narrow.rows<{ n: number }>(blocked), [{ n: 1 }])
    })
    assert.equal((await Promise.all(waiting)).length, 6)
  })

  test('64-bit integers are numbers, and statements of one name have one text', async () => {
    const big = statement('t-big', 'select 9007199254740991::bigint as n, count(*) as c from thing')
    const [row] = await opened.database.rows<{ n: number; c: number }>(big)
    assert.equal(row?.n, Number.MAX_SAFE_INTEGER)
    assert.equal(typeof row?.c, 'number')
    assert.throws(() => statement('t-big', 'select 2'), /t-big/)
    assert.equal(statement('t-big', `${big.text}  `).text, big.text)
  })
})
