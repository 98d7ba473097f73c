import type { Sql } from './sql.ts'

/** Tables that keep rows of a deleted app on purpose: that it was deleted, and by whom. */
const EXEMPT = ['audit', 'app_deletion']
/** Columns that refer to an app, its accounts, profiles or destinations. */
const OWNERS = ['app_id', 'account_id', 'profile_id', 'destination_id']

/** Collects the ids of an app and of everything that belongs to it, before its deletion. */
export async function idsOfApp(sql: Sql, appId: string): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    `select id from account where app_id = $1 union select id from profile where app_id = $1 union select id from destination where app_id = $1`,
    [appId],
  )
  return [appId, ...rows.map(({ id }) => id)]
}

/** Finds every column of the catalogue that still contains one of the ids, also in tables of later migrations. Partitions are found as their table. */
export async function tablesWithRowsOf(sql: Sql, ids: string[]): Promise<string[]> {
  const columns = await sql<{ table_name: string; column_name: string }>(
    `select c.table_name, c.column_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
       and not exists (select from pg_inherits where inhrelid = to_regclass(quote_ident(c.table_name)))
       and (c.column_name = any($1) or (c.column_name = 'id' and c.table_name in ('app', 'account', 'profile', 'destination')))
     order by 1, 2`,
    [OWNERS],
  )
  const found: string[] = []
  for (const { table_name: table, column_name: column } of columns) {
    if (EXEMPT.includes(table)) continue
    const [row] = await sql<{ n: number }>(`select count(*)::int as n from ${table} where ${column} = any($1)`, [ids])
    if (row!.n > 0) found.push(`${table}.${column}: ${row!.n}`)
  }
  const [rateLimits] = await sql<{ n: number }>(
    'select count(*)::int as n from rate_limit where exists (select 1 from unnest($1::text[]) id where position(id in bucket) > 0)',
    [ids],
  )
  if (rateLimits!.n > 0) found.push(`rate_limit.bucket: ${rateLimits!.n}`)
  return found
}
