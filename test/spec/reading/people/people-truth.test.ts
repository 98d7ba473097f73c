import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { MAX_USERS_OF_PERSON } from '#model/people/clusters.ts'
import { MAX_USERS_OF_KEY } from '#model/people/group-contacts.ts'
import { createPeopleIndex } from '#model/people/people-index.ts'
import { ROLE_ADDRESSES } from '#model/people/role-addresses.ts'
import { putItems } from '../../../harness/own-items.ts'
import { type ReadingHarness, startReadingHarness } from '../fixture.ts'
import { contact, own, peopleReader, usersOf } from './people-fixture.ts'
import { type KnownContact, knownContacts, measure } from './people-truth.ts'

const SEEDS = Array.from({ length: 12 }, (_, i) => 20_261_118 + i)
const HUMANS = 3000
const MIN_PRECISION = 0.999

/** The people of contacts by the rules alone, as lists of users. */
function peopleOf(known: readonly KnownContact[]): string[][] {
  const builder = createPeopleIndex()
  for (const [at, { service, user, record }] of known.entries()) {
    const { name, handle, email, url } = record
    builder.add({
      id: `${service} ${user}`,
      at,
      service,
      user,
      name,
      handle,
      email,
      urls: url === undefined ? [] : [url],
    })
  }
  const steps = builder.finish()
  for (let step = steps.next(); ; step = steps.next())
    if (step.done === true) return step.value.people.map((person) => person.contacts)
}

suite('people whose truth is known', () => {
  const sets = SEEDS.map((seed) => knownContacts(seed, HUMANS))
  const measured = sets.map((known) => measure(known, peopleOf(known)))
  const sum = (of: (one: (typeof measured)[number]) => number) => measured.reduce((total, one) => total + of(one), 0)
  const joined = sum((one) => one.joined)
  const wrong = sum((one) => one.wrong.length)
  const ofSharing = sum((one) => one.found) / sum((one) => one.sharing)
  const [precision, recall] = [(joined - wrong) / joined, (joined - wrong) / sum((one) => one.pairs)]

  test(`are joined with a precision of at least ${MIN_PRECISION}`, () => {
    const worst = measured.flatMap((one) => one.wrong).map(([a, b]) => JSON.stringify([a, b]))
    assert.ok(precision >= MIN_PRECISION, `${precision}: ${worst.slice(0, 20).join('\n')}`)
    assert.ok(joined > 15_000)
  })

  test('give the figures and rules of docs/api.md', () => {
    const docs = readFileSync(join(import.meta.dirname, '../../../../docs/api.md'), 'utf8')
    const text = docs.replaceAll(/\s+/g, ' ')
    const contacts = sets.reduce((total, { length }) => total + length, 0)
    assert.ok(
      text.includes(
        `precision ${precision.toFixed(4)}, recall ${recall.toFixed(2)} (${ofSharing.toFixed(2)} of the pairs that share a value) over ${SEEDS.length} sets of ${HUMANS.toLocaleString('en')} people (${contacts.toLocaleString('en')} contacts)`,
      ),
      `${precision} ${recall} ${ofSharing} ${contacts}`,
    )
    for (const role of ROLE_ADDRESSES) assert.ok(text.includes(role), `${role}@ is not in docs/api.md`)
    assert.ok(text.includes(`more than ${MAX_USERS_OF_KEY} users of one service`))
    assert.ok(text.includes(`more than ${MAX_USERS_OF_PERSON} service users`))
  })

  test('contain every situation, so that a rule that is left out would be noticed', () => {
    const known = sets[0]!
    const byHuman = [...Map.groupBy(known, ({ human }) => human).values()]
    const some = (fits: (one: KnownContact) => boolean) => known.filter(fits).length
    assert.ok(some(({ record }) => /^(info|office|no-reply|kontakt)@/i.test(record.email ?? '')) > 20)
    assert.ok(some(({ record }) => /home\.test$/i.test(record.email ?? '')) > 100)
    assert.ok(some(({ record }) => /\p{Script=Cyrillic}|\p{Script=Han}|\p{Script=Greek}/u.test(record.name ?? '')) > 50)
    assert.ok(some(({ record }) => record.url?.includes('#/') === true) > 50)
    assert.ok(some(({ record }) => /^https?:\/\/[^/]+\/?#?$/.test(record.url ?? '')) > 20)
    assert.ok(some(({ record }) => record.name === undefined) > 20)
    assert.ok(byHuman.filter((list) => new Set(list.map(({ record }) => record.handle)).size > 1).length > 500)
    const named = Map.groupBy(known, ({ record }) => record.name ?? '')
    assert.ok([...named].filter(([, list]) => new Set(list.map(({ human }) => human)).size > 1).length > 50)
  })
})

suite('the same people by the API', () => {
  let harness: ReadingHarness
  before(async () => {
    harness = await startReadingHarness()
  })
  after(() => harness.stop())

  test('are those of the rules', async () => {
    const known = knownContacts(SEEDS[0]!, 400)
    const reader = await harness.newReader()
    for (const service of ['library', 'museum'] as const) {
      const profile = await harness.newProfile(reader, service, 'ada')
      const records = known.flatMap((each, at) =>
        each.service === service ? [contact(each.user, { at, ...each.record })] : [],
      )
      await harness.put(profile, records)
    }
    const mine = known.flatMap((each, at) => (each.service === 'self' ? [own(each.user, { at, ...each.record })] : []))
    await putItems(harness.tributary, reader, mine, 'contacts')
    const { found } = await peopleReader(harness).allPages(reader, '/people?limit=100')
    const sorted = (people: readonly (readonly string[])[]) => people.map((users) => users.toSorted().join()).sort()
    assert.deepEqual(sorted(found.map(usersOf)), sorted(peopleOf(known)))
    assert.ok(found.some(({ joined }) => joined.length > 0))
  })
})
