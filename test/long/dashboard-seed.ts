import type { Sql } from '../harness/database/sql.ts'

/** How much a seeded installation has; everything else follows from it in proportion. */
export interface SeedSize {
  accounts: number
  profilesPerAccount: number
  items: number
}

export const SERVICES = ['github', 'flickr', 'spotify']

const ALPHABET = `'0123456789abcdefghjkmnpqrstvwxyz'`
const digit = (value: string) => `substr(${ALPHABET}, ${value} + 1, 1)`
/** The start of an id: its shard. */
const prefix = (shard: string) => `${digit(`(${shard} / 32)`)} || ${digit(`(${shard} % 32)`)}`
const accountId = (n: string) => `${prefix(`(${n} % 1024)`)} || lpad(${n}::text, 26, '0')`
const profileId = (n: string, k: string) => `${prefix(`(${n} % 1024)`)} || ${k}::text || lpad(${n}::text, 25, '0')`
const HOUR_MS = 3_600_000
/** Nothing runs during the measurement. */
const FAR = 8_000_000_000_000

/**
 * Fills the tables of an app as some weeks of use would: sign-ins by the API would take hours. One profile in fifty has to sign in
 * again, one endpoint in forty fails. The destination must be paused. Returns the ids of some accounts.
 */
export async function seedInstallation(
  sql: Sql,
  { app: appId, destination }: { app: string; destination: string },
  { accounts, profilesPerAccount, items }: SeedSize,
): Promise<string[]> {
  const now = Date.now()
  const profiles = `generate_series(1, ${accounts}) n, generate_series(1, ${profilesPerAccount}) k`
  const service = `('{${SERVICES.join(',')}}'::text[])[1 + k % ${SERVICES.length}]`
  const person = `'Person' || n || ' ' || (array['Lovelace','Turing','Hopper','Curie','Noether'])[1 + n % 5]`
  const scope = appId.slice(-6)
  const rows = Math.max(1, Math.ceil(items / (accounts * profilesPerAccount)))
  const statements = [
    `insert into account (shard, id, app_id, shards, created_at)
     select n % 1024, ${accountId('n')}, '${appId}', array[(n % 1024)::smallint], ${now} - n::bigint * 60000
     from generate_series(1, ${accounts}) n`,
    `insert into profile (shard, id, account_id, app_id, service, native_id, state, scope, self, data, connected_at, updated_at,
       synced_at, error, person_terms)
     select n % 1024, ${profileId('n', 'k')}, ${accountId('n')}, '${appId}', ${service}, 'u' || n,
       case when (n + k) % 50 = 0 then 'needs_auth' when (n + k) % 70 = 0 then 'paused' else 'active' end, 'read',
       json_build_object('name', ${person}, 'handle', 'p' || n, 'email', 'p' || n || '@example.com'),
       json_build_object('id', n, 'about', repeat('text ', 40)), ${now} - n::bigint * 60000, ${now}, ${now} - n,
       case when (n + k) % 50 = 0 then 'The service refused the token.' end,
       array_to_tsvector(array['${scope}person' || n, '${scope}' || lower((array['Lovelace','Turing','Hopper','Curie','Noether'])[1 + n % 5]),
         '${scope}p' || n, '${scope}u' || n])
     from ${profiles}`,
    `insert into profile_sync (shard, profile_id, app_id, service, next_run_at, seq, items, bytes, recounted_at)
     select n % 1024, ${profileId('n', 'k')}, '${appId}', ${service}, ${FAR}, ${rows}, ${rows}, ${rows * 300}, ${now} from ${profiles}`,
    `insert into endpoint_sync (shard, profile_id, endpoint, next_run_at, interval_ms, epoch, items, fails, faults, quarantined,
       suspect_deletes, first_done_at, last_run_at, last_reason, last_error)
     select n % 1024, ${profileId('n', 'k')}, endpoint, ${FAR}, 3600000, 0, ${rows}, 0, case when n % 500 = 0 then 1 else 0 end,
       case when n % 500 = 0 then 1 else 0 end, 0, ${now}, ${now},
       case when (n + k) % 40 = 0 then 'service_failed' end, case when (n + k) % 40 = 0 then 'The service responded 503.' end
     from ${profiles}, unnest('{a,b,c,d}'::text[]) endpoint`,
    `insert into quarantine (shard, profile_id, endpoint, id, reason, sample, seen_at)
     select n % 1024, ${profileId('n', 'k')}, 'a', 'x', 'has no id', '{"a":1}', ${now} from ${profiles} where n % 500 = 0`,
    `insert into reader_fault (shard, profile_id, endpoint, item_id, field, kind, native_id, message, seen_at, times)
     select n % 1024, ${profileId('n', 'k')}, 'a', md5(n::text)::uuid, 'at', 'post', '1', 'is not a date', ${now}, 1
     from ${profiles} where n % 500 = 0`,
    `insert into item (shard, profile_id, id, endpoint, native_id, at, updated_at, seq, hash, types, participants, guid, words, oembed, data)
     select n % 1024, ${profileId('n', 'k')}, md5(n || ' ' || k || ' ' || i)::uuid, 'a', i::text, ${now} - i::bigint * 3600000, ${now}, i,
       '\\x00', case when i % 2 = 0 then 1 else 4 end, '{}', '{}', ''::tsvector, '{}', json_build_object('id', i, 'text', 'some text of a post')
     from ${profiles}, generate_series(1, ${rows}) i where (n - 1) * ${profilesPerAccount * rows} < ${items}`,
    `insert into item_hour (shard, app_id, hour, added, updated)
     select s, '${appId}', ${now - (now % HOUR_MS)} - h * ${HOUR_MS}::bigint, 1 + (s + h) % 40, s % 7
     from generate_series(0, 1023) s, generate_series(0, 167) h where s < ${accounts}`,
    `insert into delivery_cursor (shard, profile_id, destination_id, seq, written, backfill_until, generation, due_at, scheduled, revision,
       acked_revision, behind_since, epoch, erase, dead, redrive, fails, rows, delivered_at)
     select n % 1024, ${profileId('n', 'k')}, '${destination}', ${rows} - n % 3, 0, 0, 0, case when n % 3 > 0 then ${FAR} end, false, 1, 1,
       case when n % 3 > 0 then ${now} - n end, 1, false, n % 200 = 0, false, 0, ${rows}, ${now} from ${profiles}`,
    `insert into delivery (shard, id, destination_id, profile_id, at, ms, attempt, rows, ok, error)
     select n % 1024, ${prefix('(n % 1024)')} || '9' || lpad((n * 10 + k)::text, 25, '0'), '${destination}', ${profileId('n', 'k')},
       ${now} - n::bigint * 1000, 12, 1, 10, n % 30 > 0, case when n % 30 = 0 then 'ECONNREFUSED' end from ${profiles}`,
    `insert into dead_letter (shard, profile_id, destination_id, item_id, seq, reason, at)
     select n % 1024, ${profileId('n', '1')}, '${destination}', md5(n::text)::uuid, 1, 'too long', ${now}
     from generate_series(1, ${accounts}) n where n % 20 = 0`,
    `insert into call_log (shard, id, app_id, account_id, at, method, service, path, status, ms, bytes, refreshed, retried, request_id)
     select n % 1024, ${prefix('(n % 1024)')} || '8' || lpad((n * 10 + k)::text, 25, '0'), '${appId}', ${accountId('n')},
       ${now} - n::bigint * 1000, 'GET', 'github', '/user', 200, 80, 900, false, false, 'r' || n from ${profiles}`,
    `insert into audit (shard, id, at, actor, action, app_id, account_id, detail)
     select n % 1024, ${prefix('(n % 1024)')} || '7' || lpad((n * 10 + k)::text, 25, '0'), ${now} - n::bigint * 1000, 'admin', 'profile.pause',
       '${appId}', ${accountId('n')}, '{}' from ${profiles}`,
  ]
  for (const statement of statements) await sql(statement)
  await sql('vacuum analyze')
  const some = await sql<{ id: string }>(`select id from account where app_id = $1 order by created_at desc limit 50`, [
    appId,
  ])
  return some.map(({ id }) => id)
}
