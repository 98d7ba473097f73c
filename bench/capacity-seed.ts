import type { Client } from 'pg'
import { selfDueAt } from '#flows/sync/run/self-pace.ts'
import { serviceReaderVersion } from '#kit/connector/reader-version.ts'
import { newShardId, randomShard } from '#platform/crypto/ids.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import { sealedCredentialCell } from '#store/identity/credentials.ts'
import steady from './connectors/steady.ts'

export const ENDPOINTS = Object.keys(steady.endpoints)
export const INTERVAL_MS = 30 * 60_000
/** Later than any benchmark. */
export const FAR = 8_000_000_000_000
const BATCH = 2000

/** What the service responds to the profile's checks; see capacity-lab.ts. */
export type Mode = 'empty' | 'same' | 'fresh'

export interface SeededProfile {
  shard: number
  id: string
  accountId: string
}

/**
 * Writes profiles that have been synced before, with their accounts, credentials and schedules, straight into the tables: a sign-in
 * for each would take longer than the benchmark. `dueAt` says when the i-th one is due.
 */
export async function seedProfiles(
  client: Client,
  keyring: Keyring,
  appIds: string[],
  { mode, count, dueAt }: { mode: Mode; count: number; dueAt: (index: number) => number },
): Promise<SeededProfile[]> {
  const nowMs = Date.now()
  const seeded: SeededProfile[] = []
  for (let from = 0; from < count; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => {
      const shard = randomShard()
      const id = newShardId(shard, nowMs)
      const cell = sealedCredentialCell({ shard, profileId: id })
      return {
        shard,
        id,
        accountId: newShardId(shard, nowMs),
        appId: appIds[(from + i) % appIds.length]!,
        nativeId: `${mode}-${from + i}`,
        sealed: keyring.seal(JSON.stringify({ token: `${mode}-${from + i}` }), cell).toString('hex'),
        dueAt: Math.round(dueAt(from + i)),
        // People's records were read at any time of the last period, so that some are due at any time.
        selfReadAt: Math.round(nowMs - Math.random() * selfDueAt(id, 0, 86_400_000)),
      }
    })
    await insertBatch(client, rows, nowMs)
    seeded.push(...rows.map(({ shard, id, accountId }) => ({ shard, id, accountId })))
  }
  await client.query('vacuum analyze')
  return seeded
}

type Row = Record<string, string | number>

const TABLES = [
  `insert into account (shard, id, app_id, shards, created_at)
   select shard, "accountId", "appId", array[shard], $2::bigint from seed`,
  `insert into profile (shard, id, account_id, app_id, service, native_id, state, self, data, connected_at, updated_at)
   select shard, id, "accountId", "appId", '${steady.service}', "nativeId", 'active',
     json_build_object('id', "nativeId", 'name', 'Person'), json_build_object('id', "nativeId", 'name', 'Person'), $2::bigint, $2::bigint from seed`,
  `insert into credential (shard, profile_id, sealed, version, refresh_until, updated_at)
   select shard, id, decode(sealed, 'hex'), 1, 0, $2::bigint from seed`,
  `insert into profile_sync (shard, profile_id, app_id, service, next_run_at, seq, reader_version, self_read_at)
   select shard, id, "appId", '${steady.service}', "dueAt", 0, ${serviceReaderVersion(steady.endpoints)}, "selfReadAt" from seed
   where $2::bigint > 0`,
  `insert into endpoint_sync (shard, profile_id, endpoint, next_run_at, interval_ms, watermark, epoch, items, fails, faults,
     quarantined, suspect_deletes, first_done_at)
   select shard, id, endpoint, "dueAt", ${INTERVAL_MS}, to_json($2::bigint), 0, 0, 0, 0, 0, 0, $2::bigint
   from seed, unnest('{${ENDPOINTS.join(',')}}'::text[]) as endpoint`,
]

async function insertBatch(client: Client, rows: Row[], nowMs: number): Promise<void> {
  const seed = `with seed as (select * from json_to_recordset($1) as seed (shard smallint, id text, "accountId" text,
    "appId" text, "nativeId" text, sealed text, "dueAt" bigint, "selfReadAt" bigint))`
  await client.query('begin')
  for (const table of TABLES) await client.query(`${seed} ${table}`, [JSON.stringify(rows), nowMs])
  await client.query('commit')
}
