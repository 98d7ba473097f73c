import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { compareTables } from './compare-tables.ts'
import { PLACEMENTS, type Placement } from './placement.ts'
import { placementSql } from './placement-sql.ts'
import { placementProblems, serverProblems, tableProblems } from './problems.ts'
import type { Cluster, FoundTable } from './read-cluster.ts'

const COLOCATION = 7

/** The whole schema; all tables on the coordinator unless they are named. */
function schema(placed: Record<string, Partial<FoundTable>> = {}): FoundTable[] {
  return [...PLACEMENTS.keys()].map((name) => ({
    name,
    placement: 'local',
    colocation: undefined,
    shards: undefined,
    localBytes: 0,
    ...placed[name],
  }))
}

const byShard = (colocation = COLOCATION) => ({ placement: { by: 'shard' }, colocation })
const everything = () =>
  schema(
    Object.fromEntries(
      [...PLACEMENTS].map(([name, placement]) => [
        name,
        {
          placement,
          colocation: typeof placement === 'object' ? (placement.by === 'shard' ? COLOCATION : 9) : undefined,
        },
      ]),
    ),
  )
const stateOf = (tables: FoundTable[], name: string) => compareTables(tables).find(({ table }) => table === name)?.state

suite('the statements that place tables', () => {
  test('begin with the reference tables, app first, then account, then the rest', () => {
    const statements = placementSql(schema())
    const references = [...PLACEMENTS.values()].filter((placement) => placement === 'reference').length
    assert.equal(statements[0], `select create_reference_table('app')`)
    assert.ok(statements.slice(0, references).every((text) => text.startsWith('select create_reference_table(')))
    assert.equal(statements[references], `select create_distributed_table('account', 'shard', colocate_with => 'none')`)
    assert.ok(statements.includes(`select create_distributed_table('item', 'shard', colocate_with => 'account')`))
    assert.ok(statements.includes(`select create_distributed_table('rate_limit', 'bucket', colocate_with => 'none')`))
    assert.equal(statements.length, [...PLACEMENTS.values()].filter((placement) => placement !== 'local').length)
  })

  test('are none when every table is placed', () => assert.deepEqual(placementSql(everything()), []))

  test('name the number of shards where a table does not follow another one', () => {
    const statements = placementSql(schema(), { shardCount: 64 }).filter((text) => text.includes('shard_count => 64'))
    // The first table by shard, and each table that has a key of its own.
    const keyed = [...PLACEMENTS.values()].filter(
      (placement) => typeof placement === 'object' && placement.by !== 'shard' && placement.with === undefined,
    )
    assert.equal(statements.length, 1 + keyed.length)
    assert.ok(statements.every((text) => text.includes(`colocate_with => 'none'`)))
  })

  test('follow the table that is distributed, whichever it is', () => {
    const statements = placementSql(schema({ consent: byShard() }))
    assert.ok(statements.includes(`select create_distributed_table('account', 'shard', colocate_with => 'consent')`))
    assert.ok(!statements.some((text) => text.includes(`create_distributed_table('consent'`)))
  })

  test('join tables that are written together, whether they are new or were placed apart', () => {
    const join = `select update_distributed_table_colocation('feed_entry', colocate_with => 'feed')`
    const tables = everything().map((table) => (table.name === 'feed_entry' ? { ...table, colocation: 10 } : table))
    assert.deepEqual(placementSql(tables), [join])
    const statements = placementSql(schema())
    const [feed, entry] = [
      `'feed', 'destination_id', colocate_with => 'none'`,
      `'feed_entry', 'destination_id', colocate_with => 'feed'`,
    ]
    const at = (text: string) => statements.indexOf(`select create_distributed_table(${text})`)
    assert.ok(at(feed) >= 0 && at(entry) > at(feed))
  })

  test('remove copied rows, also of a table that was placed before', () => {
    const truncate = (name: string) => `select truncate_local_data_after_distributing_table('${name}')`
    const tables = everything().map((table) => (table.name === 'item' ? { ...table, localBytes: 8192 } : table))
    assert.deepEqual(placementSql(tables), [truncate('item')])
    const filled = placementSql(schema({ item: { localBytes: 8192 }, migration: { localBytes: 8192 } }))
    const at = filled.indexOf(truncate('item'))
    assert.match(filled[at - 1] ?? '', /create_distributed_table\('item'/)
    assert.ok(!filled.includes(truncate('migration')))
  })
})

suite('a table', () => {
  const other = (name: string, table: Partial<FoundTable>) =>
    everything().map((each) => (each.name === name ? { ...each, ...table } : each))

  for (const [what, tables, name, state] of [
    ['as expected', everything(), 'item', 'placed'],
    ['still on the coordinator', other('item', { placement: 'local' }), 'item', 'unplaced'],
    ['divided by another column', other('item', { placement: { by: 'id' } }), 'item', 'misplaced'],
    ['in another colocation group', other('item', byShard(8)), 'item', 'misplaced'],
    [
      'in another group than the table that it is written with',
      other('feed_entry', { colocation: 8 }),
      'feed_entry',
      'apart',
    ],
    ['copied to every node', other('item', { placement: 'reference' }), 'item', 'misplaced'],
    ['divided though it should be copied', other('app', byShard()), 'app', 'misplaced'],
    ['divided though it should be local', other('migration', byShard()), 'migration', 'misplaced'],
    ['with rows that were left', other('item', { localBytes: 1 }), 'item', 'leftover'],
    ['of the coordinator, with rows', other('migration', { localBytes: 1 }), 'migration', 'placed'],
    ['that is not there', everything().filter(({ name }) => name !== 'item'), 'item', 'absent'],
    ['that nobody knows', [...everything(), { ...everything()[0]!, name: 'mine' }], 'mine', 'unknown'],
  ] as const)
    test(`${what} is ${state}`, () => {
      assert.equal(stateOf([...tables], name), state)
      const compared = compareTables([...tables])
      const problems = [...tableProblems(compared), ...placementProblems(compared)]
      assert.equal(problems.length, state === 'placed' || state === 'leftover' ? 0 : 1)
    })
})

suite('a sharded server', () => {
  const node = { host: 'a', port: 5432, isActive: true }
  const good: Cluster = {
    extension: '13.2-1',
    isCoordinator: true,
    nodes: [
      { ...node, role: 'coordinator', storesShards: false },
      { ...node, role: 'worker', storesShards: true },
    ],
    tables: [],
  }
  const problems = (cluster: Partial<Cluster>) => serverProblems({ ...good, ...cluster }).map(({ problem }) => problem)
  const [coordinator, worker] = good.nodes as [Cluster['nodes'][0], Cluster['nodes'][0]]

  for (const [what, cluster, pattern] of [
    ['an old version', { extension: '12.1-1' }, /12\.1-1; 13\.2 or newer/],
    ['a worker', { isCoordinator: false }, /a worker/],
    ['nodes without a coordinator', { nodes: [worker] }, /address of the coordinator/],
    ['no node that stores shards', { nodes: [coordinator] }, /no node stores shards/],
    ['a node that is not active', { nodes: [coordinator, worker, { ...worker, isActive: false }] }, /not active/],
  ] as const)
    test(`${what} is a problem`, () => {
      const found = problems({
        ...cluster,
        ...('nodes' in cluster ? { nodes: [...cluster.nodes] } : {}),
      } as Partial<Cluster>)
      assert.equal(found.length, 1)
      assert.match(found[0]!, pattern)
    })

  test('as documented is none', () => {
    assert.deepEqual(problems({}), [])
    assert.deepEqual(problems({ extension: '14.0-1' }), [])
    assert.deepEqual(problems({ nodes: [{ ...coordinator, storesShards: true }] }), [])
  })
})

test('every table has one placement', () => {
  const names = [...PLACEMENTS.keys()]
  assert.equal(new Set(names).size, names.length)
  const kinds = new Set([...PLACEMENTS.values()].map((placement: Placement) => JSON.stringify(placement)))
  assert.ok(kinds.has('"local"') && kinds.has('"reference"') && kinds.size > 3)
})
