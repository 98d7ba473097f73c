import type { Client } from 'pg'
import type { Statement } from '#platform/postgres/database.ts'
import { PLACEMENTS } from '#store/cluster/placement.ts'

interface PlanNode {
  'Relation Name'?: string
  Plans?: PlanNode[]
}

/** A value of each type that our statements take; every shard is the same one. */
const VALUES: Record<string, string> = {
  smallint: '5',
  integer: '5',
  bigint: '5',
  'double precision': '5',
  boolean: 'true',
  text: 'x',
  name: 'x',
  uuid: '00000000-0000-0000-0000-000000000005',
  bytea: '\\x05',
  json: '{}',
  jsonb: '{}',
  tsquery: 'x',
}

/**
 * The partitions that a statement reads or changes when all its values name one shard or one key, by the column that divides
 * them: `shard 0, 3`. The database must have partitioned tables (partition-tables.ts).
 */
export async function partitionsOf(
  client: Client,
  { name, text }: Pick<Statement, 'name' | 'text'>,
): Promise<string[]> {
  await client.query(`prepare "${name}" as ${text}`)
  try {
    const { rows } = await client.query<{ types: string[] }>(
      'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
      [name],
    )
    const values = rows[0]!.types.map((type) => literal(name, type))
    const call = values.length === 0 ? `"${name}"` : `"${name}"(${values.join(', ')})`
    const plan = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`explain (format json) execute ${call}`)
    return byColumn(relationsOf(plan.rows[0]!['QUERY PLAN'][0]!.Plan))
  } finally {
    await client.query(`deallocate "${name}"`)
  }
}

/** The same for a composed statement with values of its own. */
export async function partitionsWith(client: Client, text: string, values: readonly unknown[]): Promise<string[]> {
  const plan = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`explain (format json) ${text}`, [...values])
  return byColumn(relationsOf(plan.rows[0]!['QUERY PLAN'][0]!.Plan))
}

function literal(name: string, type: string): string {
  const element = type.replace(/\[\]$/, '')
  const value = VALUES[element]
  if (value === undefined) throw new Error(`${name}: no value for the type ${type}`)
  return `'${element === type ? value : `{"${value.replaceAll('\\', '\\\\')}"}`}'::${type}`
}

function relationsOf(node: PlanNode): string[] {
  return [
    ...(node['Relation Name'] === undefined ? [] : [node['Relation Name']]),
    ...(node.Plans ?? []).flatMap(relationsOf),
  ]
}

/** Tables that are divided by the same column have their rows of one value in partitions of the same number. */
function byColumn(relations: string[]): string[] {
  const found = new Map<string, Set<string>>()
  for (const relation of relations) {
    const [, table = '', number = ''] = /^(.*)_p(\d+)$/.exec(relation) ?? []
    const placement = PLACEMENTS.get(table)
    if (placement === undefined || typeof placement === 'string') continue
    found.set(placement.by, (found.get(placement.by) ?? new Set()).add(number))
  }
  return [...found].map(([column, numbers]) => `${column} ${[...numbers].sort().join(', ')}`)
}
