import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createPeopleIndexes } from '#flows/read/people/people-indexes.ts'
import { systemClock } from '#platform/clock.ts'
import { listReadable } from '#store/identity/readable-profiles.ts'
import { type OwnItem, putItems, takeItems } from '../../../harness/own-items.ts'
import { type ReadingHarness, startReadingHarness } from '../fixture.ts'
import type { Thing } from '../thing.ts'
import { contact, ids, type ListedPerson, names, own, peopleReader, usersOf } from './people-fixture.ts'

let harness: ReadingHarness
let page: ReturnType<typeof peopleReader>
before(async () => {
  harness = await startReadingHarness()
  page = peopleReader(harness)
})
after(() => harness.stop())

suite('people, after a change', () => {
  const setUp = async (contacts: OwnItem[]) => {
    const reader = await harness.newReader()
    await putItems(harness.tributary, reader, contacts, 'contacts')
    return reader
  }

  test('that renames, adds and deletes between pages: nobody else is missed or repeated', async () => {
    const letters = ['b', 'd', 'f', 'h', 'j', 'l']
    const reader = await setUp(letters.map((name) => own(name, { name })))
    const { found } = await page.allPages(reader, '/people?limit=2', async (number) => {
      if (number === 0) {
        // The last person of the first page is deleted, and one before it is added.
        await takeItems(harness.tributary, reader, ['d'])
        await putItems(harness.tributary, reader, [own('a', { name: 'a' })], 'contacts')
      }
      if (number === 1) await putItems(harness.tributary, reader, [own('h', { name: 'z' })], 'contacts')
    })
    assert.deepEqual(names(found), ['b', 'd', 'f', 'h', 'j', 'l', 'z'])
    assert.deepEqual(names(await page.people(reader)), ['a', 'b', 'f', 'j', 'l', 'z'])
  })

  test('that joins or separates contacts: every contact still leads to its person', async () => {
    const reader = await setUp([
      own('1', { at: 1, name: 'Ann', email: 'ann@mail.test' }),
      own('2', { at: 2, name: 'Anna', email: 'anna@mail.test' }),
    ])
    const [ann, anna] = (await page.people(reader)) as [ListedPerson, ListedPerson]
    await putItems(harness.tributary, reader, [own('2', { at: 2, name: 'ANN', email: 'ANN@mail.test' })], 'contacts')
    assert.deepEqual(names(await page.people(reader)), ['Ann'])
    assert.deepEqual([(await page.one(reader, anna.id)).id, (await page.one(reader, ann.id)).id], [ann.id, ann.id])
    await takeItems(harness.tributary, reader, ['1'])
    assert.equal((await harness.request(`/people/${ann.id}`, reader)).status, 404)
    assert.deepEqual([(await page.one(reader, anna.id)).id, names(await page.people(reader))], [anna.id, ['ANN']])
  })

  test('of other items: they appear there at once', async () => {
    const reader = await setUp([own('ann', { name: 'Ann' })])
    const [{ id }] = (await page.people(reader)) as [ListedPerson]
    assert.deepEqual((await page.one(reader, id)).items, [])
    await putItems(harness.tributary, reader, [{ id: 'p', at: 1, type: 'photo', participants: ['ann'] }], 'photos')
    assert.deepEqual(ids((await page.one(reader, id)).items), ['p'])
    assert.deepEqual(names(await page.people(reader)), ['Ann'])
  })

  test('of a contact into something else: nobody is left', async () => {
    const reader = await setUp([own('ann', { name: 'Ann' })])
    assert.equal((await page.people(reader)).length, 1)
    await putItems(harness.tributary, reader, [{ id: 'ann', type: 'status', text: 'Ann' }], 'contacts')
    assert.deepEqual(await page.people(reader), [])
  })

  test('of the account: a merge joins the people of both, and lists common contacts once', async () => {
    const [source, dest] = [await harness.newReader(), await harness.newReader()]
    for (const reader of [source, dest])
      await harness.put(await harness.newProfile(reader, 'library', 'same'), [
        contact('both', { at: 1, name: 'Both', email: 'both@mail.test' }),
        contact(reader === source ? 'theirs' : 'ours', {
          at: reader === source ? 3 : 2,
          name: 'Alone',
          email: 'alone@mail.test',
        }),
      ])
    await harness.put(await harness.newProfile(source, 'museum', 'm'), [
      contact('m', { at: 3, name: 'Both', email: 'both@mail.test' }),
    ])
    const [, before] = (await page.people(source)) as [ListedPerson, ListedPerson]
    assert.equal((await page.people(dest)).length, 2)
    const merged = await harness.request(`/auth/merge?source=${source.token}&dest=${dest.token}`, dest)
    assert.equal(merged.status, 200)
    assert.equal((await harness.request('/people', source)).status, 401)
    assert.deepEqual((await page.people(dest)).map(usersOf), [
      ['library ours', 'library theirs'],
      ['library both', 'museum m'],
    ])
    assert.equal((await page.one(dest, before.id)).id, before.id)
  })

  test('of a profile: after it is disconnected its contacts are gone', async () => {
    const reader = await harness.newReader()
    await harness.put(await harness.newProfile(reader, 'library', 'l'), [
      contact('1', { name: 'Ann', email: 'a@b.test' }),
    ])
    await harness.put(await harness.newProfile(reader, 'museum', 'm'), [
      contact('2', { name: 'Ann', email: 'a@b.test' }),
    ])
    const [ann] = (await page.people(reader)) as [ListedPerson]
    assert.deepEqual(Object.keys(ann.services), ['library', 'museum'])
    const gone = await harness.request('/profiles/library', reader, { method: 'DELETE' })
    assert.equal(gone.status, 200)
    assert.deepEqual((await page.people(reader)).map(usersOf), [['museum 2']])
    assert.equal((await harness.request(`/people/${ann.services['library']![0]!.id}`, reader)).status, 404)
  })

  test('of access: a revoked token gets nothing, also not what is cached', async () => {
    const reader = await setUp([own('ann', { name: 'Ann' })])
    assert.equal((await page.people(reader)).length, 1)
    const basic = Buffer.from(`${harness.appId}:${harness.appSecret}`).toString('base64')
    const revoked = await fetch(`${harness.tributary.url}/oauth/revoke`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ token: reader.token }),
    })
    assert.equal(revoked.status, 200)
    for (const path of ['/people', '/people/x', '/people/x/items'])
      assert.equal((await harness.request(path, reader)).status, 401)
  })
})

