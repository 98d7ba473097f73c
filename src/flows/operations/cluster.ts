import { SetupError } from '#platform/errors.ts'
import type { Database, Queries } from '#platform/postgres/database.ts'
import { type ComparedTable, compareTables } from '#store/cluster/compare-tables.ts'
import { placementSql } from '#store/cluster/placement-sql.ts'
import { type ClusterProblem, placementProblems, serverProblems, tableProblems } from '#store/cluster/problems.ts'
import { type Cluster, type ClusterNode, readCluster } from '#store/cluster/read-cluster.ts'
import { planMigrations } from '#store/migrate.ts'

export interface ClusterDeps {
  database: Database
}

export interface ClusterReport {
  nodes: ClusterNode[]
  tables: ComparedTable[]
  problems: ClusterProblem[]
}

/**
 * The statements that place every table where it belongs; empty when all are placed. Throws when something must be put right
 * first. Changes nothing.
 */
export async function planCluster(
  { database }: ClusterDeps,
  options: { shardCount?: number | undefined } = {},
): Promise<string[]> {
  const cluster = await requireCluster(database)
  const compared = compareTables(cluster.tables)
  const problems = await problemsOf(database, cluster, () => tableProblems(compared))
  if (problems.length > 0) throw refused(problems)
  return placementSql(cluster.tables, options)
}

/** Where every table is, and every problem. Throws when the server is not sharded. */
export async function checkCluster({ database }: ClusterDeps): Promise<ClusterReport> {
  return reportOn(database, await requireCluster(database))
}

/** The same; undefined when the server is not sharded. */
export async function findClusterReport(database: Queries): Promise<ClusterReport | undefined> {
  const cluster = await readCluster(database)
  return cluster === undefined ? undefined : reportOn(database, cluster)
}

async function reportOn(database: Queries, cluster: Cluster): Promise<ClusterReport> {
  const tables = compareTables(cluster.tables)
  const problems = await problemsOf(database, cluster, () => [...tableProblems(tables), ...placementProblems(tables)])
  return { nodes: cluster.nodes, tables, problems }
}

/** With migrations pending, the tables are not those of this release; they are compared after the migration. */
async function problemsOf(
  database: Queries,
  cluster: Cluster,
  ofTables: () => ClusterProblem[],
): Promise<ClusterProblem[]> {
  const { pending } = await planMigrations(database)
  const old = { problem: `${pending.length} migrations are pending`, help: 'Run: tributary migrate' }
  return [...serverProblems(cluster), ...(pending.length > 0 ? [old] : ofTables())]
}

async function requireCluster(database: Queries): Promise<Cluster> {
  const cluster = await readCluster(database)
  if (cluster !== undefined) return cluster
  throw new SetupError('The database is not sharded: it has no extension citus.', {
    code: 'cluster_absent',
    help: 'One server needs none of this. For several nodes see docs/operating.md, “Several database nodes”.',
  })
}

function refused(problems: readonly ClusterProblem[]): SetupError {
  return new SetupError(`The tables cannot be distributed.\n  ${problems.map(({ problem }) => problem).join('\n  ')}`, {
    code: 'cluster_refused',
    help: [...new Set(problems.map(({ help }) => help))].join('\n'),
  })
}
