import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import {
  type ClientDatabase,
  clientDatabase,
  type Person,
  type PushHouse,
  startPushHouse,
  type Tenant,
  until,
} from './house.ts'

interface Letter {
  profile: string
  item: string
  seq: number
  reason: string
}

const name = (i: number) => `n${String(i).padStart(3, '0')}`

suite('rows that a destination will not take', () => {
  let house: PushHouse
  let theirs: ClientDatabase
  let app: Tenant
  let ada: Person
  before(async () => {
    house = await startPushHouse({ firstWaitMs: 200 })
  })
  after(() => house.stop())
  beforeEach(async () => {
    theirs = await clientDatabase()
    app = await house.newTenant()
    ada = await app.newPerson()
  })
  afterEach(() => theirs.drop())

  const lettersOf = async ({ id }: { id: string }) =>
    (await app.ask('GET', `/push/${id}/dead-letters`)).body as unknown as Letter[]

  /** A destination that has its tables, and a rule of the client's own on them. */
  const withRule = async (rule: string) => {
    const made = await app.add({ kind: 'postgres', url: theirs.url, options: { events: false } })
    await house.put(ada, [{ id: 'first' }])
    await until('tables are there', async () => (await theirs.live()).length === 1)
    await theirs.sql(`alter table tributary_items add constraint no_poison check (${rule})`)
    return made
  }

  test('three in 500 are set aside with the reason, 497 are there; mended, a redrive brings the three', async () => {
    const made = await withRule(`data ->> 'poison' is null`)
    const bad = [17, 230, 499]
    await house.put(
      ada,
      Array.from({ length: 500 }, (_, i) => ({ id: name(i), ...(bad.includes(i) ? { poison: 'yes' } : {}) })),
    )
    await until('497 are there', async () => (await theirs.live()).length === 498)
    await app.caughtUp(made)
    const letters = await lettersOf(made)
    assert.deepEqual(
      letters.map(({ seq }) => seq).sort((a, b) => a - b),
      bad.map((i) => i + 2),
    )
    for (const { reason } of letters) assert.match(reason, /^23514 .*no_poison/)
    const shown = await app.show(made)
    assert.deepEqual([shown.state, shown.dead_letters, shown.rows], ['active', 3, 498])
    const [checkpoint] = await theirs.sql<{ seq: number }>('select seq::int as seq from tributary_checkpoint')
    assert.equal(checkpoint!.seq, 501)

    // Tried again without a cure, they stay aside.
    assert.deepEqual((await app.ask('POST', `/push/${made.id}/redrive`)).body, { profiles: 1 })
    await app.caughtUp(made)
    assert.equal((await lettersOf(made)).length, 3)

    await theirs.sql('alter table tributary_items drop constraint no_poison')
    await app.ask('POST', `/push/${made.id}/redrive`)
    await until('all are there', async () => (await theirs.live()).length === 501)
    await until('no letters are left', async () => (await lettersOf(made)).length === 0)
    assert.deepEqual((await app.ask('POST', `/push/${made.id}/redrive`)).body, { profiles: 0 })
  })

  test('a row that changes for the better or goes away is no dead letter any more', async () => {
    const made = await withRule(`data ->> 'poison' is null`)
    await house.put(ada, [{ id: 'x', poison: 1 }, { id: 'y', poison: 1 }, { id: 'z', poison: 1 }, { id: 'fine' }])
    await until('the fine one is there', async () => (await theirs.live()).includes('fine'))
    await until('three letters', async () => (await lettersOf(made)).length === 3)
    await house.put(ada, [{ id: 'x', cured: true }])
    await until('it is there', async () => (await theirs.live()).includes('x'))
    await until('two letters', async () => (await lettersOf(made)).length === 2)
    await house.take(ada, ['y'])
    await until('one letter', async () => (await lettersOf(made)).length === 1)
    // What is gone since then is not sent by a redrive either.
    await house.sql(`delete from item where native_id = 'z'`)
    await app.ask('POST', `/push/${made.id}/redrive`)
    await until('no letter', async () => (await lettersOf(made)).length === 0)
    assert.deepEqual(await theirs.live(), ['fine', 'first', 'x'])
  })

  test('when nearly all are refused it is not the rows: the destination fails, nothing is set aside, and all come later', async () => {
    const made = await withRule(`native_id = 'first'`)
    await house.put(
      ada,
      Array.from({ length: 300 }, (_, i) => ({ id: name(i) })),
    )
    await until('it fails', async () => (await app.show(made)).state === 'failing')
    const shown = await app.show(made)
    assert.match(shown.last_error!, /Most rows are refused: 23514/)
    assert.equal(shown.dead_letters, 0)
    await theirs.sql('alter table tributary_items drop constraint no_poison')
    await until('all are there', async () => (await theirs.live()).length === 301)
    await until('it is active', async () => (await app.show(made)).state === 'active')
  })

  test('of one profile that always fails, the others do not hear', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await house.put(ada, [{ id: 'first' }])
    await until('tables are there', async () => (await theirs.live()).length === 1)
    // A trigger that raises: no fault of a row that the server would name.
    await theirs.sql(`create function refuse() returns trigger language plpgsql as $$ begin
      if new.native_id = 'cursed' then raise exception 'not this one' using errcode = '57014'; end if; return new; end $$`)
    await theirs.sql('create trigger refuse before insert on tributary_items for each row execute function refuse()')
    await house.put(ada, [{ id: 'cursed' }])
    await until('it has failed', async () => (await app.show(made)).profiles_failing === 1)
    const people = await Promise.all(Array.from({ length: 5 }, () => app.newPerson()))
    for (const [i, person] of people.entries()) await house.put(person, [{ id: name(i) }])
    await until('the others are there', async () => (await theirs.live()).length === 6)
    await until('only the cursed one is behind', async () => {
      const { profiles_failing: failing, changes_behind: behind } = await app.show(made)
      assert.equal(failing, 1)
      return behind === 1
    })
    await theirs.sql('drop trigger refuse on tributary_items')
    await app.ask('POST', `/push/${made.id}/resume`)
    await until('it is there too', async () => (await theirs.live()).includes('cursed'))
  })
})
