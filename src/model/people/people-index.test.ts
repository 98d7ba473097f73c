import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { contactKeys } from './contact-keys.ts'
import { MAX_USERS_OF_KEY, MAX_USERS_OF_PERSON } from './group-contacts.ts'
import { createPeopleIndex, type IndexedContact, type PeopleIndex } from './people-index.ts'

const SEED = 20_261_116

function indexOf(contacts: readonly IndexedContact[]): PeopleIndex {
  const builder = createPeopleIndex()
  for (const contact of contacts) builder.add(contact)
  const steps = builder.finish()
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
}

let count = 0
const contact = (fields: Partial<IndexedContact>): IndexedContact => {
  count += 1
  return { id: `c${count}`, at: count, service: 'library', user: `u${count}`, urls: [], ...fields }
}
const sizes = (contacts: IndexedContact[]) => indexOf(contacts).people.map((person) => person.contacts.length)

/** The same rules, by comparing every contact with every other one until nothing changes. */
function naive(contacts: readonly IndexedContact[]): Set<string> {
  const isUser = (a: IndexedContact, b: IndexedContact) => a.service === b.service && a.user === b.user
  const keysOf = (one: IndexedContact) => contacts.filter((each) => isUser(one, each)).flatMap(contactKeys)
  const usersIn = (list: readonly IndexedContact[]) =>
    new Set(list.map(({ service, user }) => `${service} ${user}`)).size
  const joins = (key: string) => {
    const carriers = contacts.filter((each) => keysOf(each).includes(key))
    return [...new Set(carriers.map(({ service }) => service))].every(
      (service) => usersIn(carriers.filter((each) => each.service === service)) <= MAX_USERS_OF_KEY,
    )
  }
  const joining = new Map(contacts.flatMap(contactKeys).map((key) => [key, joins(key)]))
  const sharesKey = (a: IndexedContact, b: IndexedContact) =>
    keysOf(a).some((key) => joining.get(key) === true && keysOf(b).includes(key))
  const grow = (group: IndexedContact[]): IndexedContact[] => {
    const more = contacts.filter((each) => group.some((one) => isUser(one, each) || sharesKey(one, each)))
    return more.length === group.length ? group : grow(more)
  }
  const groupOf = (one: IndexedContact) => {
    const group = grow([one])
    return usersIn(group) > MAX_USERS_OF_PERSON ? contacts.filter((each) => isUser(one, each)) : group
  }
  return new Set(contacts.map((one) => idsOf(groupOf(one).map(({ id }) => id))))
}

const idsOf = (ids: readonly string[]) => ids.toSorted().join(' ')

suite('people', () => {
  test(`are those that a comparison of all pairs finds (seed ${SEED})`, () => {
    const few = (prefix: string, max: number) =>
      fc.option(
        fc.nat(max).map((n) => `${prefix}${n}`),
        { nil: undefined },
      )
    const random = fc.record({
      service: fc.constantFrom('library', 'museum', 'garden'),
      user: fc.nat(30).map(String),
      at: fc.nat(5),
      name: few('Name ', 4),
      handle: few('handle', 4),
      email: fc.option(
        fc.nat(9).map((n) => `m${n}@mail.test`),
        { nil: undefined, freq: 2 },
      ),
      urls: fc.array(
        fc.nat(12).map((n) => `https://site.test/${n}`),
        { maxLength: 2 },
      ),
    })
    fc.assert(
      fc.property(fc.array(random, { maxLength: 40 }), fc.infiniteStream(fc.nat()), (list, order) => {
        const contacts = list.map((each, i) => ({ ...each, id: `id${i}` }))
        const expected = naive(contacts)
        const shuffled = contacts
          .map((each) => ({ each, key: order.next().value ?? 0 }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ each }) => each)
        for (const given of [contacts, shuffled]) {
          const { people, byContact } = indexOf(given)
          assert.deepEqual(new Set(people.map((person) => idsOf(person.contacts))), expected)
          assert.equal(byContact.size, contacts.length)
          for (const person of people) for (const id of person.contacts) assert.equal(byContact.get(id), person)
        }
        // Ids, names and order do not depend on the order of reading either.
        assert.deepEqual(
          indexOf(shuffled).people.map(({ contacts: ids, sortKey }) => [ids, sortKey]),
          indexOf(contacts).people.map(({ contacts: ids, sortKey }) => [ids, sortKey]),
        )
      }),
      { numRuns: 60, seed: SEED },
    )
  })

  test('an e-mail address that many have joins nobody', () => {
    const withEmail = (n: number) => Array.from({ length: n }, () => contact({ email: 'info@company.test' }))
    assert.deepEqual(sizes(withEmail(MAX_USERS_OF_KEY)), [MAX_USERS_OF_KEY])
    assert.deepEqual(sizes(withEmail(MAX_USERS_OF_KEY + 1)), [1, 1, 1, 1])
    assert.deepEqual(sizes([...withEmail(50), contact({ service: 'museum', email: 'info@company.test' })]).length, 51)
  })

  test('a long chain of bad data joins nobody', () => {
    const chain = (n: number) =>
      Array.from({ length: n }, (_, i) => contact({ urls: [`https://a.test/${i}`, `https://a.test/${i + 1}`] }))
    assert.deepEqual(sizes(chain(MAX_USERS_OF_PERSON)), [MAX_USERS_OF_PERSON])
    assert.equal(sizes(chain(MAX_USERS_OF_PERSON + 1)).length, MAX_USERS_OF_PERSON + 1)
    assert.equal(sizes(chain(5000)).length, 5000)
  })

  test('empty and placeholder values join nobody', () => {
    for (const fields of [
      {},
      { name: '', handle: '', email: '', urls: [''] },
      { name: 'Unknown', handle: 'unknown' },
      { name: 'Ann Lee' },
      { handle: 'ann' },
      { email: 'unknown' },
    ])
      assert.deepEqual(
        sizes([contact(fields), contact({ ...fields, service: 'museum' })]),
        [1, 1],
        JSON.stringify(fields),
      )
  })

  test('several records of one service user are one person, whatever they say', () => {
    const [follower, followed] = [contact({ user: 'ann', name: 'Ann' }), contact({ user: 'ann', name: 'Anna' })]
    assert.deepEqual(sizes([follower, followed]), [2])
  })

  test('are sorted by name, those without a name last; the oldest contact gives the id', () => {
    const [zoe, nobody, older, newer] = [
      contact({ name: 'Zoë' }),
      contact({}),
      contact({ handle: 'bob', name: 'bob', email: 'bob@mail.test', at: 1 }),
      contact({ handle: 'bobby', name: 'Abel Bob', email: 'bob@mail.test', at: 2 }),
    ]
    const { people } = indexOf([newer, nobody, zoe, older])
    assert.deepEqual(
      people.map(({ contacts }) => contacts),
      [[older.id, newer.id], [zoe.id], [nobody.id]],
    )
    assert.equal(people[0]!.sortKey, 'abel bob')
    assert.equal(people[0]!.words.split(' ').toSorted().join(' '), ' abel bob bobby mail test')
  })

  test('a long list is sorted as the short ones are', () => {
    const names = Array.from({ length: 5003 }, (_, i) => `n${(i * 7919) % 5003}`)
    const { people } = indexOf(names.map((name) => contact({ name })))
    assert.deepEqual(
      people.map(({ sortKey }) => sortKey),
      names.toSorted(),
    )
  })
})
