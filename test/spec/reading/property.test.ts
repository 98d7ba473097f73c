import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import * as fc from 'fast-check'
import { cases, seedOf } from '../../harness/effort.ts'
import { type Profile, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'
import { distanceKm, evaluate, originalsOf, type Stored } from './naive.ts'
import { ENDPOINTS, NOW_ISH, PLACES, randomQuery, thing, toPath, withDefaults } from './random-queries.ts'

const SEED = seedOf('PROPERTY_SEED')
const WORLDS = 3
const QUESTIONS = cases(250, 'PROPERTY_RUNS')

suite('S45 random queries', () => {
  let harness: ReadingHarness
  before(async () => {
    harness = await startReadingHarness()
  })
  after(() => harness.stop())

  for (let world = 0; world < WORLDS; world += 1)
    test(`return the same as a full scan (seed ${SEED}, world ${world})`, async (t) => {
      t.diagnostic(`PROPERTY_SEED=${SEED}`)
      const { reader, stored } = await makeWorld(SEED + world)
      let [found, copies] = [0, 0]
      await fc.assert(
        fc.asyncProperty(randomQuery, async (query) => {
          const expected = evaluate(stored, withDefaults(query), Date.now())
          const items = await harness.items(`${toPath(query)}&copy_of=true`, reader)
          found += items.length
          const originals =
            query.dedup || expected.length === 0 ? new Map() : originalsOf(stored, withDefaults(query), Date.now())
          copies += originals.size
          assert.deepEqual(
            items.map(({ copy_of }) => copy_of),
            expected.map((id) => originals.get(id)),
            toPath(query),
          )
          assert.deepEqual(
            items.map(({ id }) => id),
            expected,
            toPath(query),
          )
        }),
        { numRuns: QUESTIONS, seed: SEED + world },
      )
      assert.ok(found > QUESTIONS / 2, 'the questions find something')
      assert.ok(copies > QUESTIONS / 4, `${copies} copies`)
    })

  /** Each item of the second world is so large that pages of more than a few are streamed. */
  for (const [world, filling] of ['', 'x'.repeat(60_000)].entries())
    test(`have the same pages and number of items at any limit (seed ${SEED}, ${world === 0 ? 'small' : 'large'} items)`, async (t) => {
      t.diagnostic(`PROPERTY_SEED=${SEED}`)
      const { reader, stored, old } = await makeWorld(SEED + 10 + world, filling)
      let [pages, added] = [0, 0]
      await fc.assert(
        fc.asyncProperty(randomQuery, fc.integer({ min: 1, max: 5 }), fc.boolean(), async (query, parts, adds) => {
          // Everything up to this time: what is added meanwhile is later, or in another profile's past, and changes no page.
          const until = Math.min(query.until ?? NOW_ISH, NOW_ISH)
          const whole = { ...withDefaults(query), until, limit: 100_000, before: undefined }
          const expected = evaluate(stored, whole, Date.now())
          const limit = Math.max(1, Math.ceil(expected.length / parts))
          const found: string[] = []
          for (let path = `${toPath({ ...whole, limit })}&count=true&fields=id`; ; ) {
            const { status, headers, body } = await harness.request(path, reader)
            assert.equal(status, 200, path)
            assert.equal(headers.get('x-total-count'), String(expected.length), path)
            const ids = (body as { id: string }[]).map(({ id }) => id)
            assert.ok(ids.length <= limit)
            found.push(...ids)
            pages += 1
            const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
            assert.equal(next !== undefined, found.length < expected.length, path)
            if (next === undefined) break
            path = new URL(next).pathname + new URL(next).search
            // At least once, whatever the seed.
            if (adds || added === 0) {
              added += 1
              await harness.put(old, [{ id: `later ${added}`, at: NOW_ISH + added, types: ['photos'], guid: ['g1'] }])
            }
          }
          assert.deepEqual(found, expected)
        }),
        { numRuns: Math.ceil(QUESTIONS / (world === 0 ? 3 : 8)), seed: SEED + world },
      )
      assert.ok(pages > QUESTIONS / 16 && added > 0, `${pages} pages were followed`)
    })

  test('the distances of the test are not on the edge of its circles', () => {
    for (const a of PLACES)
      for (const b of PLACES)
        for (const km of [1, 4, 10, 500, 12_000]) assert.ok(Math.abs(distanceKm(a, b) - km) > 1e-3)
  })

  /**
   * Three profiles, and a fourth that was merged into the first: where both have an item, the first one's
   * counts.
   */
  async function makeWorld(seed: number, filling = ''): Promise<{ reader: Reader; stored: Stored[]; old: Profile }> {
    const [reader, merged] = [await harness.newReader(), await harness.newReader()]
    const old = await harness.newProfile(merged, 'library', 'ada')
    const profiles = [
      await harness.newProfile(reader, 'library', 'ada'),
      await harness.newProfile(reader, 'museum', 'ada'),
      await harness.newProfile(reader, 'library', 'ben'),
    ]
    const stored = new Map<string, Stored>()
    const things = fc.sample(fc.array(thing, { minLength: 45, maxLength: 45 }), { seed, numRuns: 12 })
    for (const [n, profile] of [old, ...profiles].entries())
      for (const [k, endpoint] of ENDPOINTS.entries()) {
        const records = things[n * 3 + k]!.map((record) => (filling === '' ? record : { ...record, filling }))
        await harness.put(profile, records, endpoint)
        for (const record of records) {
          const { service, owner } = profile
          stored.set(`${service} ${owner} ${endpoint} ${record.id}`, { service, owner, endpoint, thing: record })
        }
      }
    await harness.request(`/auth/merge?source=${merged.token}&dest=${reader.token}`, reader)
    return { reader, stored: [...stored.values()], old }
  }
})
