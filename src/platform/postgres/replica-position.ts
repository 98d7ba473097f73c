import { type Queries, statement } from './database.ts'

/** Where the primary is, and what identifies it. */
export interface PrimaryPosition extends Identity {
  /** The end of what it has written durably, in bytes. */
  lsn: number
  /** Its rows are on other servers, and its log does not tell how far their replicas are. */
  isSharded: boolean
}

/** Where a replica is. */
export interface ReplicaPosition extends Identity {
  /** False: it was promoted, or never was a replica. */
  isInRecovery: boolean
  /** The end of what it shows, in bytes. Null: it does not say. */
  lsn: number | null
}

interface Identity {
  /** The same for all servers of one cluster. */
  system: string
  database: number
  /** Grows when another server becomes the primary. */
  timeline: number
}

type Row<Position extends Identity> = Omit<Position, 'isInRecovery'> & { is_in_recovery: boolean }

const identity = `(select system_identifier::text from pg_control_system()) as system,
  (select oid::bigint from pg_database where datname = current_database()) as database` as const
// The timeline is the beginning of the name of the current file of the log.
const primaryPosition = statement(
  'replica-primary-position',
  `select ${identity}, pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint as lsn,
     ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int as timeline,
     exists (select from pg_extension where extname = 'citus') as "isSharded"
   where not pg_is_in_recovery()`,
)
// After another server became the primary, the timeline here follows at the next restart point; until then the replica is not used.
const replicaPosition = statement(
  'replica-position',
  `select ${identity}, pg_is_in_recovery() as is_in_recovery,
     pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint as lsn,
     greatest((select timeline_id from pg_control_checkpoint()),
       (select min_recovery_end_timeline from pg_control_recovery())) as timeline`,
)

export async function readPrimary(primary: Queries): Promise<PrimaryPosition> {
  const [row] = await primary.rows<PrimaryPosition>(primaryPosition)
  if (row === undefined) throw new Error('DATABASE_URL is a replica itself')
  return row
}

export async function readReplica(replica: Queries): Promise<ReplicaPosition> {
  const [row] = await replica.rows<Row<ReplicaPosition>>(replicaPosition)
  const { is_in_recovery: isInRecovery, ...position } = row!
  return { ...position, isInRecovery }
}

/** The position of a replica. Throws where the server cannot stand in for the primary, however current it is. */
export function replayedUpTo(primary: PrimaryPosition, replica: ReplicaPosition): number {
  if (primary.isSharded)
    throw new Error(
      'DATABASE_URL is a sharded server: its nodes have replicas of their own, whose lag nothing here measures',
    )
  if (replica.system !== primary.system) throw new Error('it belongs to another cluster than DATABASE_URL')
  if (replica.database !== primary.database) throw new Error('it names another database than DATABASE_URL')
  if (!replica.isInRecovery) throw new Error('it is not a replica; it may have been promoted')
  if (replica.timeline !== primary.timeline) throw new Error('it follows another timeline than the primary')
  if (replica.lsn === null) throw new Error('it does not say how far it has replayed')
  return replica.lsn
}
