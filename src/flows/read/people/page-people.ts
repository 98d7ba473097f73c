import { wordsOf } from '#model/items/words.ts'
import { comparePeople, type IndexedPerson, type PeopleIndex, type PersonPosition } from '#model/people/people-index.ts'
import { createYielder } from '#platform/waiting/event-loop-yield.ts'

export interface PeopleQuery {
  limit: number
  /** Every word must begin a word of a name, a handle or an e-mail address of the person; without a usable word, nobody matches. */
  q?: string | undefined
  /** Only people who follow this one in the list. */
  after: PersonPosition | undefined
  count: boolean
}

export interface PeoplePage {
  people: IndexedPerson[]
  more: boolean
  /** How many people there are on all pages; undefined when it was not asked for. */
  total: number | undefined
}

/** Returns one page of people. `partitions`: only people with a contact of one of these profiles. */
export async function pagePeople(
  { people }: PeopleIndex,
  { limit, q, after, count }: PeopleQuery,
  partitions: ReadonlySet<string> | undefined,
): Promise<PeoplePage> {
  const words = q === undefined ? [] : wordsOf(q)
  if (q !== undefined && words.length === 0) return { people: [], more: false, total: count ? 0 : undefined }
  const pause = createYielder()
  const page: IndexedPerson[] = []
  let total = 0
  for (const person of people) {
    const pausing = pause()
    if (pausing !== undefined) await pausing
    if (!words.every((word) => person.words.includes(` ${word}`))) continue
    if (partitions !== undefined && !person.contacts.some((id) => partitions.has(id.slice(-PARTITION_CHARS)))) continue
    total += 1
    if (after !== undefined && comparePeople(person, after) <= 0) continue
    if (page.length <= limit) page.push(person)
    else if (!count) break
  }
  return { people: page.slice(0, limit), more: page.length > limit, total: count ? total : undefined }
}

/** A global id ends with the partition of its profile. */
const PARTITION_CHARS = 9
