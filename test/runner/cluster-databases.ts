import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { openDatabase } from '#platform/postgres/database.ts'
import { placementSql } from '#store/cluster/placement-sql.ts'
import { readCluster } from '#store/cluster/read-cluster.ts'
import { copyDatabase, dropDatabase, onNode, urlOf } from '../harness/database/cluster.ts'
import { fillDatabase, silent } from './template-database.ts'

export interface ClusterTemplates {
  /** The coordinator first. */
  nodes: string[]
  /** A database without tables on all nodes. */
  empty: string
  /** The same with our tables, distributed. */
  distributed: string
}

/** Creates databases on all nodes of a sharded server, from which test files copy theirs; dropped when the work is done. */
export async function withClusterTemplates<Result>(
  coordinator: string,
  work: (templates: ClusterTemplates) => Promise<Result>,
): Promise<Result> {
  const nodes = await nodesOf(coordinator)
  const name = `tributary_template_${randomBytes(6).toString('hex')}`
  const [empty, distributed] = [`${name}_empty`, `${name}_distributed`]
  try {
    await createEmpty(nodes, empty)
    await copyDatabase(nodes, distributed, empty)
    await distribute(urlOf(nodes[0]!, distributed))
    return await work({ nodes, empty, distributed })
  } finally {
    await dropDatabase(nodes, empty)
    await dropDatabase(nodes, distributed)
  }
}

/** The addresses of the nodes that the coordinator lists, itself first. */
async function nodesOf(coordinator: string): Promise<string[]> {
  const found = await onNode(coordinator, async (client) => {
    const { rows } = await client.query<{ host: string; port: number }>(
      `select nodename as host, nodeport as port from pg_dist_node
       where noderole = 'primary' and isactive order by groupid`,
    )
    return rows
  })
  if (found.length < 2)
    throw new Error(`CITUS_URL names a coordinator with ${found.length} nodes; at least 2 are needed`)
  return found.map(({ host, port }) => {
    const url = new URL(coordinator)
    url.host = `${host}:${port}`
    return url.href
  })
}

async function createEmpty(nodes: readonly string[], name: string): Promise<void> {
  for (const node of nodes) {
    await onNode(node, (client) => client.query(`create database ${name}`))
    await onNode(urlOf(node, name), (client) => client.query('create extension citus'))
  }
  const [coordinator, ...workers] = nodes as [string, ...string[]]
  const address = (node: string) => [new URL(node).hostname, Number(new URL(node).port || 5432)]
  await onNode(urlOf(coordinator, name), async (client: Client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', address(coordinator))
    for (const worker of workers) await client.query('select citus_add_node($1, $2)', address(worker))
  })
}

/** By the statements that `tributary cluster plan` prints. */
async function distribute(url: string): Promise<void> {
  await fillDatabase(url)
  const database = openDatabase({ url, pool: 1, prepared: true, log: silent })
  try {
    const { tables } = (await readCluster(database))!
    for (const text of placementSql(tables)) await database.script(text)
  } finally {
    await database.close()
  }
}
