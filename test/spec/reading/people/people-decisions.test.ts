import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { purgeExpired } from '#flows/operations/purge-expired.ts'
import { tributary } from '../../../harness/command-line.ts'
import { putItems, takeItems } from '../../../harness/own-items.ts'
import { startTributary } from '../../../harness/start.ts'
import { type Reader, type ReadingHarness, startReadingHarness } from '../fixture.ts'
import { contact, type ListedPerson, own, peopleReader, usersOf } from './people-fixture.ts'

let harness: ReadingHarness
let page: ReturnType<typeof peopleReader>
before(async () => {
  harness = await startReadingHarness()
  page = peopleReader(harness)
})
after(() => harness.stop())

interface Decision {
  id: string
  kind: string
  decided_at: number
  users: { service: string; user: string }[]
  others?: { service: string; user: string }[]
}
interface Decided {
  decision: Decision
  people: ListedPerson[]
}

const post = (reader: Pick<Reader, 'token'>, path: string, body: unknown) =>
  harness.request(path, reader, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const decided = async (reader: Pick<Reader, 'token'>, path: string, body: unknown) => {
  const { status, text, body: found } = await post(reader, path, body)
  assert.equal(status, 200, text)
  return found as Decided
}
const joinPeople = (reader: Reader, ...people: string[]) => decided(reader, '/people/join', { people })
const split = (reader: Reader, id: string, ...contacts: string[]) =>
  decided(reader, `/people/${id}/split`, { contacts })
const undo = (reader: Reader, id: string) => harness.request(`/people/decisions/${id}`, reader, { method: 'DELETE' })
const decisions = async (reader: Reader) => (await page.get('/people/decisions', reader)).body as Decision[]
const rows = ({ account }: Reader) =>
  harness.tributary.sql<{ account_id: string }>('select account_id from people_decision where account_id = $1', [
    account.id,
  ])
const groups = async (reader: Reader) =>
  (await page.people(reader, 'limit=500')).map((each) => usersOf(each).sort()).sort()
/** The ids of contacts, by service and user. */
const contactsOf = async (reader: Reader) =>
  Object.fromEntries(
    (await page.people(reader, 'limit=500')).flatMap(({ services }) =>
      Object.entries(services).flatMap(([service, list]) => list.map(({ user, id }) => [`${service} ${user}`, id])),
    ),
  ) as Record<string, string>

/** Two users of one service with other names, and one of another service who is the first of them. */
const setUp = async () => {
  const reader = await harness.newReader()
  const library = await harness.newProfile(reader, 'library', 'ada')
  const museum = await harness.newProfile(reader, 'museum', 'ada')
  await harness.put(library, [
    contact('l1', { at: 1, name: 'Ann Lee', email: 'ann@mail.test' }),
    contact('l2', { at: 3, name: 'Bea Fox' }),
  ])
  await harness.put(museum, [contact('m1', { at: 2, name: 'A. Lee', email: 'ann@mail.test' })])
  return { reader, library, museum, id: await contactsOf(reader) }
}
const APART = [['library l1', 'museum m1'], ['library l2']]
const TOGETHER = [['library l1', 'library l2', 'museum m1']]

suite('an app joins people', () => {
  test('also those whom their service tells apart; each contact leads to the person, and an undo parts them', async () => {
    const { reader, id } = await setUp()
    assert.deepEqual(await groups(reader), APART)
    const { decision, people } = await joinPeople(reader, id['library l2']!, id['museum m1']!)
    assert.deepEqual(people.map(usersOf), [['library l1', 'library l2', 'museum m1']])
    assert.deepEqual(await groups(reader), TOGETHER)
    const [person] = await page.people(reader)
    assert.equal(person?.id, id['library l1'])
    for (const each of Object.values(id)) assert.equal((await page.one(reader, each)).id, id['library l1'])
    assert.deepEqual(person?.joined[0], {
      by: 'app',
      strength: 'certain',
      decision: decision.id,
      users: decision.users.toSorted((a, b) => (a.service + a.user < b.service + b.user ? -1 : 1)),
    })
    assert.deepEqual(await decisions(reader), [decision])
    assert.deepEqual((await undo(reader, decision.id)).body, { deleted: decision.id })
    assert.deepEqual([await groups(reader), await decisions(reader)], [APART, []])
    assert.equal((await undo(reader, decision.id)).status, 404)
  })

  test('and it stays so when a sync changes, deletes and brings back a contact', async () => {
    const { reader, library, museum, id } = await setUp()
    await putItems(harness.tributary, reader, [own('s', { at: 4, name: 'Cay' })], 'contacts')
    const cay = (await contactsOf(reader))['self s']!
    await joinPeople(reader, cay, id['library l1']!)
    const all = [['library l1', 'museum m1', 'self s'], ['library l2']]
    assert.deepEqual(await groups(reader), all)
    await harness.put(museum, [contact('m1', { at: 2, name: 'Zed', email: 'zed@mail.test' })])
    await harness.put(library, [contact('l1', { at: 1, name: 'Someone Else' })])
    assert.deepEqual(await groups(reader), all)
    await takeItems(harness.tributary, reader, ['s'])
    assert.deepEqual(await groups(reader), [['library l1', 'museum m1'], ['library l2']])
    await putItems(harness.tributary, reader, [own('s', { at: 4, name: 'Cay' })], 'contacts')
    assert.deepEqual(await groups(reader), all)
  })

  test('again, and there is still one decision; the opposite is another, which counts', async () => {
    const { reader, id } = await setUp()
    const first = await joinPeople(reader, id['library l1']!, id['library l2']!)
    const second = await joinPeople(reader, id['library l2']!, id['museum m1']!)
    assert.deepEqual(await decisions(reader), [second.decision])
    assert.ok(second.decision.decided_at > first.decision.decided_at)
    const { decision } = await split(reader, id['library l1']!, id['library l2']!)
    assert.deepEqual([await decisions(reader), await groups(reader)], [[second.decision, decision], APART])
    await undo(reader, decision.id)
    assert.deepEqual(await groups(reader), TOGETHER)
  })
})

suite('an app splits a person', () => {
  test('into the given contacts and the others, who stay apart when a new contact is of both', async () => {
    const { reader, museum, id } = await setUp()
    const { decision, people } = await split(reader, id['library l1']!, id['museum m1']!)
    assert.deepEqual(people.map(usersOf).sort(), [['library l1'], ['museum m1']])
    assert.deepEqual(
      [decision.kind, decision.users, decision.others],
      ['split', [{ service: 'museum', user: 'm1' }], [{ service: 'library', user: 'l1' }]],
    )
    const apart = [['library l1'], ['library l2'], ['museum m1']]
    assert.deepEqual(await groups(reader), apart)
    assert.equal((await page.one(reader, id['museum m1']!)).id, id['museum m1'])
    await putItems(harness.tributary, reader, [own('s', { at: 4, email: 'ann@mail.test' })], 'contacts')
    assert.deepEqual(await groups(reader), [...apart, ['self s']])
    await harness.put(museum, [contact('m1', { at: 2, name: 'Ann Lee', email: 'ann@mail.test' })])
    assert.deepEqual(await groups(reader), [...apart, ['self s']])
    await undo(reader, decision.id)
    assert.deepEqual(await groups(reader), [['library l1', 'museum m1', 'self s'], ['library l2']])
  })

  test('whose contacts it joined before: the newer decision wins, and undoing it leaves the older one', async () => {
    const { reader, id } = await setUp()
    await putItems(harness.tributary, reader, [own('s', { at: 4, name: 'Cay' })], 'contacts')
    const cay = (await contactsOf(reader))['self s']!
    await joinPeople(reader, cay, id['library l1']!, id['library l2']!)
    const all = [['library l1', 'library l2', 'museum m1', 'self s']]
    assert.deepEqual(await groups(reader), all)
    await putItems(harness.tributary, reader, [own('t', { at: 5, name: 'Dan' })], 'contacts')
    const dan = (await contactsOf(reader))['self t']!
    await joinPeople(reader, dan, cay)
    const { decision } = await split(reader, dan, cay)
    assert.deepEqual(await groups(reader), [['library l1', 'library l2', 'museum m1', 'self t'], ['self s']])
    await undo(reader, decision.id)
    assert.deepEqual(await groups(reader), [['library l1', 'library l2', 'museum m1', 'self s', 'self t']])
  })
})

suite('a request to decide about people', () => {
  test('is refused by name when it makes no sense', async () => {
    const { reader, id } = await setUp()
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
      const { status: found, body: refused } = await post(reader, path, body)
      assert.equal(found, status, JSON.stringify([path, body, refused]))
      assert.match((refused as { error: string }).error, error)
    }
    assert.deepEqual([await decisions(reader), await groups(reader)], [[], APART])
  })

  test('takes IDRs as well', async () => {
    const { reader } = await setUp()
    const list = await page.people(reader)
    const idrs = list.map(({ services }) => Object.values(services)[0]![0]!.idr)
    await joinPeople(reader, ...idrs)
    assert.deepEqual(await groups(reader), TOGETHER)
    await split(reader, encodeURIComponent(idrs[0]!), list[1]!.id)
    assert.deepEqual(await groups(reader), APART)
  })

  test('with the token of another account finds nobody, and shows and undoes nothing', async () => {
    const { reader, id } = await setUp()
    const { decision } = await joinPeople(reader, id['library l1']!, id['library l2']!)
    const other = await harness.newReader(reader.account.shard)
    await harness.put(await harness.newProfile(other, 'library', 'bob'), [contact('l1', { at: 1, name: 'Ann Lee' })])
    const mine = (await contactsOf(other))['library l1']!
    assert.equal((await post(other, '/people/join', { people: [mine, id['library l2']] })).status, 404)
    assert.equal((await post(other, `/people/${id['library l1']}/split`, { contacts: [id['library l1']] })).status, 404)
    assert.equal((await undo(other, decision.id)).status, 404)
    assert.deepEqual([await decisions(other), await groups(other)], [[], [['library l1']]])
    assert.deepEqual([await decisions(reader), await groups(reader)], [[decision], TOGETHER])
    for (const [method, path] of [
      ['POST', '/people/join'],
      ['POST', `/people/${mine}/split`],
      ['GET', '/people/decisions'],
      ['DELETE', `/people/decisions/${decision.id}`],
    ] as const)
      assert.equal((await harness.request(path, { token: 'x' }, { method })).status, 401)
  })

  test('is refused beyond the limit, and works again after an undo', async () => {
    const { reader, id } = await setUp()
    const { shard, id: account } = reader.account
    await harness.tributary.sql(
      `insert into people_decision select $1, $2, 'd' || n, 'self', u, 'join', false, n
       from generate_series(1, 500) n, (values ('x'), ('y')) users (u)`,
      [shard, account],
    )
    const full = await post(reader, '/people/join', { people: [id['library l1'], id['library l2']] })
    assert.deepEqual([full.status, (full.body as { reason: string }).reason], [413, 'too_many_decisions'])
    assert.equal((await undo(reader, 'd7')).status, 200)
    await joinPeople(reader, id['library l1']!, id['library l2']!)
    assert.deepEqual(await groups(reader), TOGETHER)
  })

  test('at once with the opposite one: the later decision counts, for every process', async () => {
    const { databaseUrl, dataDir } = harness.tributary
    const { reader, id } = await setUp()
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
          joinPeople(reader, id['library l1']!, id['library l2']!),
          split(reader, id['library l1']!, id['museum m1']!),
        ])
        const list = await decisions(reader)
        const times = list.map(({ decided_at: at }) => at)
        assert.deepEqual(
          times,
          [...new Set(times)].sort((a, b) => a - b),
        )
        const found = await groups(reader)
        assert.deepEqual(
          (await elsewhere.people(reader, 'limit=500')).map((each) => usersOf(each).sort()).sort(),
          found,
        )
        const isApart = !found.some((users) => users.includes('library l1') && users.includes('museum m1'))
        assert.equal(isApart, list.at(-1)!.kind === 'split' || !list.at(-1)!.users.some(({ user }) => user === 'm1'))
        for (const { id: decision } of list) await undo(reader, decision)
        assert.deepEqual(await groups(reader), APART)
      }
    } finally {
      await other.stop()
    }
  })
})

