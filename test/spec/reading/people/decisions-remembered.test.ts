import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { tributary } from '../../../harness/command-line.ts'
import { purgeExpired } from '../../../harness/maintenance.ts'
import { putItems } from '../../../harness/own-items.ts'
import { startTributary } from '../../../harness/start.ts'
import { type ReadingHarness, startReadingHarness } from '../fixture.ts'
import { APART, type Decided, type Decision, peopleDecider, TOGETHER } from './decisions-fixture.ts'
import { contact, own, usersOf } from './people-fixture.ts'

let harness: ReadingHarness
let deciding: ReturnType<typeof peopleDecider>
before(async () => {
  harness = await startReadingHarness()
  deciding = peopleDecider(harness)
})
after(() => harness.stop())

suite('the commands about people', () => {
  test('list, join, split and undo', async () => {
    const { reader, id } = await deciding.setUp()
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
    assert.deepEqual(await deciding.groups(reader), TOGETHER)
    assert.deepEqual(await run('people', 'decisions', account), [joined.decision])
    const { decision } = await run('people', 'split', account, one, '--contact', id['museum m1']!)
    assert.deepEqual(await deciding.groups(reader), [['library l1', 'library l2'], ['museum m1']])
    await run('people', 'undo', account, decision.id)
    assert.deepEqual(await deciding.groups(reader), TOGETHER)
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
    const { reader, id } = await deciding.setUp()
    await deciding.joinPeople(reader, id['library l1']!, id['library l2']!)
    const other = await startTributary({
      DATABASE_URL: databaseUrl,
      TRIBUTARY_DATA: dataDir,
      TRIBUTARY_CONNECTORS: join(import.meta.dirname, '../connectors'),
    })
    try {
      const response = await fetch(`${other.url}/people`, { headers: { authorization: `Bearer ${reader.token}` } })
      assert.deepEqual(await response.json(), await deciding.page.people(reader))
    } finally {
      await other.stop()
    }
  })

  test('a merge, count for the account that stays; between both the newer wins', async () => {
    const [source, dest] = [await deciding.setUp(), await deciding.setUp()]
    assert.notEqual(source.reader.account.shard, dest.reader.account.shard)
    const older = await deciding.joinPeople(dest.reader, dest.id['library l1']!, dest.id['library l2']!)
    const newer = await deciding.split(source.reader, source.id['library l1']!, source.id['museum m1']!)
    const merged = await harness.request(
      `/auth/merge?source=${source.reader.token}&dest=${dest.reader.token}`,
      dest.reader,
    )
    assert.equal(merged.status, 200)
    assert.deepEqual(await deciding.decisions(dest.reader), [older.decision, newer.decision])
    assert.deepEqual(await deciding.groups(dest.reader), [['library l1', 'library l2'], ['museum m1']])
    assert.deepEqual(await deciding.rows(source.reader), [])
    await deciding.undo(dest.reader, newer.decision.id)
    assert.deepEqual(await deciding.groups(dest.reader), TOGETHER)
  })

  test('a profile is disconnected, are forgotten as far as they name users of its service', async () => {
    const { reader, id } = await deciding.setUp()
    await putItems(harness.tributary, reader, [own('s', { at: 4, name: 'Cay' })], 'contacts')
    const cay = (await deciding.contactsOf(reader))['self s']!
    await deciding.joinPeople(reader, cay, id['library l1']!, id['library l2']!)
    const pair = await deciding.joinPeople(reader, id['library l2']!, cay)
    assert.equal((await deciding.decisions(reader)).length, 1)
    assert.equal((await harness.request('/profiles/library', reader, { method: 'DELETE' })).status, 200)
    assert.deepEqual(await deciding.decisions(reader), [
      { ...pair.decision, users: pair.decision.users.filter(({ service }) => service !== 'library') },
    ])
    assert.deepEqual(await deciding.groups(reader), [['museum m1', 'self s']])
    // Of a decision with one user nothing is left.
    assert.equal((await harness.request('/profiles/museum', reader, { method: 'DELETE' })).status, 200)
    assert.deepEqual([await deciding.decisions(reader), await deciding.rows(reader)], [[], []])
    await harness.put(await harness.newProfile(reader, 'museum', 'ada'), [contact('m1', { at: 2, name: 'A. Lee' })])
    assert.deepEqual(await deciding.groups(reader), [['museum m1'], ['self s']])
  })

  test('one of two profiles of a service is disconnected, are kept: the other may list the same user', async () => {
    const { reader, id } = await deciding.setUp()
    await harness.put(await harness.newProfile(reader, 'library', 'bob'), [contact('l2', { at: 9, name: 'Bea Fox' })])
    const { decision } = await deciding.joinPeople(reader, id['library l1']!, id['library l2']!)
    assert.equal((await harness.request('/profiles/ada@library', reader, { method: 'DELETE' })).status, 200)
    assert.deepEqual(
      [await deciding.decisions(reader), await deciding.groups(reader)],
      [[decision], [['library l2', 'museum m1']]],
    )
  })

  test('an export, are in it; after the account is erased nothing is left', async () => {
    const { reader, id } = await deciding.setUp()
    const { decision } = await deciding.joinPeople(reader, id['library l1']!, id['library l2']!)
    const { text } = await harness.request('/export', reader)
    const [head = ''] = text.split('\n', 1)
    assert.deepEqual((JSON.parse(head) as { people_decisions: unknown }).people_decisions, [decision])
    assert.ok((await deciding.rows(reader)).length > 0)
    assert.equal((await harness.request('/profiles', reader, { method: 'DELETE' })).status, 200)
    assert.deepEqual(await deciding.rows(reader), [])
  })

  test('a process of the release before ended the account, are purged by maintenance', async () => {
    const { store, sql } = harness.tributary
    const [kept, erased, merged] = [await deciding.setUp(), await deciding.setUp(), await deciding.setUp()]
    for (const { reader, id } of [kept, erased, merged])
      await deciding.joinPeople(reader, id['library l1']!, id['library l2']!)
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
    assert.deepEqual([await deciding.rows(erased.reader), await deciding.rows(merged.reader)], [[], []])
    assert.equal((await deciding.rows(kept.reader)).length, 3)
  })
})
