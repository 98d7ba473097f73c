import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Item, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'
import type { Thing } from './thing.ts'

const ITEMS = 6000
const NEWEST = 1_700_000_000_000

/**
 * Which items contain a word, counted from the newest: frequencies at which each search plan is good, and at which
 * it is not.
 */
const WORDS: Record<string, (i: number) => boolean> = {
  every: () => true,
  tenth: (i) => i % 10 === 3,
  fortieth: (i) => i % 40 === 3,
  seldom: (i) => i % 300 === 7,
  thrice: (i) => i % 2500 === 900,
  // Frequent at first, then absent for long.
  early: (i) => (i < 300 && i % 30 === 0) || i > 5900,
  // Absent at first, then everywhere.
  late: (i) => i > 3000,
  never: () => false,
}
const wordsOf = (i: number) => Object.keys(WORDS).filter((word) => WORDS[word]!(i))
const native = (i: number) => `n${String(i).padStart(5, '0')}`

suite('searches find words of any frequency', () => {
  let harness: ReadingHarness
  let reader: Reader
  before(async () => {
    harness = await startReadingHarness()
    reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    const small = await harness.newProfile(reader, 'museum')
    const records = Array.from({ length: ITEMS }, (_, i): Thing => {
      const words = wordsOf(i)
      const place = words.includes('fortieth') ? { lat: 38.7, lng: -9.1 } : { lat: 10, lng: 10 }
      return {
        id: native(i),
        at: NEWEST - i * 1000,
        types: ['statuses'],
        text: words.join(' '),
        others: words,
        ...place,
      }
    })
    for (let from = 0; from < ITEMS; from += 1000) await harness.put(profile, records.slice(from, from + 1000))
    // Older than all others and fewer than a page: a profile that is exhausted after the first scan.
    const few = ['every', 'never'].map((text, i) => ({
      id: `m${i}`,
      at: 1000 + i,
      types: ['statuses' as const],
      text,
      others: [text],
    }))
    await harness.put(small, few)
  })
  after(() => harness.stop())

  const expected = (word: string, sort: string) => {
    const large = Array.from({ length: ITEMS }, (_, i) => i)
      .filter((i) => WORDS[word]!(i))
      .map(native)
    const all = [...large, ...(word === 'every' ? ['m0'] : word === 'never' ? ['m1'] : [])]
    return sort === 'asc' ? all.reverse() : all
  }
  const idsOf = (items: Item[]) => items.map(({ data }) => data.id)

  for (const word of Object.keys(WORDS))
    for (const sort of ['desc', 'asc'])
      for (const [how, parameter] of [
        ['word', `q=${word}`],
        ['person', `participants=${word}`],
      ])
        test(`${how} “${word}”, ${sort}: a page, a longer one, and page by page to the end`, async () => {
          const path = `/types/statuses?${parameter}&sort=${sort}`
          const all = expected(word, sort)
          assert.deepEqual(idsOf(await harness.items(path, reader)), all.slice(0, 20))
          assert.deepEqual(idsOf(await harness.items(`${path}&limit=700`, reader)), all.slice(0, 700))
          const seen: string[] = []
          for (let next = `${path}&limit=150`; seen.length < 1200; ) {
            const page = await harness.items(next, reader)
            seen.push(...idsOf(page))
            const last = page.at(-1)
            if (page.length < 150 || last === undefined) break
            next = `${path}&limit=150&before=${last.at}_${last.id}`
          }
          assert.deepEqual(seen, all.slice(0, 1200))
        })

  test('near a place', async () => {
    const items = await harness.items('/types/statuses?near=38.7,-9.1&limit=1000', reader)
    assert.deepEqual(idsOf(items), expected('fortieth', 'desc'))
  })
})
