import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { cases, seedOf } from '../harness/effort.ts'
import { compare } from './compare.ts'
import { parseExactly } from './exact-json.ts'
import { type Known, partsOf, type Shown } from './known-item.ts'
import { NETWORKS } from './networks.ts'
import { nameOf, type Question } from './question.ts'
import { seeded } from './random.ts'
import { randomQuestion } from './random-question.ts'
import { readWorld } from './read-world.ts'
import { startWorld, type World } from './world.ts'

const SEED = seedOf('MODEL_SEED')
/** At night at most twice as many, with another seed: a file has to end in a quarter of an hour. */
const MAX_UNLESS_NAMED = 2000
/** 20,000 by hand: `MODEL_RUNS=20000`. */
const ASKED_FOR = cases(1000, 'MODEL_RUNS')
const QUESTIONS = process.env['MODEL_RUNS'] === undefined ? Math.min(ASKED_FOR, MAX_UNLESS_NAMED) : ASKED_FOR
/** After so many differences the cause is known. */
const MAX_DIFFERENCES = 20

const EVERYTHING: Omit<Question, 'of'> = {
  limit: 1_000_000,
  since: -8.64e15,
  until: 8.64e15,
  updatedSince: undefined,
  sort: undefined,
  terms: [],
  people: [],
  near: undefined,
  within: undefined,
  services: undefined,
  fields: undefined,
  dedup: false,
  map: false,
  count: true,
}

