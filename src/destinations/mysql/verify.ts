import type { Connection as Client } from 'mysql2/promise'
import type { PutRow } from '#model/apps/destination.ts'
import { lastOf } from '#platform/formats/list-ends.ts'
import { chunksOf } from '../change-text.ts'
import type { Differences, FoundRow, IdRange } from '../contract.ts'
import { cleanText } from '../database-rows.ts'
import { queryRows } from './query.ts'
import { FIND_PEOPLE, FIND_ROWS, REMOVE_FOUND } from './tables.ts'
import { valuesOf } from './write-batch.ts'

/** Characters of documents that are read back at once; fewer than the bytes that a response may have. */
const CHUNK_CHARACTERS = 4 * 1024 * 1024

export async function compareRows(
  client: Client,
  profileId: string,
  range: IdRange,
  rows: PutRow[],
): Promise<Differences> {
  const chunks = [
    ...chunksOf(
      rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      CHUNK_CHARACTERS,
    ),
  ]
  const last = chunks.pop() ?? []
  const found: Differences = { wrong: [], extra: [] }
  let { after } = range
  const compare = async (upTo: string | undefined, chunk: PutRow[]) => {
    const { wrong, extra } = await compareChunk(client, profileId, { after, upTo }, chunk)
    found.wrong.push(...wrong)
    found.extra.push(...extra)
  }
  for (const chunk of chunks) {
    const upTo = lastOf(chunk).id
    await compare(upTo, chunk)
    after = upTo
  }
  await compare(range.upTo, last)
  return found
}

/** Documents are stored as the text that we sent, so they are compared here. */
async function compareChunk(
  client: Client,
  profileId: string,
  { after, upTo }: IdRange,
  rows: PutRow[],
): Promise<Differences> {
  const values = [profileId, after, upTo ?? '~']
  const stored = await queryRows<Record<string, unknown> & { id: string; seq: number }>(client, FIND_ROWS, values)
  const people = Map.groupBy(
    await queryRows<{ item_id: string; participant: string }>(client, FIND_PEOPLE, values),
    ({ item_id }) => item_id,
  )
  const byId = new Map(stored.map((row) => [row.id, row]))
  const wrong: FoundRow[] = []
  for (const row of rows) {
    const found = byId.get(row.id)
    byId.delete(row.id)
    const participants = people.get(row.id)?.map(({ participant }) => participant) ?? []
    const isSame =
      found !== undefined &&
      JSON.stringify([...Object.values(found), participants]) ===
        JSON.stringify([...valuesOf(row), row.participants.map((each) => cleanText(each))])
    if (!isSame) wrong.push({ id: row.id, seq: found?.seq })
  }
  const extra = [...byId.values()].filter((row) => row['deleted_at'] === null)
  return { wrong, extra: extra.map(({ id, seq }) => ({ id, seq })) }
}

export async function removeFound(client: Client, profileId: string, rows: FoundRow[]): Promise<void> {
  await queryRows(client, REMOVE_FOUND, [profileId, rows.map(({ id, seq }) => [id, seq])])
}
