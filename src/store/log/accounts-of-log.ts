import { shardIn, shardOf } from '#platform/crypto/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import { eraseLogOf, moveLogOf } from './erase-log.ts'

interface Entry {
  shard: number
  accountId: string | undefined
}

interface Row {
  id: string
  mergedInto: string | null
}

const findInShards = statement(
  'log-accounts-of-shards',
  `select a.id, a.merged_into as "mergedInto" from unnest($shards::smallint[], $ids::text[]) as wanted (shard, id)
   join account a on a.shard = wanted.shard and a.id = wanted.id`,
)

const findInShard = statement(
  'log-accounts',
  `select id, merged_into as "mergedInto" from account where shard = $shard and id = any($ids)`,
)

/** Limit: shards that are asked one by one on a sharded server; more of them are found by one statement on every node. */
const MAX_SHARDS = 8
/** Limit: merges that are followed from the account of an entry; entries that are further away are dropped. */
const MAX_MERGES = 10

/**
 * Writes entries that waited in memory, without those of accounts that were erased meanwhile, by whichever process; `write` gets the
 * others, with the accounts that theirs were merged into. The accounts are looked up again afterwards: an erasure deletes the account
 * first and its log then, so it removes what was written before, and this removes what was written later. Returns what was left out.
 */
export async function writeForStoredAccounts<T extends Entry>(
  queries: Queries,
  entries: readonly T[],
  write: (kept: T[]) => Promise<void>,
): Promise<T[]> {
  const before = await currentAccounts(
    queries,
    entries.flatMap(({ accountId }) => accountId ?? []),
  )
  const isErased = ({ accountId }: T) => accountId !== undefined && !before.has(accountId)
  const kept = entries
    .filter((entry) => !isErased(entry))
    .map((entry) => (entry.accountId === undefined ? entry : { ...entry, accountId: before.get(entry.accountId) }))
  if (kept.length > 0) await write(kept)
  const after = await currentAccounts(queries, [...before.values()])
  for (const id of new Set(before.values())) {
    const now = after.get(id)
    if (now === id) continue
    const shards = [...new Set(kept.filter(({ accountId }) => accountId === id).map(({ shard }) => shard))]
    if (now === undefined) await eraseLogOf(queries, { id, shards })
    else await moveLogOf(queries, { id, shards }, now)
  }
  return entries.filter(isErased)
}

/** For each account that is stored, the account that it is now: itself, or the one that it was merged into. */
async function currentAccounts(queries: Queries, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string | null>()
  let unknown = [...new Set(ids)].filter((id) => shardOf(id) !== undefined)
  for (let round = 0; unknown.length > 0 && round <= MAX_MERGES; round += 1) {
    const rows = await findAccounts(queries, unknown)
    for (const { id, mergedInto } of rows) known.set(id, mergedInto)
    unknown = rows.flatMap(({ mergedInto }) => (mergedInto === null || known.has(mergedInto) ? [] : [mergedInto]))
  }
  const followed = (id: string): string | undefined => {
    let at: string | undefined = id
    for (let step = 0; at !== undefined && step <= MAX_MERGES; step += 1) {
      const into: string | null | undefined = known.get(at)
      if (into === null) return at
      at = into
    }
    return undefined
  }
  const found = new Map<string, string>()
  for (const id of ids) {
    const now = followed(id)
    if (now !== undefined) found.set(id, now)
  }
  return found
}

/** A sharded server sends a statement to one node where it compares the shard with a value, and else to every node. */
async function findAccounts(queries: Queries, ids: readonly string[]): Promise<Row[]> {
  const byShard = [...Map.groupBy(ids, shardIn)]
  if (byShard.length > MAX_SHARDS || (byShard.length > 1 && !(await isSharded(queries))))
    return queries.rows<Row>(findInShards.with({ shards: ids.map(shardIn), ids: [...ids] }))
  const found: Row[] = []
  for (const [shard, some] of byShard) found.push(...(await queries.rows<Row>(findInShard.with({ shard, ids: some }))))
  return found
}
