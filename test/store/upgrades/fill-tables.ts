import type { Client } from 'pg'

/** Rows of each table. */
const ROWS = 20
/** Tables that others refer to, in the order in which they are filled. */
const FIRST = ['app', 'destination', 'feed']

interface Column {
  table: string
  name: string
  type: string
  /** The first value that a check of the column allows. */
  choice: string | null
}

/** Fills every table of any schema with rows that differ in each column. */
export async function fillTables(client: Client): Promise<void> {
  const columns = await requiredColumns(client)
  const tables = [...Map.groupBy(columns, ({ table }) => table)].filter(([table]) => table !== 'migration')
  const orderOf = (table: string) => (FIRST.includes(table) ? FIRST.indexOf(table) : FIRST.length)
  for (const [table, of] of tables.sort(([a], [b]) => orderOf(a) - orderOf(b))) {
    const names = of.map(({ name }) => `"${name}"`).join(', ')
    // One row for each statement: a sharded server refuses some of several rows.
    for (let n = 1; n <= ROWS; n += 1) {
      const values = of.map((column) => valueOf(column, n)).join(', ')
      await client.query(`insert into ${table} (${names}) values (${values}) on conflict do nothing`)
    }
  }
}

/** How many rows each table has, and a sum over the columns that it has now. */
export async function sumsOf(
  client: Client,
  columns: ReadonlyMap<string, readonly string[]>,
): Promise<Record<string, string>> {
  const sums: Record<string, string> = {}
  for (const [table, names] of columns) {
    const row = names.map((name) => `"${name}"`).join(', ')
    const { rows } = await client.query<{ n: string; sum: string }>(
      `select count(*) as n, sum(hashtext((${row})::text)::bigint) as sum from ${table}`,
    )
    sums[table] = `${rows[0]!.n} rows, ${rows[0]!.sum}`
  }
  return sums
}

/** All columns of every table but `migration`. */
export async function columnsOf(client: Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ table: string; names: string[] }>(
    `select table_name as table, array_agg(column_name::text order by column_name) as names
     from information_schema.columns c join pg_class p on p.relname = c.table_name and p.relkind in ('r', 'p')
     where table_schema = 'public' and table_name <> 'migration' and p.relnamespace = 'public'::regnamespace
       and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e') group by 1`,
  )
  return new Map(rows.map(({ table, names }) => [table, names]))
}

async function requiredColumns(client: Client): Promise<Column[]> {
  const known = await columnsOf(client)
  const { rows } = await client.query<Column>(
    `select table_name as table, column_name as name, udt_name as type,
       (select (regexp_match(pg_get_constraintdef(k.oid), $$'(\\w+)'::text$$))[1] from pg_constraint k
        where k.contype = 'c' and k.conrelid = to_regclass(table_name) and k.conkey = array[ordinal_position::smallint]) as choice
     from information_schema.columns
     where table_schema = 'public' and is_nullable = 'NO' and column_default is null and is_generated = 'NEVER'
     order by table_name, ordinal_position`,
  )
  return rows.filter(({ table }) => known.has(table))
}

function valueOf({ name, type, choice }: Column, n: number): string {
  if (choice !== null) return `'${choice}'`
  if (name === 'shard') return String(n * 50)
  if (name === 'app_id') return `'id-1'`
  if (name === 'destination_id') return `'id-${n}'`
  if (type.startsWith('_')) return `'{}'`
  if (type === 'bool') return 'false'
  if (type === 'json' || type === 'jsonb') return `'{}'`
  if (type === 'bytea') return `'\\x${n.toString(16).padStart(2, '0')}'`
  if (type === 'uuid') return `'00000000-0000-0000-0000-${String(n).padStart(12, '0')}'`
  if (type === 'tsvector') return `''`
  return /^(?:int|float|numeric)/.test(type) ? String(n) : `'${name}-${n}'`
}
