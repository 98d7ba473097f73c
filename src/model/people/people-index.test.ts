import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { MAX_USERS_OF_PERSON } from './clusters.ts'
import { contactKeys, nameOf } from './contact-keys.ts'
import type { PeopleDecision } from './decisions.ts'
import { MAX_USERS_OF_KEY } from './group-contacts.ts'
import { createPeopleIndex, type IndexedContact, type PeopleIndex } from './people-index.ts'
import { handleContradicts, namesContradict } from './person-names.ts'

const SEED = 20_261_116

function indexOf(contacts: readonly IndexedContact[], decisions: readonly PeopleDecision[] = []): PeopleIndex {
  const builder = createPeopleIndex(decisions)
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

/** The same rules, by comparing every user with every other one. */
function naive(contacts: readonly IndexedContact[]): Set<string> {
  const users = [...Map.groupBy(contacts, ({ service, user }) => `${service} ${user}`).values()]
  type User = (typeof users)[number]
  const service = (user: User) => user[0]!.service
  const names = (user: User) => new Set(user.map(nameOf).filter((name) => name !== undefined))
  const keys = (user: User) => user.flatMap(contactKeys)
  const apart = (a: User, b: User) => {
    const [of, others] = [[...names(a)], [...names(b)]]
    if (of.some((name) => others.includes(name)) || (of.length === 0 && others.length === 0)) return false
    if (service(a) === service(b)) return true
    if (of.length === 0 || others.length === 0) return false
    return of.every((one) =>
      others.every((other) => {
        const [handle, name] = one.startsWith('@') ? [one, other] : [other, one]
        if (!handle.startsWith('@')) return namesContradict(one, other)
        return !name.startsWith('@') && handleContradicts(handle, name)
      }),
    )
  }
  const clash = (list: readonly User[]) => list.some((a) => list.some((b) => a !== b && apart(a, b)))
  const closure = <Each>(list: readonly Each[], touches: (a: Each, b: Each) => boolean): Each[][] => {
    const left = new Set(list)
    const parts: Each[][] = []
    for (const first of list) {
      if (!left.delete(first)) continue
      const part = [first]
      for (const one of part) for (const other of left) if (touches(one, other) && left.delete(other)) part.push(other)
      parts.push(part)
    }
    return parts
  }
  let people: User[][] = users.map((user) => [user])
  for (const strength of ['strong', 'good', 'fair']) {
    const links: User[][] = []
    for (const key of new Set(contacts.flatMap(contactKeys))) {
      const all = users.filter((user) => keys(user).includes(key))
      if ([...Map.groupBy(all, service).values()].some(({ length }) => length > MAX_USERS_OF_KEY)) continue
      const [by] = key.split(' ', 1)
      const groups =
        strength === 'good' && by === 'email'
          ? [all]
          : strength === 'fair' && by === 'link'
            ? [all.filter((user) => names(user).size > 0)]
            : strength === 'strong' && by === 'name'
              ? [all]
              : strength === 'strong'
                ? [...new Set(all.flatMap((user) => [...names(user)]))].map((name) =>
                    all.filter((user) => names(user).has(name)),
                  )
                : []
      for (const group of groups) {
        const touched = people.filter((person) => person.some((user) => group.includes(user)))
        if (touched.flat().length > MAX_USERS_OF_PERSON) continue
        const parts = closure(touched, (a, b) => !a.some((one) => b.some((other) => apart(one, other))))
        for (const part of parts) if (!clash(part.flat())) links.push(part.flat())
      }
    }
    const parts = closure(people, (a, b) =>
      links.some((link) => a.some((user) => link.includes(user)) && b.some((user) => link.includes(user))),
    )
    people = parts.flatMap((part) =>
      part.length > 1 && (part.flat().length > MAX_USERS_OF_PERSON || clash(part.flat())) ? part : [part.flat()],
    )
  }
  return new Set(people.map((person) => idsOf(person.flat().map(({ id }) => id))))
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
      name: fc.option(fc.constantFrom('Ann Lee', 'A. Lee', 'Ann', 'Bob Ray', 'Robert Ray', 'Cay', 'Анна Ли'), {
        nil: undefined,
      }),
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
        // Ids, names, order and reasons do not depend on the order of reading either.
        const [one, other] = [contacts, shuffled].map((given) =>
          indexOf(given).people.map(({ contacts: ids, sortKey, joined }) => [ids, sortKey, joined]),
        )
        assert.deepEqual(one, other)
      }),
      { numRuns: 60, seed: SEED },
    )
  })

  test('an e-mail address that many have joins nobody', () => {
    const withEmail = (n: number) => Array.from({ length: n }, () => contact({ email: 'choir@company.test' }))
    assert.deepEqual(sizes(withEmail(MAX_USERS_OF_KEY)), [MAX_USERS_OF_KEY])
    assert.deepEqual(sizes(withEmail(MAX_USERS_OF_KEY + 1)), [1, 1, 1, 1])
    assert.deepEqual(sizes([...withEmail(50), contact({ service: 'museum', email: 'choir@company.test' })]).length, 51)
  })

  test('a long chain of bad data joins nobody', () => {
    const chain = (n: number) =>
      Array.from({ length: n }, (_, i) =>
        contact({ name: 'Ann', urls: [`https://a.test/${i}`, `https://a.test/${i + 1}`] }),
      )
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
      contact({ service: 'museum', handle: 'bobby', name: 'Abel Bob', email: 'bob@mail.test', at: 2 }),
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
