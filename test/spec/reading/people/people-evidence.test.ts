import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { putItems } from '../../../harness/own-items.ts'
import { type ReadingHarness, startReadingHarness } from '../fixture.ts'
import { contact, type ListedPerson, own, peopleReader, usersOf } from './people-fixture.ts'

let harness: ReadingHarness
let page: ReturnType<typeof peopleReader>
before(async () => {
  harness = await startReadingHarness()
  page = peopleReader(harness)
})
after(() => harness.stop())

type Fields = Parameters<typeof contact>[1]
type Given = readonly [service: 'library' | 'museum' | 'self', user: string, fields: Fields]

/** Lists the people of an account with these contacts, each as the names of its users. */
async function peopleOf(given: readonly Given[]) {
  const reader = await harness.newReader()
  for (const service of ['library', 'museum'] as const) {
    const profile = await harness.newProfile(reader, service, 'ada')
    const records = given
      .filter(([of]) => of === service)
      .map(([, user, fields]) => contact(user, { at: 1, ...fields }))
    await harness.put(profile, records)
  }
  const mine = given.filter(([of]) => of === 'self').map(([, user, fields]) => own(user, { at: 1, ...fields }))
  await putItems(harness.tributary, reader, mine, 'contacts')
  return { reader, list: await page.people(reader, 'limit=500') }
}
const groups = (list: readonly ListedPerson[]) => list.map((person) => usersOf(person).sort().join(', ')).sort()

suite('users whom one service tells apart', () => {
  const cases: Record<string, readonly Given[]> = {
    'a family with one mailbox': [
      ['self', '1', { name: 'Hans Meier', email: 'meier@home.test' }],
      ['self', '2', { name: 'Greta Meier', email: 'meier@home.test' }],
      ['self', '3', { name: 'Hans & Greta Meier', email: 'meier@home.test' }],
    ],
    'the mailbox of a role': [
      ['self', '1', { name: 'Info One', email: 'info@shop.test' }],
      ['library', '2', { name: 'Info One', email: 'info@shop.test' }],
      ['museum', '3', { name: 'Info One', email: 'info@shop.test' }],
    ],
    'links that differ after the hash': [
      ['library', '1', { name: 'Hash A', url: 'https://matrix.test/#/@a:x' }],
      ['museum', '2', { name: 'Hash A', url: 'https://matrix.test/#/@b:x' }],
    ],
    'links that differ in case': [
      ['library', '1', { name: 'Case A', url: 'https://short.test/AbC' }],
      ['museum', '2', { name: 'Case A', url: 'https://short.test/aBc' }],
    ],
    'the site of a company': [
      ['library', '1', { name: 'Work A', url: 'https://corp.test/' }],
      ['museum', '2', { name: 'Work A', url: 'http://corp.test' }],
      ['self', '3', { name: 'U A', url: 'https://twitter.com/' }],
      ['library', '4', { name: 'U A', url: 'https://twitter.com/' }],
    ],
    'a third who could be either': [
      ['library', '1', { name: 'Ann Lee', email: 'lee@home.test' }],
      ['library', '2', { name: 'Bea Fox', email: 'lee@home.test' }],
      ['museum', '3', { email: 'lee@home.test' }],
    ],
    'one of them without a name': [
      ['library', '1', { name: 'Ann Lee', email: 'lee@home.test' }],
      ['library', '2', { email: 'lee@home.test' }],
    ],
  }
  for (const [what, given] of Object.entries(cases))
    test(`are not joined by ${what}`, async () => {
      const { list } = await peopleOf(given)
      assert.deepEqual(groups(list), given.map(([service, user]) => `${service} ${user}`).sort())
      assert.ok(list.every(({ joined }) => joined.length === 0))
    })

  test('are not joined by a third who shares a link with each', async () => {
    const { reader, list } = await peopleOf([
      ['library', '1', { name: 'Ann Lee', url: 'https://a.test/1' }],
      ['library', '2', { name: 'Ann Fox', url: 'https://a.test/2' }],
      ['self', '3', { name: 'Ann', url: 'https://a.test/1' }],
    ])
    assert.deepEqual(groups(list), ['library 1, self 3', 'library 2'])
    // Another record of the third.
    await putItems(harness.tributary, reader, [own('3', { name: 'Ann', url: 'https://a.test/2' })], 'others')
    assert.deepEqual(groups(await page.people(reader)), ['library 1', 'library 2', 'self 3, self 3'])
  })

  test('are joined where the service gives both the same name', async () => {
    const { list } = await peopleOf([
      ['self', '1', { name: 'Ann Lee', email: 'ann@mail.test' }],
      ['self', '2', { name: 'ann lee', email: 'Ann@Mail.test' }],
    ])
    assert.deepEqual(groups(list), ['self 1, self 2'])
  })

  test('stay apart in whatever order the contacts are read', async () => {
    const given: readonly Given[] = [
      ['library', '1', { name: 'Ann Lee', email: 'lee@home.test' }],
      ['library', '2', { name: 'Bea Lee', email: 'lee@home.test' }],
      ['museum', '3', { name: 'A. Lee', email: 'lee@home.test' }],
      ['self', '4', { name: 'Bea Lee', email: 'lee@home.test' }],
    ]
    for (const order of [given, given.toReversed(), [given[2]!, given[0]!, given[3]!, given[1]!]]) {
      const { list } = await peopleOf(order.map(([service, user, fields], at) => [service, user, { ...fields, at }]))
      assert.deepEqual(groups(list), ['library 1, museum 3', 'library 2, self 4'])
    }
  })
})

suite('a join', () => {
  test('says why, how strong it is, and of whom', async () => {
    const { reader, list } = await peopleOf([
      ['library', '1', { name: 'Ann Lee', handle: 'ann', email: 'Ann@mail.test' }],
      ['museum', '2', { name: 'A. Lee', email: 'ann@mail.test', url: 'https://ann.test/about' }],
      ['self', '3', { name: 'ANN LEE', handle: '@Ann' }],
      ['self', '4', { name: 'Zed Ray' }],
      ['museum', '5', { name: 'Zed Ray', email: 'zed@mail.test' }],
      ['library', '6', { name: 'Zed Ray', email: 'zed@mail.test' }],
      ['self', '7', { name: 'Bob Ox', url: 'https://bob.test/x' }],
      ['library', '8', { name: 'Robert Ox', url: 'http://www.bob.test/x/' }],
    ])
    const ref = (service: string, user: string) => ({ service, user })
    const joinedOf = (user: string) => list.find((person) => usersOf(person).includes(user))?.joined
    const ann = [
      {
        by: 'handle_and_name',
        strength: 'strong',
        value: '@ann ann lee',
        users: [ref('library', '1'), ref('self', '3')],
      },
      { by: 'email', strength: 'good', value: 'ann@mail.test', users: [ref('library', '1'), ref('museum', '2')] },
    ]
    assert.deepEqual(joinedOf('library 1'), ann)
    assert.deepEqual(joinedOf('museum 5'), [
      {
        by: 'email',
        strength: 'strong',
        value: 'zed@mail.test',
        users: [ref('library', '6'), ref('museum', '5')],
      },
    ])
    assert.deepEqual(joinedOf('self 7'), [
      { by: 'link', strength: 'fair', value: 'bob.test/x', users: [ref('library', '8'), ref('self', '7')] },
    ])
    assert.deepEqual(joinedOf('self 4'), [])
    const { id } = list.find((person) => usersOf(person).includes('library 1'))!
    assert.deepEqual((await page.one(reader, id)).joined, ann)
  })
})
