import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import fc from 'fast-check'
import { typeBits } from '#model/items/types.ts'
import { cases, seedOf } from '../../../harness/effort.ts'
import type { Profile, Reader } from '../fixture.ts'
import { catchUp, type FeedHarness, Replica, startFeedHarness } from './feed-fixture.ts'

const SEED = seedOf('PROPERTY_SEED')
const LIVES = cases(5, 'PROPERTY_LIVES')
const STEPS = 60

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 3 })
const which = fc.nat(20)
const endpoint = fc.constantFrom('things', 'others', 'feed')
const version = fc.nat(3)

/** What may happen to the accounts of an app, and what its readers may do meanwhile. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('write' as const), which, ids, endpoint, version }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('drop' as const), which, ids, endpoint }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('post' as const), which, ids, version }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), which, ids }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('connect' as const), which, service: which, owner: which }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('disconnect' as const), which }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('merge' as const), which }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('follow' as const), filter: which }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('settle' as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant('page' as const),
      which,
      limit: fc.integer({ min: 1, max: 5 }),
      crashes: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const FILTERS = ['', 'types=photos', 'services=library,self', 'services=ada@museum&types=statuses']
const TYPES = [['photos'], ['statuses'], ['photos', 'statuses'], []] as const

interface StoredItem {
  profile_id: string
  native_id: string
  endpoint: string
  service: string
  owner: string
  types: number
  data: { text?: string }
}

suite('P19 readers of the feed of an app', () => {
  let harness: FeedHarness
  before(async () => {
    harness = await startFeedHarness()
    // Before anything happens, so that everything after it is recorded.
    await harness.page('cursor=now')
  })
  after(() => harness.stop())

  for (let life = 0; life < LIVES; life += 1)
    test(`have what is stored, whatever happens (seed ${SEED + life})`, async () => {
      const [steps] = fc.sample(fc.array(step, { minLength: STEPS, maxLength: STEPS }), {
        seed: SEED + life,
        numRuns: 1,
      })
      await live(steps!)
    })

  async function live(steps: Step[]): Promise<void> {
    const readers = await Promise.all(Array.from({ length: 4 }, () => harness.newReader()))
    const profiles: { profile: Profile; reader: Reader }[] = []
    const connect = async (reader: Reader, service: number, owner: number) => {
      const wanted = { service: (['library', 'museum'] as const)[service % 2]!, owner: ['ada', 'ben c'][owner % 2]! }
      const isKnown = profiles.some(
        ({ reader: other, profile }) =>
          other === reader && profile.service === wanted.service && profile.owner === wanted.owner,
      )
      if (!isKnown) profiles.push({ profile: await harness.newProfile(reader, wanted.service, wanted.owner), reader })
    }
    // Everybody has the same person at the library, so that merges give copies.
    for (const reader of readers) await connect(reader, 0, 0)
    const replicas = FILTERS.map((filter) => new Replica(filter))
    const readerFor = (n: number) => readers[n % readers.length]!

    for (const each of steps) {
      if (each.does === 'follow') replicas.push(new Replica(FILTERS[each.filter % FILTERS.length]))
      else if (each.does === 'settle') await harness.recorded()
      else if (each.does === 'page') {
        const replica = replicas[each.which % replicas.length]!
        replica.apply(await harness.page(replica.query(each.limit)), !each.crashes)
      } else if (each.does === 'post')
        await harness.post(
          readerFor(each.which),
          each.ids.map((id) => ({ id, at: id, type: TYPES[each.version]?.[0] ?? 'events', text: `v${each.version}` })),
        )
      else if (each.does === 'delete')
        for (const id of each.ids)
          await harness.request(`/services/self/notes/${id}`, readerFor(each.which), { method: 'DELETE' })
      else if (each.does === 'connect') await connect(readerFor(each.which), each.service, each.owner)
      else if (each.does === 'merge') {
        if (readers.length < 3) continue
        const [source] = readers.splice(each.which % readers.length, 1)
        const dest = readerFor(each.which)
        await harness.merge(source!, dest)
        for (const known of profiles) if (known.reader === source) known.reader = dest
      } else {
        const known = profiles[each.which % Math.max(1, profiles.length)]
        if (known === undefined) continue
        const { profile, reader } = known
        if (each.does === 'write')
          await harness.write(
            profile,
            each.ids.map((id) => ({
              id: String(id),
              at: id,
              types: [...TYPES[each.version]!],
              text: `version ${each.version}`,
            })),
            each.endpoint,
          )
        else if (each.does === 'drop') await harness.drop(profile, each.ids.map(String), each.endpoint)
        else {
          await harness.disconnect(profile, reader)
          const isGone = (other: (typeof profiles)[number]) =>
            other.reader === reader &&
            other.profile.service === profile.service &&
            other.profile.owner === profile.owner
          profiles.splice(0, profiles.length, ...profiles.filter((other) => !isGone(other)))
        }
      }
    }

    await harness.recorded()
    for (const replica of replicas) {
      await catchUp(harness, replica, 3)
      await assertComplete(replica)
    }
    const late = new Replica()
    await catchUp(harness, late, 7)
    await assertComplete(late)
  }

  async function assertComplete(replica: Replica): Promise<void> {
    const filter = new URLSearchParams(replica.filter)
    const names = filter.get('services')?.split(',')
    const bits = filter.get('types') === null ? undefined : typeBits([filter.get('types') as 'photos'])
    const isFollowed = ({ service, owner }: { service: string; owner: string }) =>
      names === undefined || names.includes(service) || names.includes(`${owner}@${service}`)
    const stored = await harness.tributary.sql<StoredItem>(
      `select i.profile_id, i.native_id, i.endpoint, p.service, p.native_id as owner, i.types, i.data
       from item i join profile p on p.shard = i.shard and p.id = i.profile_id where p.app_id = $1`,
      [harness.appId],
    )
    const expected = stored
      .filter((row) => isFollowed(row) && (bits === undefined || (row.types & bits) !== 0))
      .map((row) => `${row.profile_id} ${row.endpoint} ${row.native_id} ${row.data.text}`)
    const got = [...replica.items.values()].map(({ profile, item }) => {
      const [, streamName = '', id = ''] = /\/([^/#]+)#(.+)$/.exec(item.idr) ?? []
      return `${profile} ${streamName} ${decodeURIComponent(id)} ${item.data.text}`
    })
    assert.deepEqual(got.sort(), expected.sort())
    const rows = await harness.tributary.sql<{
      id: string
      account_id: string
      merged_into: string | null
      service: string
      owner: string
    }>(
      'select id, account_id, nullif(merged_into, id) as merged_into, service, native_id as owner from profile where app_id = $1',
      [harness.appId],
    )
    assert.deepEqual(
      [...replica.profiles].map(([id, { account, mergedInto }]) => `${id} ${account} ${mergedInto}`).sort(),
      rows
        .filter(isFollowed)
        .map((row) => `${row.id} ${row.account_id} ${row.merged_into ?? undefined}`)
        .sort(),
    )
  }
})