suite('the commands about people', () => {
  test('list, join, split and undo', async () => {
    const { reader, id } = await setUp()
    const { databaseUrl, dataDir } = harness.tributary
    const env = {
      DATABASE_URL: databaseUrl,
      TRIBUTARY_DATA: dataDir,
      TRIBUTARY_CONNECTORS: join(import.meta.dirname, '../connectors'),
    }
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await tributary([...args, '--json'], env)
      assert.equal(code, 0, stderr)
      return JSON.parse(stdout) as Decided & Decision[]
    }
    const account = reader.account.id
    const [one, other] = [id['library l1']!, id['library l2']!]
    assert.deepEqual((await run('people', account)).people.map(usersOf), [APART[0], APART[1]])
    const joined = await run('people', 'join', account, '--contact', one, '--contact', other)
    assert.deepEqual(await groups(reader), TOGETHER)
    assert.deepEqual(await run('people', 'decisions', account), [joined.decision])
    const { decision } = await run('people', 'split', account, one, '--contact', id['museum m1']!)
    assert.deepEqual(await groups(reader), [['library l1', 'library l2'], ['museum m1']])
    await run('people', 'undo', account, decision.id)
    assert.deepEqual(await groups(reader), TOGETHER)
    const { stdout } = await tributary(['people', account, '--q', 'ann'], env)
    assert.match(stdout, new RegExp(`${one}.*Ann Lee.*library: .*app; email ann@mail.test`))
    const { code, stderr } = await tributary(['people', 'undo', account, 'x'], env)
    assert.deepEqual([code === 0, /There is no decision x/.test(stderr)], [false, true])
    const audited = await harness.tributary.sql<{ action: string; actor: string }>(
      "select action, actor from audit where account_id = $1 and action like 'people.%' order by id",
      [account],
    )
    assert.deepEqual(
      audited.map(({ action, actor }) => `${action} ${actor}`),
      ['people.join cli', 'people.split cli', 'people.undo cli'],
    )
  })
})

