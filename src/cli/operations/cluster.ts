import { checkCluster, planCluster } from '#flows/operations/cluster.ts'
import { command, EXIT, UsageError } from '../command.ts'
import { table } from '../output.ts'

/** Limit: physical shards of a table; more of them than our own shards would stay empty, so more is refused. */
const MAX_SHARD_COUNT = 1024

export const plan = command({
  name: 'cluster plan',
  summary: 'Print the SQL that distributes the tables over the nodes of a sharded PostgreSQL (Citus).',
  options: {
    'shard-count': {
      type: 'string',
      value: 'N',
      meaning: "physical shards of each table that is distributed first; default: the server's citus.shard_count",
    },
  },
  run: async ({ flags, out, withStore }) => {
    const shardCount = readShardCount(flags.text('shard-count'))
    await withStore(
      async (store) => {
        const statements = await planCluster(store, { shardCount })
        out.result({ statements }, () =>
          statements.length === 0 ? ['-- Every table is placed.'] : statements.map((text) => `${text};`),
        )
      },
      { migrate: false },
    )
  },
})

export const check = command({
  name: 'cluster check',
  summary: 'Check that every table is where it belongs on a sharded PostgreSQL (Citus).',
  run: async ({ out, withStore }) =>
    withStore(
      async (store) => {
        const { nodes, tables, problems } = await checkCluster(store)
        const healthy = problems.length === 0
        out.result({ healthy, nodes, tables, problems }, () => [
          ...table(nodes.map((node) => [`${node.host}:${node.port}`, node.role, nodeState(node)])),
          ...problems.flatMap(({ problem, help }) => [`PROBLEM  ${problem}`, `         ${help}`]),
          ...leftoverLines(tables),
          ...(healthy ? [`${tables.length} tables are where they belong.`] : []),
        ])
        return healthy ? EXIT.ok : EXIT.refused
      },
      { migrate: false },
    ),
})

function nodeState({ isActive, storesShards }: { isActive: boolean; storesShards: boolean }): string {
  if (!isActive) return 'not active'
  return storesShards ? 'stores shards' : 'stores no shards'
}

/** They cost space and nothing else. */
function leftoverLines(tables: readonly { table: string; state: string }[]): string[] {
  const names = tables.filter(({ state }) => state === 'leftover').map((each) => each.table)
  if (names.length === 0) return []
  return [
    `Rows that were copied to the shards are still on the coordinator: ${names.join(', ')}. The plan removes them.`,
  ]
}

function readShardCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= 1 && count <= MAX_SHARD_COUNT) return count
  throw new UsageError(`--shard-count must be a whole number from 1 to ${MAX_SHARD_COUNT}`)
}
