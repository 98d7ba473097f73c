import type { CopyConnection } from '#platform/postgres/copy.ts'
import { PLACEMENTS } from '../cluster/placement.ts'

export interface BackupTable {
  name: string
  columns: string[]
}

/** Others refer to these, so their rows come first. */
const FIRST = ['app', 'destination']

const LIST = `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  group by c.relname order by c.relname`

/** They describe the schema itself, and who works now. */
const LEFT_OUT = ['migration', 'named_lease']

/** Our tables with data. */
export async function backupTables(connection: CopyConnection): Promise<BackupTable[]> {
  const tables = await connection.run<BackupTable>(LIST)
  const ours = tables.filter(({ name }) => PLACEMENTS.has(name) && !LEFT_OUT.includes(name))
  const rank = ({ name }: BackupTable) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length)
  return ours.toSorted((a, b) => rank(a) - rank(b))
}

export async function hasRows(connection: CopyConnection, { name }: BackupTable): Promise<boolean> {
  const [row] = await connection.run<{ found: boolean }>(`select exists (select from ${quoted(name)}) as found`)
  return row?.found === true
}

export function copyOutText({ name, columns }: BackupTable): string {
  return `copy (select ${columns.map(quoted).join(', ')} from ${quoted(name)}) to stdout`
}

export function copyInText({ name, columns }: BackupTable): string {
  return `copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`
}

export function truncateText(tables: readonly BackupTable[]): string {
  return `truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
