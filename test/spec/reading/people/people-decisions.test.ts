import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { putItems, takeItems } from '../../../harness/own-items.ts'
import { startTributary } from '../../../harness/start.ts'
import { type ReadingHarness, startReadingHarness } from '../fixture.ts'
import { APART, peopleDecider, sortedUsers, TOGETHER } from './decisions-fixture.ts'
import { contact, own, peopleReader, usersOf } from './people-fixture.ts'

let harness: ReadingHarness
let deciding: ReturnType<typeof peopleDecider>
before(async () => {
  harness = await startReadingHarness()
  deciding = peopleDecider(harness)
})
after(() => harness.stop())

suite('an app joins people', () => {
  test('also those whom their service tells apart; each contact leads to the person, and an undo parts them', async () => {
    const { reader, id } = await deciding.setUp()
    assert.deepEqual(await deciding.groups(reader), APART)
    const { decision, people } = await deciding.joinPeople(reader, id['library l2']!, id['museum m1']!)
    assert.deepEqual(people.map(usersOf), [['library l1', 'library l2', 'museum m1']])
    assert.deepEqual(await deciding.groups(reader), TOGETHER)
    const [person] = await deciding.page.people(reader)
    assert.equal(person?.id, id['library l1'])
    for (const each of Object.values(id)) assert.equal((await deciding.page.one(reader, each)).id, id['library l1'])
    assert.deepEqual(person?.joined[0], {
      by: 'app',
      strength: 'certain',
      decision: decision.id,
      users: decision.users.toSorted((a, b) => (a.service + a.user < b.service + b.user ? -1 : 1)),
    })
    assert.deepEqual(await deciding.decisions(reader), [decision])
    assert.deepEqual((await deciding.undo(reader, decision.id)).body, { deleted: decision.id })
    assert.deepEqual([await deciding.groups(reader), await deciding.decisions(reader)], [APART, []])
    assert.equal((await deciding.undo(reader, decision.id)).status, 404)
  })

  test('and it stays so when a sync changes, deletes and brings back a contact', async () => {
    const { reader, library, museum, id } = await deciding.setUp()
    await putItems(harness.tributary, reader, [own('s', { at: 4, name: 'Cay' })], 'contacts')
    const cay = (await deciding.contactsOf(reader))['self s']!
    await deciding.joinPeople(reader, cay, id['library l1']!)
    const all = [['library l1', 'museum m1', 'self s'], ['library l2']]
    assert.deepEqual(await deciding.groups(reader), all)
    await harness.put(museum, [contact('m1', { at: 2, name: 'Zed', email: 'zed@mail.test' })])
    await harness.put(library, [contact('l1', { at: 1, name: 'Someone Else' })])
    assert.deepEqual(await deciding.groups(reader), all)
    await takeItems(harness.tributary, reader, ['s'])
    assert.deepEqual(await deciding.groups(reader), [['library l1', 'museum m1'], ['library l2']])
    await putItems(harness.tributary, reader, [own('s', { at: 4, name: 'Cay' })], 'contacts')
    assert.deepEqual(await deciding.groups(reader), all)
  })

  test('again, and there is still one decision; the opposite is another, which counts', async () => {
    const { reader, id } = await deciding.setUp()
    const first = await deciding.joinPeople(reader, id['library l1']!, id['library l2']!)
    const second = await deciding.joinPeople(reader, id['library l2']!, id['museum m1']!)
    assert.deepEqual(await deciding.decisions(reader), [second.decision])
    assert.ok(second.decision.decided_at > first.decision.decided_at)
    const { decision } = await deciding.split(reader, id['library l1']!, id['library l2']!)
    assert.deepEqual(
      [await deciding.decisions(reader), await deciding.groups(reader)],
      [[second.decision, decision], APART],
    )
    await deciding.undo(reader, decision.id)
    assert.deepEqual(await deciding.groups(reader), TOGETHER)
  })
})

