import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import type { Person } from '../../harness/person.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'

interface Letter {
  profile: string
  item: string
  seq: number
  reason: string
}

const name = (i: number) => `n${String(i).padStart(3, '0')}`

suite('rejected rows', () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  let app: Tenant
  let ada: Person
  before(async () => {
    harness = await startPushHarness({ firstWaitMs: 200 })
  })
  after(() => harness.stop())
  beforeEach(async () => {
    theirs = await clientDatabase()
    app = await harness.newTenant()
    ada = await app.newPerson()
  })
  afterEach(() => theirs.drop())

  const deadLettersIn = async ({ id }: { id: string }) =>
    (await app.ask('GET', `/push/${id}/dead-letters`)).body as unknown as Letter[]

  /** A destination with its tables and an additional constraint of the app. */
  const withRule = async (rule: string) => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(ada, [{ id: 'first' }])
    await until('the tables exist', async () => (await theirs.live()).length === 1)
    await theirs.sql(`alter table tributary_items add constraint no_poison check (${rule})`)
    return made
  }

  /** Counts attempts to write items from now on; a sequence counts those that are rolled back, too. */
  const countWrites = async () => {
    await theirs.sql('create sequence writes')
    await theirs.sql(`create function count_write() returns trigger language plpgsql as $$ begin
      perform nextval('writes'); return null; end $$`)
    await theirs.sql('create trigger count_write before insert on tributary_items execute function count_write()')
    return async () => (await theirs.sql<{ n: number }>('select last_value::int as n from writes'))[0]!.n
  }

  test('P14 of 500 rows, 3 become dead letters with the reason and 497 are delivered in few writes; after a fix, redrive delivers the 3', async () => {
    const made = await withRule(`data ->> 'poison' is null`)
    const writes = await countWrites()
    const bad = [17, 230, 499]
    await harness.put(
      ada,
      Array.from({ length: 500 }, (_, i) => ({ id: name(i), ...(bad.includes(i) ? { poison: 'yes' } : {}) })),
    )
    await until('497 are delivered', async () => (await theirs.live()).length === 498)
    await app.caughtUp(made)
    const deadLetters = await deadLettersIn(made)
    assert.deepEqual(
      deadLetters.map(({ seq }) => seq).sort((a, b) => a - b),
      bad.map((i) => i + 2),
    )
    for (const { reason } of deadLetters) assert.match(reason, /^23514 .*no_poison/)
    const shown = await app.show(made)
    assert.deepEqual([shown.state, shown.dead_letters, shown.rows], ['active', 3, 498])
    const [checkpoint] = await theirs.sql<{ seq: number }>('select seq::int as seq from tributary_checkpoint')
    assert.equal(checkpoint!.seq, 501)
    assert.equal(await writes(), 7, 'each refused row is named by the server, and tried once alone')

    // Without a fix they are rejected again.
    assert.deepEqual((await app.ask('POST', `/push/${made.id}/redrive`)).body, { profiles: 1 })
    await app.caughtUp(made)
    assert.equal((await deadLettersIn(made)).length, 3)

    await theirs.sql('alter table tributary_items drop constraint no_poison')
    await app.ask('POST', `/push/${made.id}/redrive`)
    await until('all are delivered', async () => (await theirs.live()).length === 501)
    await until('no dead letters are left', async () => (await deadLettersIn(made)).length === 0)
    await app.caughtUp(made)
    assert.deepEqual((await app.ask('POST', `/push/${made.id}/redrive`)).body, { profiles: 0 })
  })

  test('rejected rows that the server does not name, or names wrongly, are found by halving, and no good row becomes a dead letter', async () => {
    const made = await withRule('true')
    await app.ask('POST', `/push/${made.id}/pause`)
    await harness.put(
      ada,
      Array.from({ length: 100 }, (_, i) => ({ id: name(i) })),
    )
    const [good] = await harness.sql<{ id: string }>(
      `select replace(id::text, '-', '') as id from item where native_id = 'n003' order by updated_at desc limit 1`,
    )
    for (const [bad, lie] of [
      [
        'n080',
        `, detail = format('Failing row contains (%s, ${good!.id}_%s, …)', new.profile_id, split_part(new.id, '_', 2))`,
      ],
      ['n017', ''],
    ]) {
      await theirs.sql(`create or replace function refuse() returns trigger language plpgsql as $$ begin
        if new.native_id = '${bad}' then raise exception 'not ${bad}' using errcode = '23514', table = 'tributary_items'${lie}; end if;
        return new; end $$`)
      await theirs.sql(
        'create or replace trigger refuse before insert on tributary_items for each row execute function refuse()',
      )
      await theirs.sql(`delete from tributary_items where native_id <> 'first'`)
      await app.ask('POST', `/push/${made.id}/resume`)
      await app.ask('POST', `/push/${made.id}/backfill`)
      await until('99 are delivered', async () => (await theirs.live()).length === 100)
      await app.caughtUp(made)
      assert.deepEqual(
        (await deadLettersIn(made)).map(({ reason }) => reason),
        [`23514 not ${bad}`],
      )
    }
  })

  test('a dead letter is cleared when its item becomes valid or is deleted', async () => {
    const made = await withRule(`data ->> 'poison' is null`)
    await harness.put(ada, [{ id: 'x', poison: 1 }, { id: 'y', poison: 1 }, { id: 'z', poison: 1 }, { id: 'fine' }])
    await until('the fine one is delivered', async () => (await theirs.live()).includes('fine'))
    await until('three dead letters', async () => (await deadLettersIn(made)).length === 3)
    await harness.put(ada, [{ id: 'x', cured: true }])
    await until('it is delivered', async () => (await theirs.live()).includes('x'))
    await until('two dead letters', async () => (await deadLettersIn(made)).length === 2)
    await harness.take(ada, ['y'])
    await until('one dead letter', async () => (await deadLettersIn(made)).length === 1)
    // A redrive does not deliver items that were deleted since.
    await harness.sql(`delete from item where native_id = 'z'`)
    await app.ask('POST', `/push/${made.id}/redrive`)
    await until('no dead letter', async () => (await deadLettersIn(made)).length === 0)
    assert.deepEqual(await theirs.live(), ['fine', 'first', 'x'])
  })

  test('a delete that a foreign key prevents becomes a dead letter, and redrive delivers it', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url, options: { deletes: 'hard' } })
    await harness.put(ada, [{ id: 'a' }, { id: 'b' }])
    await until('both are delivered', async () => (await theirs.live()).length === 2)
    await theirs.sql(
      'create table liked (profile_id text, item_id text, foreign key (profile_id, item_id) references tributary_items)',
    )
    await theirs.sql(`insert into liked select profile_id, id from tributary_items where native_id = 'a'`)
    await harness.take(ada, ['a', 'b'])
    await until('a dead letter', async () => (await deadLettersIn(made)).length === 1)
    assert.match((await deadLettersIn(made))[0]!.reason, /^23503 .*liked/)
    assert.deepEqual(await theirs.live(), ['a'])
    await app.ask('POST', `/push/${made.id}/redrive`)
    await app.caughtUp(made)
    assert.equal((await deadLettersIn(made)).length, 1, 'without a cure it stays aside')
    await theirs.sql('delete from liked')
    await app.ask('POST', `/push/${made.id}/redrive`)
    await until('it is gone', async () => (await theirs.live()).length === 0)
    await until('no dead letter', async () => (await deadLettersIn(made)).length === 0)
  })

  test('when most rows are rejected the destination fails, no row becomes a dead letter, and all are delivered later', async () => {
    const made = await withRule(`native_id = 'first'`)
    await harness.put(
      ada,
      Array.from({ length: 300 }, (_, i) => ({ id: name(i) })),
    )
    await until('it fails', async () => (await app.show(made)).state === 'failing')
    const shown = await app.show(made)
    assert.match(shown.last_error!, /Most rows are rejected: 23514/)
    assert.equal(shown.dead_letters, 0)
    await theirs.sql('alter table tributary_items drop constraint no_poison')
    await until('all are delivered', async () => (await theirs.live()).length === 301)
    await until('it is active', async () => (await app.show(made)).state === 'active')
  })

  test('a profile that always fails does not delay others', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(ada, [{ id: 'first' }])
    await until('the tables exist', async () => (await theirs.live()).length === 1)
    // A trigger that raises an error: the server names no row.
    await theirs.sql(`create function refuse() returns trigger language plpgsql as $$ begin
      if new.native_id = 'cursed' then raise exception 'not this one' using errcode = '57014'; end if; return new; end $$`)
    await theirs.sql('create trigger refuse before insert on tributary_items for each row execute function refuse()')
    await harness.put(ada, [{ id: 'cursed' }])
    await until('it has failed', async () => (await app.show(made)).profiles_failing === 1)
    const people = await Promise.all(Array.from({ length: 5 }, () => app.newPerson()))
    for (const [i, person] of people.entries()) await harness.put(person, [{ id: name(i) }])
    await until('the others are delivered', async () => (await theirs.live()).length === 6)
    await until('only the failing one is behind', async () => {
      const { profiles_failing: failing, changes_behind: behind } = await app.show(made)
      assert.equal(failing, 1)
      return behind === 1
    })
    await theirs.sql('drop trigger refuse on tributary_items')
    await app.ask('POST', `/push/${made.id}/resume`)
    await until('it is there too', async () => (await theirs.live()).includes('cursed'))
  })
})
