import type { Client } from 'pg'

/** What a column holds in the `n`th row, as SQL, where the test says nothing else. */
const BY_TYPE: Record<string, string> = {
  smallint: '(n % 7)::smallint',
  integer: '0',
  bigint: '0',
  boolean: 'false',
  text: `'row' || lpad(n::text, 8, '0')`,
  uuid: 'gen_random_uuid()',
  bytea: `decode(lpad(to_hex(n), 64, '0'), 'hex')`,
  json: `'{}'`,
  jsonb: `'{}'`,
  real: '0',
  'double precision': '0',
  tsvector: `''`,
  'text[]': `'{}'`,
  'smallint[]': `'{}'`,
  'bigint[]': `'{0}'`,
  'integer[]': `'{0}'`,
}

/** Inserts rows whose columns hold anything that is allowed, except those that are given as SQL of `n`, from `first` on. */
export async function fillTable(
  client: Client,
  table: string,
  count: number,
  given: Record<string, string> = {},
  first = 1,
): Promise<void> {
  const { rows } = await client.query<{ name: string; type: string; needed: boolean }>(
    `select attname as name, format_type(atttypid, null) as type, attnotnull and not atthasdef as needed
     from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  )
  const columns = rows.filter(({ name, needed }) => needed || given[name] !== undefined)
  const values = columns.map(({ name, type }) => {
    const value = given[name] ?? BY_TYPE[type]
    if (value === undefined) throw new Error(`${table}.${name} is of the type ${type}, for which there is no value`)
    return value
  })
  await client.query(
    `insert into ${table} (${columns.map(({ name }) => name).join(', ')})
     select ${values.join(', ')} from generate_series(${first}, ${first + count - 1}) n`,
  )
}