suite('an app splits a person', () => {
  test('into the given contacts and the others, who stay apart when a new contact is of both', async () => {
    const { reader, museum, id } = await deciding.setUp()
    const { decision, people } = await deciding.split(reader, id['library l1']!, id['museum m1']!)
    assert.deepEqual(
      people.map(usersOf).sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
      [['library l1'], ['museum m1']],
    )
    assert.deepEqual(
      [decision.kind, decision.users, decision.others],
      ['split', [{ service: 'museum', user: 'm1' }], [{ service: 'library', user: 'l1' }]],
    )
    const apart = [['library l1'], ['library l2'], ['museum m1']]
    assert.deepEqual(await deciding.groups(reader), apart)
    assert.equal((await deciding.page.one(reader, id['museum m1']!)).id, id['museum m1'])
    await putItems(harness.tributary, reader, [own('s', { at: 4, email: 'ann@mail.test' })], 'contacts')
    assert.deepEqual(await deciding.groups(reader), [...apart, ['self s']])
    await harness.put(museum, [contact('m1', { at: 2, name: 'Ann Lee', email: 'ann@mail.test' })])
    assert.deepEqual(await deciding.groups(reader), [...apart, ['self s']])
    await deciding.undo(reader, decision.id)
    assert.deepEqual(await deciding.groups(reader), [['library l1', 'museum m1', 'self s'], ['library l2']])
  })

  test('whose contacts it joined before: the newer decision wins, and undoing it leaves the older one', async () => {
    const { reader, id } = await deciding.setUp()
    await putItems(harness.tributary, reader, [own('s', { at: 4, name: 'Cay' })], 'contacts')
    const cay = (await deciding.contactsOf(reader))['self s']!
    await deciding.joinPeople(reader, cay, id['library l1']!, id['library l2']!)
    const all = [['library l1', 'library l2', 'museum m1', 'self s']]
    assert.deepEqual(await deciding.groups(reader), all)
    await putItems(harness.tributary, reader, [own('t', { at: 5, name: 'Dan' })], 'contacts')
    const dan = (await deciding.contactsOf(reader))['self t']!
    await deciding.joinPeople(reader, dan, cay)
    const { decision } = await deciding.split(reader, dan, cay)
    assert.deepEqual(await deciding.groups(reader), [['library l1', 'library l2', 'museum m1', 'self t'], ['self s']])
    await deciding.undo(reader, decision.id)
    assert.deepEqual(await deciding.groups(reader), [['library l1', 'library l2', 'museum m1', 'self s', 'self t']])
  })
})

