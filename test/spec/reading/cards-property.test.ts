import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import * as fc from 'fast-check'
import { FEED_TYPES } from '#model/items/types.ts'
import { cases, seedOf } from '../../harness/effort.ts'
import { type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'
import type { Thing } from './thing.ts'

const SEED = seedOf('PROPERTY_SEED')
const QUESTIONS = cases(250, 'PROPERTY_RUNS')

const TYPES = ['photos', 'videos', 'statuses', 'news', 'checkins', 'tracks'] as const
type Type = (typeof TYPES)[number]
const MAIN: Type[] = ['checkins', 'photos', 'videos', 'news']
const CARD: Record<Type, string> = {
  photos: 'photo',
  videos: 'video',
  statuses: 'text',
  news: 'link',
  checkins: 'checkin',
  tracks: 'track',
}

/** Texts, and the words that a person sees in them. */
const SAMPLES: Record<string, string[]> = {
  sea: ['sea'],
  'Seá!': ['sea'],
  안녕하세요: ['안녕하세요'],
  안녕: ['안녕'],
  '여러분…': ['여러분'],
  海边: ['海', '边'],
  สวัสดี: Array.from('สวัสดี'),
  '🎉': ['🎉'],
  '👍🏽': ['👍'],
  '👩🏿\u200d💻': ['👩', '💻'],
  '🇩🇪': ['🇩🇪'],
  '🇧🇩🇪🇸': ['🇧🇩', '🇪🇸'],
  '❤️': ['❤'],
  '5€': ['5', '€'],
  '-- | ‼ ──': [],
}
const part = fc.constantFrom(...Object.keys(SAMPLES))
const text = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '))
const wordsIn = (written: string | undefined) => (written ?? '').split(' ').flatMap((each) => SAMPLES[each] ?? [])
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 3 })

const thing = fc
  .record({
    types: fc.subarray([...TYPES], { maxLength: 4 }),
    author: optional(fc.constantFrom('ada', 'ben')),
    text: optional(text),
    title: optional(text),
    description: optional(text),
    linkTitle: optional(text),
  })
  .map(({ linkTitle, ...rest }) => ({
    ...rest,
    link: { url: 'https://x.test/', ...(linkTitle && { title: linkTitle }) },
  }))

interface Stored {
  thing: Thing
  feed: boolean
}

const mainOf = (types: readonly string[]) => MAIN.find((type) => types.includes(type)) ?? (types[0] as Type | undefined)

function isOf({ thing: { types = [], author }, feed }: Stored, name: string): boolean {
  const [type = '', suffix] = name.split('_')
  if (feed !== (suffix === 'feed')) return false
  // What the person made is in no feed; feeds have fewer types.
  const has = feed ? types.filter((each) => author !== 'ada' && FEED_TYPES.some((one) => one === each)) : types
  return type === 'all' ? has.length > 0 : has.some((each) => each === type)
}

/** The words of each searched text, of all types under which the item is listed. */
function fieldsOf({ thing: { types = [], text: status, title, description, link }, feed }: Stored): string[][] {
  const listed = types.filter((type) => !feed || FEED_TYPES.some((one) => one === type))
  const fields = listed.flatMap((type) => {
    if (type === 'statuses') return [status]
    if (type === 'news') return [link?.title ?? title]
    return type === 'photos' ? [title, description] : [title, status]
  })
  return fields.map(wordsIn)
}

interface Term {
  part: string
  isQuoted: boolean
  isUnwanted: boolean
  isPrefix: boolean
}

/** After the documentation: words in order, and Korean ones are prefixes unless they are quoted. */
function matches(fields: string[][], { part: written, isQuoted, isPrefix }: Term): boolean {
  const words = wordsIn(written)
  const isOpen = isPrefix || (!isQuoted && /[가-힣]/.test(words.at(-1)!))
  return fields.some((field) =>
    field.some((_, i) =>
      words.every((word, k) => {
        const found = field[i + k]
        return isOpen && k === words.length - 1 ? found?.startsWith(word) === true : found === word
      }),
    ),
  )
}

const term: fc.Arbitrary<Term> = fc
  .record({ part, isQuoted: fc.boolean(), isUnwanted: fc.boolean(), isPrefix: fc.boolean() })
  .filter(({ part: written }) => wordsIn(written).length > 0)
  .map((each) => ({
    ...each,
    isPrefix: each.isPrefix && !each.isQuoted && /[\p{L}\p{So}]$/u.test(each.part),
  }))

const question = fc.record({
  type: fc.constantFrom('all', 'all_feed', ...TYPES, ...FEED_TYPES.map((type) => `${type}_feed`)),
  terms: fc.oneof(fc.constant<Term[]>([]), fc.array(term, { minLength: 1, maxLength: 3 })),
})

const written = ({ part: text, isQuoted, isUnwanted, isPrefix }: Term) =>
  `${isUnwanted ? '-' : ''}${isQuoted ? `"${text}"` : text}${isPrefix ? '*' : ''}`

suite('random items of several types', () => {
  let harness: ReadingHarness
  before(async () => {
    harness = await startReadingHarness()
  })
  after(() => harness.stop())

  async function store(): Promise<{ reader: Reader; stored: Map<string, Stored> }> {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    const stored = new Map<string, Stored>()
    const made = fc.sample(thing, { seed: SEED, numRuns: 120 })
    for (const feed of [false, true]) {
      const things = made
        .map((each, i) => ({ each, i }))
        .filter(({ i }) => (i % 2 === 0) === feed)
        .map(({ each, i }) => JSON.parse(JSON.stringify({ ...each, id: `t${i}`, at: 1000 + i })) as Thing)
      await harness.put(profile, things, feed ? 'feed' : 'things')
      for (const each of things) stored.set(each.id, { thing: each, feed })
    }
    return { reader, stored }
  }

  test(`have the card of the type, are found by every card, and are in a feed only if others made them (seed ${SEED})`, async () => {
    const { reader, stored } = await store()
    let found = 0
    await fc.assert(
      fc.asyncProperty(question, async ({ type, terms }) => {
        const q = terms.map(written).join(' ')
        const path = `/types/${type}?limit=1000&sort=asc${q === '' ? '' : `&q=${encodeURIComponent(q)}`}`
        const items = await harness.items(path, reader)
        const expected = [...stored.values()].filter(
          (each) => isOf(each, type) && terms.every((one) => matches(fieldsOf(each), one) !== one.isUnwanted),
        )
        assert.deepEqual(
          items.map(({ data }) => data.id).sort(),
          expected.map(({ thing: { id } }) => id).sort(),
          `${type} ${q}`,
        )
        found += items.length
        for (const { data, oembed } of items) {
          const shown = type.startsWith('all') ? mainOf(data.types ?? [])! : (type.split('_')[0] as Type)
          assert.equal(oembed?.['type'], CARD[shown], `${type} ${data.id}`)
          if (shown === 'news') assert.equal(oembed?.['title'], data.link?.title ?? data.title)
        }
      }),
      { numRuns: QUESTIONS, seed: SEED },
    )
    assert.ok(found > QUESTIONS, 'the questions find something')
  })
})
