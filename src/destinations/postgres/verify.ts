import type { Client } from 'pg'
import type { PutRow } from '#model/destination.ts'
import { textArray } from '#platform/postgres/binary-arrays.ts'
import type { Differences, FoundRow, Span } from '../contract.ts'
import { clean } from '../rows.ts'
import { columnsOf } from './rows.ts'
import { FIND_EXTRA, FIND_WRONG, REMOVE_FOUND } from './tables.ts'

/** The server compares: it alone knows what it makes of a document. */
export async function compareRows(client: Client, profileId: string, span: Span, rows: PutRow[]): Promise<Differences> {
  const people = textArray(rows.map(({ participants }) => JSON.stringify(participants.map((who) => clean(who)))))
  const wrong = await client.query<{ id: string; seq: string | null }>(FIND_WRONG, [...columnsOf(rows), people])
  const ids = rows.map(({ id }) => id)
  const extra = await client.query<{ id: string; seq: string }>(FIND_EXTRA, [profileId, span.after, span.upTo, ids])
  return { wrong: wrong.rows.map(toFound), extra: extra.rows.map(toFound) }
}

export async function removeFound(client: Client, profileId: string, rows: FoundRow[]): Promise<void> {
  await client.query(REMOVE_FOUND, [profileId, rows.map(({ id }) => id), rows.map(({ seq }) => seq)])
}

function toFound({ id, seq }: { id: string; seq: string | null }): FoundRow {
  return { id, seq: seq === null ? undefined : Number(seq) }
}
