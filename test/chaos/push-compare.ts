import type { Queries } from '#platform/postgres/database.ts'

export interface Verdict {
  compared: number
  missing: number
  stale: number
  /** Rows that must not exist: of deleted items or erased people. */
  extra: number
  duplicates: number
  /** A newer row was replaced by or delivered before an older one. */
  disordered: number
  /** Profiles that are missing, extra, or of another account than in the store. */
  profiles: number
  /** What an app can recognize: repeated changes, and changes of a run that lost its lease. */
  repeats?: number
  late?: number
}

/** The number of all faults. */
export function faultsOf({ missing, stale, extra, duplicates, disordered, profiles }: Verdict): Record<string, number> {
  return { missing, stale, extra, duplicates, disordered, profiles }
}

export const NO_FAULTS = { missing: 0, stale: 0, extra: 0, duplicates: 0, disordered: 0, profiles: 0 }

/** The contents of the store: items by profile and id, and the account of each profile. */
export interface Stored {
  items: Map<string, Version>
  accounts: Map<string, string>
}

export interface Version {
  seq: number
  v: number
}

export async function readStore(queries: Queries, appId: string): Promise<Stored> {
  const items = await queries.rows<Version & { key: string }>(
    {
      name: '',
      text: `select i.profile_id || ' ' || replace(i.id::text, '-', '') as key, i.seq, (i.data ->> 'v')::bigint as v
             from item i join profile p on p.shard = i.shard and p.id = i.profile_id where p.app_id = $1`,
    },
    [appId],
  )
  const profiles = await queries.rows<{ id: string; account_id: string }>(
    { name: '', text: 'select id, account_id from profile where app_id = $1' },
    [appId],
  )
  return {
    items: new Map(items.map(({ key, seq, v }) => [key, { seq, v }])),
    accounts: new Map(profiles.map(({ id, account_id }) => [id, account_id])),
  }
}

export interface TableRow {
  profile_id: string
  id: string
  seq: number | string
  v: number | string
  is_deleted: boolean | number
}

export const ASK_ITEMS = (v: string) =>
  `select profile_id, id, seq, ${v} as v, deleted_at is not null as is_deleted from tributary_items`
export const ASK_PROFILES = 'select id, account_id from tributary_profiles'

export function judgeTables(
  stored: Stored,
  rows: TableRow[],
  profiles: { id: string; account_id: string }[],
  disordered: number,
): Verdict {
  const live = new Map<string, Version>()
  let duplicates = 0
  for (const { profile_id, id, seq, v, is_deleted } of rows) {
    if (Boolean(is_deleted) && stored.accounts.has(profile_id)) continue
    const key = `${profile_id} ${id.slice(0, 32)}`
    if (live.has(key)) duplicates += 1
    live.set(key, { seq: Number(seq), v: Number(v) })
  }
  const there = new Map(profiles.map(({ id, account_id }) => [id, account_id]))
  return { ...judge(stored, live, there), duplicates, disordered }
}

export function judge(stored: Stored, live: Map<string, Version>, accounts: Map<string, string>): Verdict {
  const verdict: Verdict = {
    compared: stored.items.size,
    missing: 0,
    stale: 0,
    extra: 0,
    duplicates: 0,
    disordered: 0,
    profiles: 0,
  }
  for (const [key, { seq, v }] of stored.items) {
    const there = live.get(key)
    if (there === undefined) verdict.missing += 1
    else if (there.seq !== seq || there.v !== v) verdict.stale += 1
  }
  for (const key of live.keys()) if (!stored.items.has(key)) verdict.extra += 1
  for (const [id, account] of stored.accounts) if (accounts.get(id) !== account) verdict.profiles += 1
  for (const id of accounts.keys()) if (!stored.accounts.has(id)) verdict.profiles += 1
  return verdict
}
