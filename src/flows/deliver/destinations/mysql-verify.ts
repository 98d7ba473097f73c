import type { Connection as Client } from 'mysql2/promise'
import type { PutRow } from '#model/destination.ts'
import type { Differences, FoundRow, Span } from '../destination.ts'
import { ask, valuesOf } from './mysql-rows.ts'
import { FIND_PEOPLE, FIND_ROWS, REMOVE_FOUND } from './mysql-tables.ts'
import { clean } from './rows.ts'

/** Documents are kept as the text they were sent as, so they are compared here. */
export async function compareRows(
  client: Client,
  profileId: string,
  { after, upTo }: Span,
  rows: PutRow[],
): Promise<Differences> {
  const span = [profileId, after, upTo ?? '~']
  const there = await ask<Record<string, unknown> & { id: string; seq: number }>(client, FIND_ROWS, span)
  const people = Map.groupBy(
    await ask<{ item_id: string; participant: string }>(client, FIND_PEOPLE, span),
    ({ item_id }) => item_id,
  )
  const byId = new Map(there.map((row) => [row.id, row]))
  const wrong: FoundRow[] = []
  for (const row of rows) {
    const found = byId.get(row.id)
    byId.delete(row.id)
    const who = people.get(row.id)?.map(({ participant }) => participant) ?? []
    const isSame =
      found !== undefined &&
      JSON.stringify([...Object.values(found), who]) ===
        JSON.stringify([...valuesOf(row), row.participants.map((each) => clean(each))])
    if (!isSame) wrong.push({ id: row.id, seq: found?.seq })
  }
  const extra = [...byId.values()].filter((row) => row['deleted_at'] === null)
  return { wrong, extra: extra.map(({ id, seq }) => ({ id, seq })) }
}

export async function removeFound(client: Client, profileId: string, rows: FoundRow[]): Promise<void> {
  await ask(client, REMOVE_FOUND, [profileId, rows.map(({ id, seq }) => [id, seq])])
}