suite('the index of people', () => {
  test('is kept while other items change, and made again when a contact does', async () => {
    const { database } = harness.tributary.store
    const reader = await harness.newReader()
    await putItems(harness.tributary, reader, [own('ann', { name: 'Ann' })], 'contacts')
    const readable = await listReadable(database, reader.account)
    const indexes = createPeopleIndexes({ database, clock: systemClock })
    const read = () => indexes.of(reader.account, readable)
    const first = await read()
    assert.equal(await read(), first)
    await putItems(harness.tributary, reader, [{ id: 'n', type: 'status', text: 'x' }], 'notes')
    assert.equal(await read(), first)
    await takeItems(harness.tributary, reader, ['n'])
    assert.equal(await read(), first)
    await putItems(harness.tributary, reader, [own('bob', { name: 'Bob' })], 'contacts')
    const [second, shared] = await Promise.all([read(), read()])
    assert.notEqual(second, first)
    assert.equal(shared, second)
    await takeItems(harness.tributary, reader, ['bob'])
    assert.equal((await read()).people.length, 1)
  })

  test('is refused for more contacts than fit', async () => {
    const { database } = harness.tributary.store
    const reader = await harness.newReader()
    await putItems(harness.tributary, reader, [own('a', {}), own('b', {}), own('c', {})], 'contacts')
    const readable = await listReadable(database, reader.account)
    const indexes = (maxContacts: number) => createPeopleIndexes({ database, clock: systemClock }, { maxContacts })
    assert.equal((await indexes(3).of(reader.account, readable)).people.length, 3)
    await assert.rejects(indexes(2).of(reader.account, readable), { reason: 'too_many_contacts', status: 413 })
  })
})

suite('hostile contacts', () => {
  test('of any shape are listed, and do not join everybody', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader, 'library', 'ada')
    const odd: Thing[] = [
      contact('nul', { name: 'a\0b', handle: 'a\0b', email: 'a\0@b.test', url: 'https://a.test/\0' }),
      contact('half', { name: '\ud800', handle: '\udfff' }),
      contact('long', { name: 'n'.repeat(20_000), description: 'd'.repeat(20_000) }),
      contact('number', { name: 5 as unknown as string, email: { a: 1 } as unknown as string }),
      contact('proto', { name: '__proto__', handle: 'constructor' }),
      contact('it\'s \\ {a,b} "q" %', { name: "'; drop table item; --" }),
      contact('empty', { name: '', handle: '', email: '', url: '' }),
    ]
    const shared = Array.from({ length: 50 }, (_, i) =>
      contact(`s${i}`, { name: 'Unknown', email: 'info@company.test' }),
    )
    await harness.put(profile, [...odd, ...shared])
    const list = await page.people(reader, 'limit=500')
    assert.equal(list.length, odd.length + shared.length)
    for (const { id } of list) {
      const { items } = await page.one(reader, id)
      assert.deepEqual(items, [])
    }
  })
})
