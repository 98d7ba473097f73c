import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { randomShard, SHARDS } from '#platform/crypto/ids.ts'
import { CLUSTER_NODES } from '../harness/database/cluster.ts'
import { type Opened, openPrepared } from './opened.ts'

const ACCOUNTS = 1_000_000
/** How far a node may be from its fair share, with this many physical shards. */
const NODE_TOLERANCES = [
  [32, 0.12],
  [64, 0.08],
  [128, 0.08],
] as const
const NODES = 3

/** Counts by the numbers from 0 to `length`. */
function countBy(values: Iterable<number>, length: number): number[] {
  const counts = Array.from({ length }, () => 0)
  for (const value of values) counts[value]! += 1
  return counts
}

suite('a million accounts of one app', () => {
  let opened: Opened
  /** The hash of each shard, from the function that a sharded server uses for a smallint. */
  let hashes: number[]
  let perShard: number[]
  before(async () => {
    opened = await openPrepared()
    const text = `select hashint2(n::smallint) as hash from generate_series(0, ${SHARDS - 1}) n order by n`
    hashes = (await opened.database.rows<{ hash: number }>({ name: '', text })).map(({ hash }) => hash)
    // As a sign-in chooses it, whatever the app is; the id begins with it (ids.test.ts).
    perShard = countBy(
      Array.from({ length: ACCOUNTS }, () => randomShard()),
      SHARDS,
    )
  })
  after(() => opened?.close())

  /** A sharded server divides the range of hashes into equal parts. */
  const physicalOf = (hash: number, physical: number) => Math.floor(((hash + 2 ** 31) / 2 ** 32) * physical)
  const perPhysical = (physical: number) => {
    const counts = Array.from({ length: physical }, () => 0)
    for (const [shard, hash] of hashes.entries()) counts[physicalOf(hash, physical)]! += perShard[shard]!
    return counts
  }

  // The shards are random, so these bounds are eight and ten standard deviations wide: chance exceeds them once in 10^11 runs.
  test('are spread evenly over the shards', () => {
    const mean = ACCOUNTS / SHARDS
    const widest = Math.max(...perShard.map((count) => Math.abs(count - mean)))
    assert.ok(widest < 8 * Math.sqrt(mean), `a shard is ${widest.toFixed(0)} from the mean ${mean.toFixed(0)}`)
    const chiSquare = perShard.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0)
    const degrees = SHARDS - 1
    assert.ok(Math.abs(chiSquare - degrees) < 10 * Math.sqrt(2 * degrees), `chi-square ${chiSquare.toFixed(0)}`)
  })

  for (const physical of [8, 32, 64])
    test(`fill each of ${physical} physical shards, none with more than twice its share`, () => {
      const counts = perPhysical(physical)
      assert.ok(Math.min(...counts) > 0)
      assert.ok(Math.max(...counts) < (2 * ACCOUNTS) / physical, counts.join(' '))
    })

  for (const [physical, tolerance] of NODE_TOLERANCES)
    test(`are spread over ${NODES} nodes with ${physical} physical shards: no node is ${tolerance * 100} % off`, () => {
      const perNode = Array.from({ length: NODES }, () => 0)
      for (const [n, count] of perPhysical(physical).entries()) perNode[n % NODES]! += count
      const share = ACCOUNTS / NODES
      const off = Math.max(...perNode.map((count) => Math.abs(count / share - 1)))
      assert.ok(off < tolerance, `${perNode.join(', ')}: ${(off * 100).toFixed(1)} % off`)
    })

  test('a skewed choice of shards would be found', () => {
    const skewed = countBy(
      Array.from({ length: ACCOUNTS }, (_, n) => (n % 20 === 0 ? 0 : n % SHARDS)),
      SHARDS,
    )
    assert.ok(Math.max(...skewed) - ACCOUNTS / SHARDS > 8 * Math.sqrt(ACCOUNTS / SHARDS))
  })

  test('and a sharded server divides by this hash', {
    skip: CLUSTER_NODES.length === 0 && 'needs a sharded server: npm run test:citus',
  }, async () => {
    const text = `select s.shardminvalue::int as min, s.shardmaxvalue::int as max
        from generate_series(0, ${SHARDS - 1}) n
        join pg_dist_shard s on s.shardid = get_shard_id_for_distribution_column('account', n::smallint) order by n`
    const ranges = await opened.database.rows<{ min: number; max: number }>({ name: '', text })
    assert.equal(ranges.length, SHARDS)
    for (const [shard, { min, max }] of ranges.entries())
      assert.ok(hashes[shard]! >= min && hashes[shard]! <= max, `shard ${shard}`)
  })
})
