import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import fc from 'fast-check'
import { cases, seedOf } from '../../../harness/effort.ts'
import type { Item, Profile, Reader } from '../fixture.ts'
import type { Thing } from '../thing.ts'
import { type ChangesHarness, catchUp, Follower, startChangesHarness } from './changes-fixture.ts'

const SEED = seedOf('PROPERTY_SEED')
const LIVES = cases(12, 'PROPERTY_LIVES')
const STEPS = 60
const EVERYTHING = `limit=100000&since=${Number.MIN_SAFE_INTEGER}&until=${Number.MAX_SAFE_INTEGER}`

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 3 })
const which = fc.nat(20)
const endpoint = fc.constantFrom('things', 'others', 'feed')
const version = fc.nat(3)

/** What may happen to an account, and what a follower may do meanwhile. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('write' as const), which, ids, endpoint, version }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('drop' as const), which, ids, endpoint }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('post' as const), which, ids, version }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('delete' as const), which, ids }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('connect' as const), which, service: which, owner: which }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('disconnect' as const), which }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('merge' as const), which }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('follow' as const), filter: which }) },
  {
    weight: 8,
    arbitrary: fc.record({ does: fc.constant('page' as const), which, limit: fc.integer({ min: 1, max: 5 }) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const FILTERS = [
  '',
  'types=photos',
  'types=statuses,photos_feed',
  'services=library',
  'services=self,ada@museum&types=all',
]
const TYPES = [['photos'], ['statuses'], ['photos', 'statuses'], []] as const

suite('a follower of changes', () => {
  let harness: ChangesHarness
  before(async () => {
    harness = await startChangesHarness()
  })
  after(() => harness.stop())

  for (let life = 0; life < LIVES; life += 1)
    test(`has what the lists show, whatever happens (seed ${SEED + life})`, async () => {
      const [steps] = fc.sample(fc.array(step, { minLength: STEPS, maxLength: STEPS }), {
        seed: SEED + life,
        numRuns: 1,
      })
      await live(steps!)
    })

  async function live(steps: Step[]): Promise<void> {
    // Accounts that are merged into the main one, one after the other; followers follow the main one.
    const main = await harness.newReader()
    const others = [await harness.newReader(), await harness.newReader(), await harness.newReader()]
    const profiles: { profile: Profile; reader: Reader }[] = []
    const connect = async (reader: Reader, service: number, owner: number) => {
      const profile = {
        service: (['library', 'museum'] as const)[service % 2]!,
        owner: ['ada', 'ben c'][owner % 2]!,
      }
      const isKnown = profiles.some(
        (each) =>
          each.reader === reader && each.profile.service === profile.service && each.profile.owner === profile.owner,
      )
      if (isKnown) return
      profiles.push({ profile: await harness.newProfile(reader, profile.service, profile.owner), reader })
    }
    // Everybody has the same person at the library, so that merges give copies, and half of them somebody else.
    for (const reader of [main, ...others]) await connect(reader, 0, 0)
    for (const reader of others.slice(1)) await connect(reader, 1, 1)
    const followers = FILTERS.map((filter) => new Follower(filter))
    const readerFor = (n: number) => [main, ...others][n % (others.length + 1)]!

    for (const each of steps) {
      if (each.does === 'follow') {
        followers.push(new Follower(FILTERS[each.filter % FILTERS.length]))
        continue
      }
      if (each.does === 'page') {
        const follower = followers[each.which % followers.length]!
        follower.apply(await harness.page(main, follower.query(each.limit)))
        continue
      }
      if (each.does === 'post')
        await harness.post(
          readerFor(each.which),
          each.ids.map((id) => ({ id, at: id, type: TYPES[each.version]?.[0] ?? 'events', text: `v${each.version}` })),
          each.ids.length % 2 === 0 ? 'notes' : 'tasks',
        )
      else if (each.does === 'delete')
        for (const id of each.ids)
          await harness.request(`/services/self/notes/${id}`, readerFor(each.which), { method: 'DELETE' })
      else if (each.does === 'connect') await connect(readerFor(each.which), each.service, each.owner)
      else if (each.does === 'merge') {
        const source = others[each.which % Math.max(1, others.length)]
        if (source === undefined) continue
        await harness.merge(source, main)
        others.splice(others.indexOf(source), 1)
        for (const known of profiles) if (known.reader === source) known.reader = main
      } else {
        const known = profiles[each.which % profiles.length]
        if (known === undefined) continue
        const { profile, reader } = known
        if (each.does === 'write')
          await harness.write(
            profile,
            each.ids.map((id) => thing(id, each.version)),
            each.endpoint,
          )
        else if (each.does === 'drop') await harness.drop(profile, each.ids.map(String), each.endpoint)
        else {
          const name = `${encodeURIComponent(profile.owner)}@${profile.service}`
          const { status, text } = await harness.request(`/profiles/${encodeURIComponent(name)}`, reader, {
            method: 'DELETE',
          })
          assert.equal(status, 200, text)
          const stays = profiles.filter(
            (other) =>
              other.reader !== reader ||
              other.profile.service !== profile.service ||
              other.profile.owner !== profile.owner,
          )
          profiles.splice(0, profiles.length, ...stays)
        }
      }
    }

    for (const follower of followers) {
      await catchUp(harness, follower, main, 3)
      assert.deepEqual(
        contentsOf([...follower.items.values()]),
        contentsOf(await listed(main, follower.filter)),
        follower.filter,
      )
    }
  }

  /** What the lists of the API show for a filter. */
  async function listed(reader: Reader, filter: string): Promise<Item[]> {
    const parameters = new URLSearchParams(filter)
    const services = parameters.get('services')
    const types = parameters.get('types')?.split(',')
    if (types !== undefined) {
      const narrowed = services === null ? '' : `&services=${services}`
      const lists = types.map((type) => harness.items(`/types/${type}?${EVERYTHING}${narrowed}`, reader))
      return (await Promise.all(lists)).flat()
    }
    const paths = ['library', 'museum'].flatMap((service) =>
      ['things', 'others', 'feed'].map((name) => `${service}/${name}`),
    )
    const found: Item[] = []
    for (const path of [...paths, 'self/notes', 'self/tasks']) {
      if (services !== null && !path.startsWith(services)) continue
      const { status, body } = await harness.request(`/services/${path}?${EVERYTHING}`, reader)
      if (status === 200) found.push(...(body as Item[]))
      else assert.equal(status, 404)
    }
    return found
  }
})

function thing(id: number, version: number): Thing {
  return {
    id: String(id),
    at: id * 1000,
    types: [...TYPES[(id + version) % TYPES.length]!],
    text: `version ${version}`,
  }
}

function contentsOf(items: Item[]): Record<string, unknown> {
  return Object.fromEntries(
    items
      .map(({ id, idr, at, updated, data, types }) => [id, { idr, at, updated, data, types }] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}
