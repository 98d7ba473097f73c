/** Asks the database; gives rows. */
export type RequestOptions = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>

/** What an app leaves on purpose: that it was deleted, and by whom. */
const KEPT = ['audit', 'app_deletion']
/** Columns by which a row belongs to an app, its people or its destinations. */
const OWNERS = ['app_id', 'account_id', 'profile_id', 'destination_id']

/** The ids of an app and of all that belongs to it, to be asked for after it is gone. */
export async function idsOfApp(ask: RequestOptions, appId: string): Promise<string[]> {
  const rows = await ask<{ id: string }>(
    `select id from account where app_id = $1 union select id from profile where app_id = $1 union select id from destination where app_id = $1`,
    [appId],
  )
  return [appId, ...rows.map(({ id }) => id)]
}

/** Every table of the catalogue that still has a row of these: also of tables that a later migration brings. */
export async function tablesWithRowsOf(ask: RequestOptions, ids: string[]): Promise<string[]> {
  const columns = await ask<{ table_name: string; column_name: string }>(
    `select c.table_name, c.column_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
       and (c.column_name = any($1) or (c.column_name = 'id' and c.table_name in ('app', 'account', 'profile', 'destination')))
     order by 1, 2`,
    [OWNERS],
  )
  const found: string[] = []
  for (const { table_name: table, column_name: column } of columns) {
    if (KEPT.includes(table)) continue
    const [row] = await ask<{ n: number }>(`select count(*)::int as n from ${table} where ${column} = any($1)`, [ids])
    if (row!.n > 0) found.push(`${table}.${column}: ${row!.n}`)
  }
  const [rateLimiter] = await ask<{ n: number }>(
    'select count(*)::int as n from rate_limit where exists (select 1 from unnest($1::text[]) id where position(id in bucket) > 0)',
    [ids],
  )
  if (rateLimiter!.n > 0) found.push(`budget: ${rateLimiter!.n}`)
  return found
}
