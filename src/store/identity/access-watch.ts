import type { AccessWatch, Grant } from '#model/access.ts'
import type { TokenKey } from '#model/account.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'

/** Work in progress ends at most two intervals and one query after its access was revoked. */
const CHECK_INTERVAL_MS = 400

// One query for all work in progress in a process, however many readers there are.
const findValidTokens = statement(
  'watch-tokens',
  `select t.shard, t.hash, t.account_id from unnest($shards::smallint[], $hashes::bytea[]) as wanted (shard, hash)
   join access_token t on t.shard = wanted.shard and t.hash = wanted.hash
   join account a on a.shard = t.shard and a.id = t.account_id
   join app on app.id = a.app_id
   where t.revoked_at is null and a.merged_into is null and app.deleting_at is null`,
)
const findProfiles = statement(
  'watch-profiles',
  `select p.id, p.account_id, p.merged_into, p.paused_at
   from unnest($shards::smallint[], $profileIds::text[]) as wanted (shard, id)
   join profile p on p.shard = wanted.shard and p.id = wanted.id
   join app on app.id = p.app_id
   where app.deleting_at is null`,
)

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

export function createAccessWatch({ database, log }: { database: Queries; log: Log }): AccessWatch {
  const followed = new Set<Followed>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const check = async () => {
    const checked = [...followed].filter((each) => !each.isNew)
    for (const each of followed) each.isNew = false
    try {
      if (checked.length > 0) endInvalid(checked, await findValidAccess(database, checked))
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

interface ProfileRow {
  id: string
  account_id: string
  merged_into: string | null
  paused_at: number | null
}

async function findValidAccess(database: Queries, checked: readonly Followed[]): Promise<ValidAccess> {
  const tokens = new Map(
    checked.flatMap(({ grant: { token } }) => (token === undefined ? [] : [[nameOf(token), token]])),
  )
  const profiles = new Map(checked.flatMap(({ grant }) => grant.profiles.map((key) => [key.profileId, key])))
  const access: ValidAccess = { tokens: new Map(), profiles: new Map() }
  if (tokens.size > 0) {
    const keys = [...tokens.values()]
    const values = { shards: keys.map(({ shard }) => shard), hashes: keys.map(({ hash }) => hash) }
    const rows = await database.rows<TokenKey & { account_id: string }>(findValidTokens.with(values))
    for (const row of rows) access.tokens.set(nameOf(row), row.account_id)
  }
  if (profiles.size > 0) {
    const keys = [...profiles.values()]
    const values = { shards: keys.map(({ shard }) => shard), profileIds: keys.map(({ profileId }) => profileId) }
    const rows = await database.rows<ProfileRow>(findProfiles.with(values))
    for (const row of rows)
      access.profiles.set(row.id, {
        accountId: row.account_id,
        isMerged: row.merged_into !== null,
        isPaused: row.paused_at !== null,
      })
  }
  return access
}

function isValid({ token, accountId, profiles, unmerged, unpaused }: Grant, access: ValidAccess): boolean {
  if (token !== undefined && access.tokens.get(nameOf(token)) !== accountId) return false
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
