import type { AccessWatch, Grant } from '#model/accounts/access.ts'
import type { TokenKey } from '#model/accounts/account.ts'
import type { Clock } from '#platform/clock.ts'
import { type Queries, type Statement, statement } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { isSharded } from '../cluster/is-sharded.ts'

/** Work in progress ends at most two intervals and one query after its access was revoked. */
const CHECK_INTERVAL_MS = 400

const tokenColumns = 't.shard, t.hash, t.account_id'
const joinsOfToken = `join account a on a.shard = t.shard and a.id = t.account_id
   join app on app.id = a.app_id`
const isValidAccount = 'a.merged_into is null and app.deleting_at is null'
const isValidToken = `t.revoked_at is null and ${isValidAccount}` as const
const isValidProxyToken = <const Shard extends string>(shard: Shard) =>
  `(t.expires_at is null or t.expires_at > $nowMs) and (t.maker_hash is null or exists (select from access_token m
     where m.shard = ${shard} and m.hash = t.maker_hash and m.revoked_at is null)) and ${isValidAccount}` as const
const profileColumns = 'p.id, p.account_id, p.merged_into, p.paused_at'

// One query for all work in progress in a process, however many readers there are. Not on a sharded server: there each
// query would ask every shard.
const findValidTokens = statement(
  'watch-tokens',
  `select ${tokenColumns} from unnest($shards::smallint[], $hashes::bytea[]) as wanted (shard, hash)
   join access_token t on t.shard = wanted.shard and t.hash = wanted.hash ${joinsOfToken} where ${isValidToken}`,
)
const findValidProxyTokens = statement(
  'watch-proxy-tokens',
  `select ${tokenColumns} from unnest($shards::smallint[], $hashes::bytea[]) as wanted (shard, hash)
   join proxy_token t on t.shard = wanted.shard and t.hash = wanted.hash ${joinsOfToken} where ${isValidProxyToken('t.shard')}`,
)
const findProfiles = statement(
  'watch-profiles',
  `select ${profileColumns} from unnest($shards::smallint[], $profileIds::text[]) as wanted (shard, id)
   join profile p on p.shard = wanted.shard and p.id = wanted.id
   join app on app.id = p.app_id where app.deleting_at is null`,
)
const findValidTokensOfShard = statement(
  'watch-tokens-of-shard',
  `select ${tokenColumns} from access_token t ${joinsOfToken}
   where t.shard = $shard and t.hash = any($hashes) and ${isValidToken}`,
)
const findValidProxyTokensOfShard = statement(
  'watch-proxy-tokens-of-shard',
  `select ${tokenColumns} from proxy_token t ${joinsOfToken}
   where t.shard = $shard and t.hash = any($hashes) and ${isValidProxyToken('$shard')}`,
)
const findProfilesOfShard = statement(
  'watch-profiles-of-shard',
  `select ${profileColumns} from profile p join app on app.id = p.app_id
   where p.shard = $shard and p.id = any($profileIds) and app.deleting_at is null`,
)

interface WatchDeps {
  database: Queries
  clock: Clock
  log: Log
}

interface Followed {
  grant: Grant
  onEnd: () => void
  /** Added since the last check. Most calls end before the next one, and cost no query. */
  isNew: boolean
}

interface ValidAccess {
  /** Account id by token name. */
  tokens: Map<string, string>
  profiles: Map<string, { accountId: string; isMerged: boolean; isPaused: boolean }>
}

export function createAccessWatch({ database, clock, log }: WatchDeps): AccessWatch {
  const followed = new Set<Followed>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const check = async () => {
    const checked = [...followed].filter((each) => !each.isNew)
    for (const each of followed) each.isNew = false
    try {
      if (checked.length > 0) endInvalid(checked, await findValidAccess({ database, clock }, checked))
    } catch (error) {
      // Without a database nothing new can be read either. The next check tries again.
      log.debug('could not check whether access has ended', { error })
    }
    timer = undefined
    schedule()
  }
  const endInvalid = (checked: readonly Followed[], access: ValidAccess) => {
    for (const each of checked) {
      if (!followed.has(each) || isValid(each.grant, access)) continue
      followed.delete(each)
      each.onEnd()
    }
  }
  const schedule = () => {
    if (followed.size > 0 && !isClosed) timer ??= setTimeout(() => void check(), CHECK_INTERVAL_MS).unref()
  }

  return {
    follow: (grant, onEnd) => {
      const each = { grant, onEnd, isNew: true }
      followed.add(each)
      schedule()
      return () => void followed.delete(each)
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
      followed.clear()
    },
  }
}