suite('a request to decide about people', () => {
  test('is refused by name when it makes no sense', async () => {
    const { reader, id } = await deciding.setUp()
    const nobody = `${'0'.repeat(32)}_${'0'.repeat(9)}`
    for (const [path, body, status, error] of [
      ['/people/join', { people: [id['library l1']] }, 400, /people/],
      ['/people/join', { people: [id['library l2'], id['library l2']] }, 400, /people/],
      ['/people/join', { people: [id['library l1'], nobody] }, 404, /contact/],
      ['/people/join', { people: [id['library l1'], 7] }, 400, /people/],
      ['/people/join', {}, 400, /people/],
      [`/people/${id['library l1']}/split`, { contacts: [id['library l2']] }, 400, /contacts/],
      [`/people/${id['library l1']}/split`, { contacts: [id['library l1'], id['museum m1']] }, 400, /contacts/],
      [`/people/${id['library l2']}/split`, { contacts: [id['library l2']] }, 400, /contacts/],
      [`/people/${nobody}/split`, { contacts: [nobody] }, 404, /contact/],
    ] as const) {
      const { status: found, body: refused } = await deciding.post(reader, path, body)
      assert.equal(found, status, JSON.stringify([path, body, refused]))
      assert.match((refused as { error: string }).error, error)
    }
    assert.deepEqual([await deciding.decisions(reader), await deciding.groups(reader)], [[], APART])
  })

  test('takes IDRs as well', async () => {
    const { reader } = await deciding.setUp()
    const list = await deciding.page.people(reader)
    const idrs = list.map(({ services }) => Object.values(services)[0]![0]!.idr)
    await deciding.joinPeople(reader, ...idrs)
    assert.deepEqual(await deciding.groups(reader), TOGETHER)
    await deciding.split(reader, encodeURIComponent(idrs[0]!), list[1]!.id)
    assert.deepEqual(await deciding.groups(reader), APART)
  })

  test('with the token of another account finds nobody, and shows and undoes nothing', async () => {
    const { reader, id } = await deciding.setUp()
    const { decision } = await deciding.joinPeople(reader, id['library l1']!, id['library l2']!)
    const other = await harness.newReader(reader.account.shard)
    await harness.put(await harness.newProfile(other, 'library', 'bob'), [contact('l1', { at: 1, name: 'Ann Lee' })])
    const mine = (await deciding.contactsOf(other))['library l1']!
    assert.equal((await deciding.post(other, '/people/join', { people: [mine, id['library l2']] })).status, 404)
    assert.equal(
      (await deciding.post(other, `/people/${id['library l1']}/split`, { contacts: [id['library l1']] })).status,
      404,
    )
    assert.equal((await deciding.undo(other, decision.id)).status, 404)
    assert.deepEqual([await deciding.decisions(other), await deciding.groups(other)], [[], [['library l1']]])
    assert.deepEqual([await deciding.decisions(reader), await deciding.groups(reader)], [[decision], TOGETHER])
    for (const [method, path] of [
      ['POST', '/people/join'],
      ['POST', `/people/${mine}/split`],
      ['GET', '/people/decisions'],
      ['DELETE', `/people/decisions/${decision.id}`],
    ] as const)
      assert.equal((await harness.request(path, { token: 'x' }, { method })).status, 401)
  })

  test('is refused beyond the limit, and works again after an undo', async () => {
    const { reader, id } = await deciding.setUp()
    const { shard, id: account } = reader.account
    await harness.tributary.sql(
      `insert into people_decision select $1, $2, 'd' || n, 'self', u, 'join', false, n
       from generate_series(1, 500) n, (values ('x'), ('y')) users (u)`,
      [shard, account],
    )
    const full = await deciding.post(reader, '/people/join', { people: [id['library l1'], id['library l2']] })
    assert.deepEqual([full.status, (full.body as { reason: string }).reason], [413, 'too_many_decisions'])
    assert.equal((await deciding.undo(reader, 'd7')).status, 200)
    await deciding.joinPeople(reader, id['library l1']!, id['library l2']!)
    assert.deepEqual(await deciding.groups(reader), TOGETHER)
  })

  test('at once with the opposite one: the later decision counts, for every process', async () => {
    const { databaseUrl, dataDir } = harness.tributary
    const { reader, id } = await deciding.setUp()
    const other = await startTributary({
      DATABASE_URL: databaseUrl,
      TRIBUTARY_DATA: dataDir,
      TRIBUTARY_CONNECTORS: join(import.meta.dirname, '../connectors'),
    })
    try {
      const elsewhere = peopleReader({
        ...harness,
        tributary: other,
        request: async (path, { token }) => {
          const response = await fetch(`${other.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
          return { status: response.status, headers: response.headers, text: '', body: await response.json() }
        },
      })
      // Both processes have a cached list.
      await elsewhere.people(reader)
      for (let round = 0; round < 5; round += 1) {
        await Promise.all([
          deciding.joinPeople(reader, id['library l1']!, id['library l2']!),
          deciding.split(reader, id['library l1']!, id['museum m1']!),
        ])
        const list = await deciding.decisions(reader)
        const times = list.map(({ decided_at: at }) => at)
        assert.deepEqual(
          times,
          [...new Set(times)].sort((a, b) => a - b),
        )
        const found = await deciding.groups(reader)
        assert.deepEqual(sortedUsers(await elsewhere.people(reader, 'limit=500')), found)
        const isApart = !found.some((users) => users.includes('library l1') && users.includes('museum m1'))
        assert.equal(isApart, list.at(-1)!.kind === 'split' || !list.at(-1)!.users.some(({ user }) => user === 'm1'))
        for (const { id: decision } of list) await deciding.undo(reader, decision)
        assert.deepEqual(await deciding.groups(reader), APART)
      }
    } finally {
      await other.stop()
    }
  })
})
