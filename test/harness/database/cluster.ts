import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

/** The nodes of a sharded server, the coordinator first; empty unless npm run test:citus runs the file. */
export const CLUSTER_NODES = (process.env['TEST_CLUSTER_NODES'] ?? '').split(' ').filter((url) => url !== '')

/** Skips a test on a sharded server, with the reason. */
export const notOnCluster = (reason: string): string | false => (CLUSTER_NODES.length > 0 ? reason : false)

/** The view of what every connection waits for: on a sharded server, also those of the nodes. */
export const ACTIVITY = CLUSTER_NODES.length > 0 ? 'citus_stat_activity' : 'pg_stat_activity'

/**
 * The connections of an application ($1) that wait for a lock, on whichever node; `writes`: those of them that have locked or written
 * rows, on whichever node. Parts of one transaction have one number everywhere.
 */
export function waitingConnections({ writes }: { writes: boolean }): string {
  if (CLUSTER_NODES.length === 0)
    return `select pid from pg_stat_activity where datname = current_database() and application_name = $1
      and wait_event_type = 'Lock' ${writes ? 'and backend_xid is not null' : ''}`
  const anywhere = (condition: string) =>
    `exists (select from citus_stat_activity part where part.global_pid = own.global_pid and ${condition})`
  return `select own.pid from citus_stat_activity own where own.datname = current_database() and own.application_name = $1
    and not own.is_worker_query and ${anywhere(`part.wait_event_type = 'Lock'`)}
    ${writes ? `and ${anywhere('part.backend_xid is not null')}` : ''}`
}

/** The connections whose statement matches $1 and waits for a lock, on whichever node. */
export const WAITING_STATEMENTS =
  CLUSTER_NODES.length === 0
    ? `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ $1`
    : `select own.global_pid from citus_stat_activity own
        where own.datname = current_database() and not own.is_worker_query and own.query ~ $1
          and exists (select from citus_stat_activity part where part.global_pid = own.global_pid and part.wait_event_type = 'Lock')`

export function urlOf(node: string, database: string): string {
  const url = new URL(node)
  url.pathname = `/${database}`
  return url.href
}

export async function onNode<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Copies a database on every node; together the copies are a sharded database of their own. */
export async function copyDatabase(nodes: readonly string[], name: string, template: string): Promise<void> {
  await Promise.all(nodes.map((node) => copyOnNode(node, name, template)))
}

export async function dropDatabase(nodes: readonly string[], name: string): Promise<void> {
  await Promise.all(
    nodes.map((node) =>
      onNode(node, (client) => whileInUse(() => client.query(`drop database if exists ${name} with (force)`))),
    ),
  )
}

const IN_USE = '55006'
const POLL_MS = 100

/** Citus connects to each of its databases for maintenance; one that is connected to can neither be copied nor dropped. */
async function whileInUse(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if ((error as { code?: string }).code !== IN_USE) throw error
      await sleep(POLL_MS)
    }
  }
}

async function copyOnNode(node: string, name: string, template: string): Promise<void> {
  await onNode(node, (client) =>
    whileInUse(async () => {
      await client.query('select pg_terminate_backend(pid::int) from pg_stat_activity where datname = $1', [template])
      await client.query(`create database ${name} template ${template}`)
    }),
  )
}