interface TokenRow extends TokenKey {
  account_id: string
}

interface ProfileRow {
  id: string
  account_id: string
  merged_into: string | null
  paused_at: number | null
}

async function findValidAccess(
  { database, clock }: Pick<WatchDeps, 'database' | 'clock'>,
  checked: readonly Followed[],
): Promise<ValidAccess> {
  const profiles = new Map(checked.flatMap(({ grant }) => grant.profiles.map((key) => [key.profileId, key])))
  const access: ValidAccess = { tokens: new Map(), profiles: new Map() }
  const tokens = await readTokens(
    database,
    distinct(checked.map(({ grant }) => grant.token)),
    (values) => findValidTokens.with(values),
    (shard, hashes) => findValidTokensOfShard.with({ shard, hashes }),
  )
  const nowMs = clock.now()
  const proxyTokens = await readTokens(
    database,
    distinct(checked.map(({ grant }) => grant.proxyToken)),
    (values) => findValidProxyTokens.with({ ...values, nowMs }),
    (shard, hashes) => findValidProxyTokensOfShard.with({ shard, hashes, nowMs }),
  )
  for (const row of [...tokens, ...proxyTokens]) access.tokens.set(nameOf(row), row.account_id)
  for (const row of await readProfiles(database, [...profiles.values()]))
    access.profiles.set(row.id, {
      accountId: row.account_id,
      isMerged: row.merged_into !== null,
      isPaused: row.paused_at !== null,
    })
  return access
}

function distinct(tokens: readonly (TokenKey | undefined)[]): TokenKey[] {
  return [...new Map(tokens.flatMap((token) => (token === undefined ? [] : [[nameOf(token), token]]))).values()]
}

async function readTokens(
  database: Queries,
  keys: TokenKey[],
  findAll: (values: { shards: number[]; hashes: Buffer[] }) => Statement,
  findOfShard: (shard: number, hashes: Buffer[]) => Statement,
): Promise<TokenRow[]> {
  if (keys.length === 0) return []
  if (!(await isSharded(database)))
    return database.rows<TokenRow>(
      findAll({ shards: keys.map(({ shard }) => shard), hashes: keys.map(({ hash }) => hash) }),
    )
  return inEachShard(database, keys, (shard, ofShard) =>
    findOfShard(
      shard,
      ofShard.map(({ hash }) => hash),
    ),
  )
}

async function readProfiles(database: Queries, keys: Grant['profiles'][number][]): Promise<ProfileRow[]> {
  if (keys.length === 0) return []
  if (!(await isSharded(database))) {
    const values = { shards: keys.map(({ shard }) => shard), profileIds: keys.map(({ profileId }) => profileId) }
    return database.rows<ProfileRow>(findProfiles.with(values))
  }
  return inEachShard(database, keys, (shard, ofShard) =>
    findProfilesOfShard.with({ shard, profileIds: ofShard.map(({ profileId }) => profileId) }),
  )
}

/** One statement after another, so that many open operations do not take the connections of others. */
async function inEachShard<Key extends { shard: number }, Row extends object>(
  database: Queries,
  keys: Key[],
  statementFor: (shard: number, keys: Key[]) => Statement,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const [shard, ofShard] of Map.groupBy(keys, (key) => key.shard))
    rows.push(...(await database.rows<Row>(statementFor(shard, ofShard))))
  return rows
}

function isValid(grant: Grant, access: ValidAccess): boolean {
  const { accountId, profiles, unmerged, unpaused } = grant
  const tokens = [grant.token, grant.proxyToken].filter((token) => token !== undefined)
  if (tokens.some((token) => access.tokens.get(nameOf(token)) !== accountId)) return false
  return profiles.every(({ profileId }) => {
    const found = access.profiles.get(profileId)
    if (found === undefined || (unmerged === true && found.isMerged) || (unpaused === true && found.isPaused))
      return false
    return accountId === undefined || found.accountId === accountId
  })
}

function nameOf({ shard, hash }: TokenKey): string {
  return `${shard} ${hash.toString('base64')}`
}
