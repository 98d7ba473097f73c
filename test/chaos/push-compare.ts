import type { Client } from 'pg'
import type { Queries } from '#store/database.ts'
import type { ChaosReceiver } from './push-receiver.ts'

export interface Verdict {
  compared: number
  missing: number
  stale: number
  /** Rows that should not be there: of deleted items, of erased people, or twice. */
  extra: number
  duplicates: number
}

interface Stored {
  key: string
  profile_id: string
  seq: number
  v: number
}

/** What the store holds of an app, by profile and item. */
export async function storedItems(queries: Queries, appId: string): Promise<Map<string, Stored>> {
  const rows = await queries.rows<Stored>(
    {
      name: '',
      text: `select i.profile_id || ' ' || replace(i.id::text, '-', '') as key, i.profile_id, i.seq, (i.data ->> 'v')::bigint as v
             from item i join profile p on p.part = i.part and p.id = i.profile_id where p.app_id = $1`,
    },
    [appId],
  )
  return new Map(rows.map((row) => [row.key, row]))
}

export async function compareTables(client: Client, stored: Map<string, Stored>): Promise<Verdict> {
  const { rows } = await client.query<{ key: string; profile_id: string; seq: string; v: string; gone: boolean }>(
    `select profile_id || ' ' || split_part(id, '_', 1) as key, profile_id, seq::text, data ->> 'v' as v, deleted_at is not null as gone from tributary_items`,
  )
  const known = new Set([...stored.values()].map(({ profile_id }) => profile_id))
  const live = new Map<string, { seq: number; v: number | undefined }>()
  const verdict: Verdict = { compared: stored.size, missing: 0, stale: 0, extra: 0, duplicates: 0 }
  for (const row of rows) {
    if (!known.has(row.profile_id) && !row.gone) verdict.extra += 1
    if (row.gone) continue
    if (live.has(row.key)) verdict.duplicates += 1
    live.set(row.key, { seq: Number(row.seq), v: Number(row.v) })
  }
  judge(stored, live, verdict)
  return verdict
}

export function compareReceiver({ profiles }: ChaosReceiver, stored: Map<string, Stored>): Verdict {
  const live = new Map<string, { seq: number; v: number | undefined }>()
  for (const [profile, items] of profiles)
    for (const [id, { seq, v }] of items) if (v !== undefined) live.set(`${profile} ${id.slice(0, 32)}`, { seq, v })
  const verdict: Verdict = { compared: stored.size, missing: 0, stale: 0, extra: 0, duplicates: 0 }
  judge(stored, live, verdict)
  return verdict
}

function judge(
  stored: Map<string, Stored>,
  live: Map<string, { seq: number; v: number | undefined }>,
  verdict: Verdict,
): void {
  for (const [key, { seq, v }] of stored) {
    const there = live.get(key)
    if (there === undefined) verdict.missing += 1
    else if (there.seq !== seq || there.v !== v) verdict.stale += 1
  }
  for (const key of live.keys()) if (!stored.has(key)) verdict.extra += 1
}
