import { type ComparedTable, describe } from './compare-tables.ts'
import type { Cluster } from './read-cluster.ts'

export interface ClusterProblem {
  problem: string
  help: string
}

/** The oldest version that the suites ran on. */
const OLDEST_VERSION = [13, 2] as const

/** What is wrong with the server itself. */
export function serverProblems({ extension, isCoordinator, nodes }: Cluster): ClusterProblem[] {
  const found: ClusterProblem[] = []
  if (isTooOld(extension))
    found.push({
      problem: `the extension citus has version ${extension}; ${OLDEST_VERSION.join('.')} or newer is needed`,
      help: 'Install a newer Citus on every node, then run there: alter extension citus update',
    })
  if (!isCoordinator) found.push({ problem: 'this node is a worker', help: 'Set DATABASE_URL to the coordinator.' })
  else if (!nodes.some(({ role }) => role === 'coordinator'))
    found.push({
      problem: 'the nodes do not know the address of the coordinator',
      help: `Run on the coordinator: select citus_set_coordinator_host('HOST', PORT)`,
    })
  if (!nodes.some(({ storesShards, isActive }) => storesShards && isActive))
    found.push({
      problem: 'no node stores shards',
      help: `Run on the coordinator, for each worker: select citus_add_node('HOST', PORT)`,
    })
  for (const { host, port } of nodes.filter(({ isActive }) => !isActive))
    found.push({
      problem: `the node ${host}:${port} is not active`,
      help: `Run on the coordinator: select citus_activate_node('${host}', ${port})`,
    })
  return found
}

/** What is wrong with tables, apart from those that only have to be placed. */
export function tableProblems(compared: readonly ComparedTable[]): ClusterProblem[] {
  return compared.flatMap(({ table, state, reason }): ClusterProblem[] => {
    if (state === 'unknown')
      return [
        {
          problem: `the table ${table} does not belong to Tributary`,
          help: `Give Tributary a database or a schema of its own: move the table away (alter table ${table} set schema NAME).`,
        },
      ]
    if (state === 'absent')
      return [{ problem: `the table ${table} is missing`, help: 'Restore the backup: somebody has dropped it.' }]
    if (state === 'misplaced')
      return [
        {
          problem: `the table ${table} is misplaced: ${reason}`,
          help: `Stop every process, then run: select undistribute_table('${table}'), and plan again.`,
        },
      ]
    return []
  })
}

/** Tables that the plan would place, as problems of a server that is in use. */
export function placementProblems(compared: readonly ComparedTable[]): ClusterProblem[] {
  return compared.flatMap(({ table, state, expected }): ClusterProblem[] => {
    if (state === 'apart')
      return [
        {
          problem: `the table ${table} may be moved to other nodes than the table that it is written with`,
          help: 'Run what this prints, which changes no row: tributary cluster plan',
        },
      ]
    if (state !== 'unplaced') return []
    return [
      {
        problem: `the table ${table} is on the coordinator only, and should be ${describe(expected!)}`,
        help: 'Stop every process, then run what this prints: tributary cluster plan',
      },
    ]
  })
}

function isTooOld(extension: string): boolean {
  const [major = 0, minor = 0] = extension.split(/[.-]/).map(Number)
  return major < OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor < OLDEST_VERSION[1])
}
