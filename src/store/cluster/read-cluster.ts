import type { Queries, Statement } from '#platform/postgres/database.ts'
import type { Placement } from './placement.ts'

/** A node of a sharded server. */
export interface ClusterNode {
  host: string
  port: number
  role: 'coordinator' | 'worker'
  /** Whether it stores shards; a coordinator usually does not. */
  storesShards: boolean
  isActive: boolean
}

/** A table as the catalogue of a sharded server describes it. */
export interface FoundTable {
  name: string
  placement: Placement
  /** Tables with the same number have the rows of one shard on one node. */
  colocation: number | undefined
  /** How many physical shards it has; undefined unless it is distributed. */
  shards: number | undefined
  /** Bytes in the coordinator's own storage. In a placed table they are what was copied to the shards and is no longer read. */
  localBytes: number
}

export interface Cluster {
  /** The version of the extension in this database, such as 13.2-1. */
  extension: string
  isCoordinator: boolean
  nodes: ClusterNode[]
  tables: FoundTable[]
}

// Not prepared, and not among the named statements: their tables exist on a sharded server only.
const extension = sql(`select extversion as version from pg_extension where extname = 'citus'`)
const nodes = sql(
  `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator", shouldhaveshards as "storesShards",
     isactive as "isActive" from pg_dist_node where noderole = 'primary' order by groupid, nodeid`,
)
const localGroup = sql('select groupid as "group" from pg_dist_local_group')
// Tables of extensions and physical shards are not ours.
const tables = sql(
  `select c.relname::text as name, pg_relation_size(c.oid) as bytes, p.partmethod::text as method, p.repmodel::text as model,
     p.colocationid as colocation, case when p.partmethod = 'h' then column_to_column_name(p.logicalrelid, p.partkey) end as by,
     (select count(*)::int from pg_dist_shard s where s.logicalrelid = c.oid) as shards
   from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
   where c.relnamespace = to_regnamespace(current_schema()) and c.relkind in ('r', 'p') and not c.relispartition
     and not relation_is_a_known_shard(c.oid)
     and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
   order by 1`,
)

interface TableRow {
  name: string
  bytes: number
  method: string | null
  model: string | null
  colocation: number | null
  by: string | null
  shards: number
}

/** The nodes of the sharded server, and where its tables are. Undefined: the server is not sharded. */
export async function readCluster(queries: Queries): Promise<Cluster | undefined> {
  const [found] = await queries.rows<{ version: string }>(extension)
  if (found === undefined) return undefined
  const [local] = await queries.rows<{ group: number }>(localGroup)
  const listed = await queries.rows<Omit<ClusterNode, 'role'> & { isCoordinator: boolean }>(nodes)
  return {
    extension: found.version,
    isCoordinator: local?.group === 0,
    nodes: listed.map(({ isCoordinator, ...node }) => ({ ...node, role: isCoordinator ? 'coordinator' : 'worker' })),
    tables: (await queries.rows<TableRow>(tables)).map(toTable),
  }
}

function toTable({ name, bytes, colocation, shards, ...row }: TableRow): FoundTable {
  const placement = placementOf(row)
  const isDistributed = typeof placement === 'object'
  return {
    name,
    placement,
    colocation: isDistributed ? (colocation ?? undefined) : undefined,
    shards: isDistributed ? shards : undefined,
    localBytes: bytes,
  }
}

/** `n` with one copy (`s`) is a table of the coordinator that the metadata mentions because of a foreign key. */
function placementOf({ method, model, by }: Pick<TableRow, 'method' | 'model' | 'by'>): Placement {
  if (method === 'h' && by !== null) return { by }
  return method === 'n' && model === 't' ? 'reference' : 'local'
}

function sql(text: string): Statement {
  return { name: '', text }
}
