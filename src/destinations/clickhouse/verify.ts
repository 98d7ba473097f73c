import { createHash } from 'node:crypto'
import type { PutRow } from '#model/apps/destination.ts'
import type { Differences, FoundRow, IdRange } from '../contract.ts'
import { type Client, quoted, type Row } from './client.ts'
import { itemRow, textOf } from './item-row.ts'
import { removeRows } from './write-batch.ts'

/** Rows that one statement removes; many more would not fit into the longest statement that a server parses. */
const REMOVE_AT_ONCE = 500
/** Large or of any length: hashes of them are read, so that a response stays small. */
const HASHED = ['oembed', 'map', 'data', 'text']

export async function compareRows(
  client: Client,
  profileId: string,
  { after, upTo }: IdRange,
  rows: PutRow[],
): Promise<Differences> {
  const wanted = new Map(rows.map((row) => [row.id, comparable(itemRow(row))]))
  const found = await client.rows(`select ${selected()} from tributary_items final
where profile_id = ${quoted(profileId)} and id > ${quoted(after)}${upTo === undefined ? '' : ` and id <= ${quoted(upTo)}`}`)
  const result: Differences = { wrong: [], extra: [] }
  for (const row of found) {
    const id = String(row['id'])
    const seq = Number(row['seq'])
    const want = wanted.get(id)
    wanted.delete(id)
    if (want === undefined) {
      if (row['deleted_at'] === null) result.extra.push({ id, seq })
    } else if (!isSame(row, want)) result.wrong.push({ id, seq })
  }
  for (const id of wanted.keys()) result.wrong.push({ id, seq: undefined })
  return result
}

/** Removes earlier states of the rows too: they may still be stored beside the current one. */
export async function removeFound(client: Client, profileId: string, rows: FoundRow[]): Promise<void> {
  for (let done = 0; done < rows.length; done += REMOVE_AT_ONCE) {
    const each = rows
      .slice(done, done + REMOVE_AT_ONCE)
      .map(({ id, seq }) => `(id = ${quoted(id)} and seq <= ${seq ?? 0})`)
    const condition = `profile_id = ${quoted(profileId)} and (${each.join(' or ')})`
    await removeRows(client, 'tributary_items', condition, profileId)
  }
}

const COLUMNS = Object.keys(
  itemRow({ op: 'delete', seq: 0, id: '', profile: '', endpoint: '', nativeId: '', deletedAt: 0 }),
)

function selected(): string {
  return COLUMNS.map((name) =>
    HASHED.includes(name) ? `lower(hex(SHA256(ifNull(${name}, '')))) as ${name}_hash` : name,
  ).join(', ')
}

/** A row as the query returns it. */
function comparable(row: Row): Row {
  return Object.fromEntries(
    COLUMNS.map((name) =>
      HASHED.includes(name)
        ? [
            `${name}_hash`,
            createHash('sha256')
              .update(textOf(row[name]) ?? '')
              .digest('hex'),
          ]
        : [name, row[name]],
    ),
  )
}

function isSame(found: Row, want: Row): boolean {
  return Object.entries(want).every(([name, value]) =>
    typeof value === 'number'
      ? isSameNumber(found[name], value)
      : JSON.stringify(found[name]) === JSON.stringify(value),
  )
}

/** Releases differ in how they write large numbers, and old ones read the last digit of a fraction inexactly. */
function isSameNumber(found: unknown, want: number): boolean {
  if (typeof found !== 'number' && typeof found !== 'string') return false
  return Math.abs(Number(found) - want) <= 4 * Number.EPSILON * Math.abs(want) + Number.MIN_VALUE
}
