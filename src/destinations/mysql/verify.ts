import type { Connection as Client } from 'mysql2/promise'
import type { PutRow } from '#model/destination.ts'
import { lastOf } from '#platform/list-ends.ts'
import { partsOf } from '../change-text.ts'
import type { Differences, FoundRow, Span } from '../contract.ts'
import { clean } from '../rows.ts'
import { ask, valuesOf } from './rows.ts'
import { FIND_PEOPLE, FIND_ROWS, REMOVE_FOUND } from './tables.ts'

/** Documents come back to be compared: fewer characters at a time than an answer may have bytes. */
const PART_CHARACTERS = 4 * 1024 * 1024

export async function compareRows(client: Client, profileId: string, span: Span, rows: PutRow[]): Promise<Differences> {
  const parts = [
    ...partsOf(
      rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      PART_CHARACTERS,
    ),
  ]
  const last = parts.pop() ?? []
  const found: Differences = { wrong: [], extra: [] }
  let { after } = span
  const compare = async (upTo: string | undefined, part: PutRow[]) => {
    const { wrong, extra } = await comparePart(client, profileId, { after, upTo }, part)
    found.wrong.push(...wrong)
    found.extra.push(...extra)
  }
  for (const part of parts) {
    const upTo = lastOf(part).id
    await compare(upTo, part)
    after = upTo
  }
  await compare(span.upTo, last)
  return found
}

/** Documents are kept as the text they were sent as, so they are compared here. */
async function comparePart(
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
