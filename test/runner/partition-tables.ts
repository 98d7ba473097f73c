import type { Client } from 'pg'
import { PLACEMENTS } from '#store/cluster/placement.ts'

/** Partitions of each table that a sharded server would divide. */
export const PARTITIONS = 4

/**
 * Divides the empty tables of a migrated database into native partitions, by the columns that a sharded server divides them
 * by. There `ctid`, unique keys and updates behave as they do on shards, and a plan shows which partitions it reads.
 */
export async function partitionTables(client: Client): Promise<void> {
  for (const [table, placement] of PLACEMENTS)
    if (typeof placement === 'object') await partitionTable(client, table, placement.by)
}

export const partitionName = (table: string, n: number): string => `${table}_p${n}`

async function partitionTable(client: Client, table: string, column: string): Promise<void> {
  const list = async (sql: string): Promise<string[]> =>
    (await client.query<{ text: string }>(sql, [table])).rows.map(({ text }) => text)
  const constraints = await list(
    `select format('alter table %I add constraint %I %s', $1::text, conname, pg_get_constraintdef(oid)) as text
     from pg_constraint where conrelid = to_regclass($1) and contype in ('p', 'u', 'f') order by contype <> 'p'`,
  )
  const indexes = await list(
    `select pg_get_indexdef(indexrelid) as text from pg_index where indrelid = to_regclass($1)
     and not exists (select from pg_constraint where conindid = indexrelid)`,
  )
  const [rows] = await list(`select count(*)::text as text from (select from ${table} limit 1) any_row where $1 <> ''`)
  if (rows !== '0') throw new Error(`${table} has rows; only empty tables can be partitioned here`)
  const partitions = Array.from(
    { length: PARTITIONS },
    (_, n) =>
      `create table ${partitionName(table, n)} partition of ${table} for values with (modulus ${PARTITIONS}, remainder ${n})`,
  )
  await client.query(
    [
      `alter table ${table} rename to ${table}_whole`,
      `create table ${table} (like ${table}_whole including all excluding indexes) partition by hash (${column})`,
      `drop table ${table}_whole`,
      ...constraints,
      ...indexes,
      ...partitions,
    ].join(';\n'),
  )
}