suite('decisions about people, after', () => {
  test('a restart, and in another process, are what they were', async () => {
    const { databaseUrl, dataDir } = harness.tributary
    const { reader, id } = await setUp()
    await joinPeople(reader, id['library l1']!, id['library l2']!)
    const other = await startTributary({
      DATABASE_URL: databaseUrl,
      TRIBUTARY_DATA: dataDir,
      TRIBUTARY_CONNECTORS: join(import.meta.dirname, '../connectors'),
    })
    try {
      const response = await fetch(`${other.url}/people`, { headers: { authorization: `Bearer ${reader.token}` } })
      assert.deepEqual(await response.json(), await page.people(reader))
    } finally {
      await other.stop()
    }
  })

  test('a merge, count for the account that stays; between both the newer wins', async () => {
    const [source, dest] = [await setUp(), await setUp()]
    assert.notEqual(source.reader.account.shard, dest.reader.account.shard)
    const older = await joinPeople(dest.reader, dest.id['library l1']!, dest.id['library l2']!)
    const newer = await split(source.reader, source.id['library l1']!, source.id['museum m1']!)
    const merged = await harness.request(
      `/auth/merge?source=${source.reader.token}&dest=${dest.reader.token}`,
      dest.reader,
    )
    assert.equal(merged.status, 200)
    assert.deepEqual(await decisions(dest.reader), [older.decision, newer.decision])
    assert.deepEqual(await groups(dest.reader), [['library l1', 'library l2'], ['museum m1']])
    assert.deepEqual(await rows(source.reader), [])
    await undo(dest.reader, newer.decision.id)
    assert.deepEqual(await groups(dest.reader), TOGETHER)
  })

  test('a profile is disconnected, are forgotten as far as they name users of its service', async () => {
    const { reader, id } = await setUp()
    await putItems(harness.tributary, reader, [own('s', { at: 4, name: 'Cay' })], 'contacts')
    const cay = (await contactsOf(reader))['self s']!
    await joinPeople(reader, cay, id['library l1']!, id['library l2']!)
    const pair = await joinPeople(reader, id['library l2']!, cay)
    assert.equal((await decisions(reader)).length, 1)
    assert.equal((await harness.request('/profiles/library', reader, { method: 'DELETE' })).status, 200)
    assert.deepEqual(await decisions(reader), [
      { ...pair.decision, users: pair.decision.users.filter(({ service }) => service !== 'library') },
    ])
    assert.deepEqual(await groups(reader), [['museum m1', 'self s']])
    // Of a decision with one user nothing is left.
    assert.equal((await harness.request('/profiles/museum', reader, { method: 'DELETE' })).status, 200)
    assert.deepEqual([await decisions(reader), await rows(reader)], [[], []])
    await harness.put(await harness.newProfile(reader, 'museum', 'ada'), [contact('m1', { at: 2, name: 'A. Lee' })])
    assert.deepEqual(await groups(reader), [['museum m1'], ['self s']])
  })

  test('one of two profiles of a service is disconnected, are kept: the other may list the same user', async () => {
    const { reader, id } = await setUp()
    await harness.put(await harness.newProfile(reader, 'library', 'bob'), [contact('l2', { at: 9, name: 'Bea Fox' })])
    const { decision } = await joinPeople(reader, id['library l1']!, id['library l2']!)
    assert.equal((await harness.request('/profiles/ada@library', reader, { method: 'DELETE' })).status, 200)
    assert.deepEqual([await decisions(reader), await groups(reader)], [[decision], [['library l2', 'museum m1']]])
  })

  test('an export, are in it; after the account is erased nothing is left', async () => {
    const { reader, id } = await setUp()
    const { decision } = await joinPeople(reader, id['library l1']!, id['library l2']!)
    const { text } = await harness.request('/export', reader)
    const [head = ''] = text.split('\n', 1)
    assert.deepEqual((JSON.parse(head) as { people_decisions: unknown }).people_decisions, [decision])
    assert.ok((await rows(reader)).length > 0)
    assert.equal((await harness.request('/profiles', reader, { method: 'DELETE' })).status, 200)
    assert.deepEqual(await rows(reader), [])
  })

  test('a process of the release before ended the account, are purged by maintenance', async () => {
    const { store, sql } = harness.tributary
    const [kept, erased, merged] = [await setUp(), await setUp(), await setUp()]
    for (const { reader, id } of [kept, erased, merged]) await joinPeople(reader, id['library l1']!, id['library l2']!)
    // That release knows nothing of this table.
    await sql('delete from account where shard = $1 and id = $2', [
      erased.reader.account.shard,
      erased.reader.account.id,
    ])
    await sql('update account set merged_into = $3 where shard = $1 and id = $2', [
      merged.reader.account.shard,
      merged.reader.account.id,
      kept.reader.account.id,
    ])
    await purgeExpired({ database: store.database, clock: store.clock })
    assert.deepEqual([await rows(erased.reader), await rows(merged.reader)], [[], []])
    assert.equal((await rows(kept.reader)).length, 3)
  })
})