suite(`the model of an account at every service of the lab (MODEL_SEED=${SEED})`, () => {
  let world: World
  let items: Known[]
  before(async () => {
    world = await startWorld(SEED)
    items = await readWorld(world.url, world.token)
  })
  after(() => world?.stop())

  test(`${QUESTIONS} random questions have the rows, order, content, number and pages of a scan over the export`, async (t) => {
    const random = seeded(SEED)
    const differences: string[] = []
    let [rows, pages, found, asked] = [0, 0, 0, 0]
    for (; asked < QUESTIONS && differences.length < MAX_DIFFERENCES; asked += 1) {
      const outcome = await compare(world.url, world.token, items, randomQuestion(random, items))
      differences.push(...outcome.differences)
      rows += outcome.rows
      pages += outcome.pages
      if (outcome.rows > 0) found += 1
    }
    t.diagnostic(
      `${items.length} items, ${asked} questions, ${pages} pages, ${rows} rows, ${differences.length} differences`,
    )
    assert.equal(differences.length, 0, `${differences.length} differences\n\n${differences.join('\n\n')}`)
    assert.ok(found > QUESTIONS / 2, `only ${found} questions find something`)
    assert.ok(pages > QUESTIONS, `only ${pages} pages were read`)
  })

  test('one item that differs is noticed', async () => {
    const item = items.find(({ service, place }) => service === 'self' && place !== undefined)!
    const question: Question = { ...EVERYTHING, of: { service: 'self', owner: undefined, endpoint: item.endpoint } }
    const ask = async (other: Known[], more: Partial<Question> = {}) =>
      (await compare(world.url, world.token, other, { ...question, ...more })).differences.length
    const without = items.filter((one) => one !== item)
    const near = { near: item.place, within: 0.001 }
    assert.equal(await ask(items), 0)
    assert.equal(await ask(items, near), 0)
    assert.ok((await ask(without)) > 0, 'a row more')
    assert.ok((await ask([...without, { ...item, data: { ...item.data, more: 1 } }])) > 0, 'another record')
    assert.ok((await ask([...without, { ...item, at: item.at + 1 }])) > 0, 'another time')
    assert.ok((await ask([...without, { ...item, place: undefined }], near)) > 0, 'another place')
  })

  const read = async (path: string) => {
    const range = 'limit=1000000&since=-8640000000000000&until=8640000000000000'
    const response = await fetch(`${world.url}${path}${path.includes('?') ? '&' : '?'}${range}`, {
      headers: { authorization: `Bearer ${world.token}` },
    })
    return (await response.json()) as Shown[]
  }

  test('items of every endpoint are found by id, by IDR and by native id', async () => {
    const headers = { authorization: `Bearer ${world.token}` }
    const ids = items.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    for (const [first, ...more] of Map.groupBy(items, ({ idr }) => idr.replace(/#.*/, '')).values())
      for (const { id, idr, data, service, owner, endpoint } of [first!, ...more.slice(-1)]) {
        const profile = service === 'self' ? service : encodeURIComponent(nameOf({ service, owner }))
        const native = `services/${profile}/${endpoint}/${encodeURIComponent(partsOf(idr).item)}`
        for (const path of [`id/${id}`, `id/${encodeURIComponent(idr)}`, native]) {
          const response = await fetch(`${world.url}/${path}`, { headers })
          const text = await response.text()
          assert.equal(response.status, 200, `${path}: ${text}`)
          const shown = parseExactly(text) as Shown
          assert.deepEqual([shown.id, shown.idr, shown.data], [id, idr, data], path)
        }
      }
  })

  test('authors, commenters and likers of posts, tweets, photos, checkins and blog posts are participants', async () => {
    for (const [path, written] of Object.entries(NETWORKS)) {
      const said = items
        .filter(({ service, endpoint }) => `${service}/${endpoint}` === path)
        .map((item) => ({ item, ...written(item) }))
      assert.ok(said.length > 0, path)
      const idsOf = (found: { id: string }[]) => found.map(({ id }) => id).toSorted()
      const ask = async (participants: string) =>
        read(`/services/${path}?participants=${encodeURIComponent(participants)}`)
      for (const author of new Set(said.slice(0, 5).map((one) => one.author!)))
        assert.deepEqual(
          idsOf(await ask(`^${author}`)),
          idsOf(said.filter((one) => one.author === author).map(({ item }) => item)),
          `${path} by ${author}`,
        )
      const others = [...new Set(said.flatMap((one) => one.others.slice(0, 2)))].slice(0, 8)
      assert.equal(others.length > 0, !path.startsWith('x/'), `${path} has comments or likes`)
      for (const other of others) {
        const found = idsOf(await ask(other))
        // Of an entry with many people only the first sixteen are indexed.
        const wanted = said.filter(
          (one) => (one.author === other || one.others.includes(other)) && one.item.people.length < 16,
        )
        for (const { item } of wanted) assert.ok(found.includes(item.id), `${item.idr} with ${other}`)
        for (const { item } of said)
          if (found.includes(item.id))
            assert.ok(JSON.stringify(item.data).includes(other), `${item.idr} names ${other}`)
      }
    }
  })

  test('`map` comes on request alone, with described fields, at every endpoint of every service', async () => {
    const response = await fetch(`${world.url}/openapi.json`)
    const { components } = (await response.json()) as {
      components: { schemas: Record<string, { properties?: Record<string, unknown> }> }
    }
    const described = new Set(
      Object.entries(components.schemas).flatMap(([name, { properties }]) =>
        name.endsWith('Map') ? Object.keys(properties ?? {}) : [],
      ),
    )
    assert.ok(described.has('name') && described.has('participants'))
    for (const path of new Set(items.map(({ service, endpoint }) => `/services/${service}/${endpoint}`))) {
      const [plain, mapped] = [await read(path), await read(`${path}?map=true`)]
      assert.ok(plain.length > 0, path)
      assert.deepEqual(
        plain,
        mapped.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => name !== 'map'))),
        path,
      )
      for (const { map, idr } of mapped) {
        assert.ok(map !== undefined, idr)
        assert.deepEqual(
          Object.keys(map).filter((field) => !described.has(field)),
          [],
          idr,
        )
      }
    }
  })

  test('the account has every service, ties, every time and place, and items of two merged profiles', () => {
    const services = new Set(items.map(({ service }) => service))
    assert.ok(services.size >= 20, [...services].join(' '))
    const has = (is: (item: Known) => boolean) => assert.ok(items.some(is), is.toString())
    has(({ at }) => at < 0)
    has(({ at }) => at > 4e12)
    has(({ place }) => place?.[0] === 90)
    has(({ place }) => place?.[0] === -90)
    has(({ place }) => Math.abs(place?.[1] ?? 0) === 180)
    has(({ people }) => people.length === 16)
    assert.ok(new Set(items.filter(({ service }) => service === 'self').map(({ at }) => at)).size < 15, 'ties')
    assert.equal(new Set(items.filter(({ service }) => service === 'demo-social').map(({ owner }) => owner)).size, 2)
  })

  test('the model imports nothing of the service', () => {
    for (const file of readdirSync(import.meta.dirname))
      for (const [, from] of readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/from '([^']+)'/g)) {
        const isAllowed = /^(\.\/|node:)/.test(from!) || ['world.ts', 'random-reads.test.ts'].includes(file)
        assert.ok(isAllowed && !/src\/|^#/.test(from!), `${file} imports ${from}`)
      }
  })
})
