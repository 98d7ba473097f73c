import type { Client } from 'pg'
import type { PutRow } from '#model/apps/destination.ts'
import { textArray } from '#platform/postgres/binary-arrays.ts'
import type { Differences, FoundRow, IdRange } from '../contract.ts'
import { cleanText } from '../database-rows.ts'
import { FIND_EXTRA, FIND_WRONG, REMOVE_FOUND } from './tables.ts'
import { columnsOf } from './write-batch.ts'

/** The server compares, because it stores documents in a form of its own. */
export async function compareRows(
  client: Client,
  profileId: string,
  range: IdRange,
  rows: PutRow[],
): Promise<Differences> {
  const people = textArray(rows.map(({ participants }) => JSON.stringify(participants.map((who) => cleanText(who)))))
  const wrong = await client.query<{ id: string; seq: string | null }>(FIND_WRONG, [...columnsOf(rows), people])
  const ids = rows.map(({ id }) => id)
  const extra = await client.query<{ id: string; seq: string }>(FIND_EXTRA, [profileId, range.after, range.upTo, ids])
  return { wrong: wrong.rows.map(toFound), extra: extra.rows.map(toFound) }
}

export async function removeFound(client: Client, profileId: string, rows: FoundRow[]): Promise<void> {
  await client.query(REMOVE_FOUND, [profileId, rows.map(({ id }) => id), rows.map(({ seq }) => seq)])
}

function toFound({ id, seq }: { id: string; seq: string | null }): FoundRow {
  return { id, seq: seq === null ? undefined : Number(seq) }
}
