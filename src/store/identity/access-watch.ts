import type { AccessWatch, Grant } from '#model/access.ts'
import type { TokenKey } from '#model/account.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'

/** Twice this and a query: what may pass between a revocation and the end of what is under way. */
const EVERY_MS = 400

// One look for all that is under way in a process, whatever the number of readers.
const openTokens = statement(
  'watch-tokens',
  `select t.shard, t.hash, t.account_id from unnest($1::smallint[], $2::bytea[]) as asked (shard, hash)
   join access_token t on t.shard = asked.shard and t.hash = asked.hash
   join account a on a.shard = t.shard and a.id = t.account_id
   join app on app.id = a.app_id
   where t.revoked_at is null and a.merged_into is null and app.deleting_at is null`,
)
const openProfiles = statement(
  'watch-profiles',
  `select p.id, p.account_id, p.merged_into, p.paused_at from unnest($1::smallint[], $2::text[]) as asked (shard, id)
   join profile p on p.shard = asked.shard and p.id = asked.id
   join app on app.id = p.app_id
   where app.deleting_at is null`,
)

interface Followed {
  grant: Grant
  onEnd: () => void
  /** Begun since the last look: most calls are over before the next one, and cost no query. */
  isNew: boolean
}

interface Open {
  /** Account by token. */
  tokens: Map<string, string>
  profiles: Map<string, { accountId: string; isMerged: boolean; isPaused: boolean }>
}

export function createAccessWatch({ database, log }: { database: Queries; log: Log }): AccessWatch {
  const followed = new Set<Followed>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const look = async () => {
    const asked = [...followed].filter((each) => !each.isNew)
    for (const each of followed) each.isNew = false
    try {
      if (asked.length > 0) endGone(asked, await findOpen(database, asked))
    } catch (error) {
      // Without a database nothing new can be read either; the next look tells.
      log.debug('could not look whether access has ended', { error })
    }
    timer = undefined
    schedule()
  }
  const endGone = (asked: readonly Followed[], open: Open) => {
    for (const each of asked) {
      if (!followed.has(each) || isOpen(each.grant, open)) continue
      followed.delete(each)
      each.onEnd()
    }
  }
  const schedule = () => {
    if (followed.size > 0 && !isClosed) timer ??= setTimeout(() => void look(), EVERY_MS).unref()
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

async function findOpen(database: Queries, asked: readonly Followed[]): Promise<Open> {
  const tokens = new Map(asked.flatMap(({ grant: { token } }) => (token === undefined ? [] : [[nameOf(token), token]])))
  const profiles = new Map(asked.flatMap(({ grant }) => grant.profiles.map((key) => [key.profileId, key])))
  const open: Open = { tokens: new Map(), profiles: new Map() }
  if (tokens.size > 0) {
    const keys = [...tokens.values()]
    const rows = await database.rows<TokenKey & { account_id: string }>(openTokens, [
      keys.map(({ shard }) => shard),
      keys.map(({ hash }) => hash),
    ])
    for (const row of rows) open.tokens.set(nameOf(row), row.account_id)
  }
  if (profiles.size > 0) {
    const keys = [...profiles.values()]
    const rows = await database.rows<{
      id: string
      account_id: string
      merged_into: string | null
      paused_at: number | null
    }>(openProfiles, [keys.map(({ shard }) => shard), keys.map(({ profileId }) => profileId)])
    for (const row of rows)
      open.profiles.set(row.id, {
        accountId: row.account_id,
        isMerged: row.merged_into !== null,
        isPaused: row.paused_at !== null,
      })
  }
  return open
}

function isOpen({ token, accountId, profiles, unmerged, unpaused }: Grant, open: Open): boolean {
  if (token !== undefined && open.tokens.get(nameOf(token)) !== accountId) return false
  return profiles.every(({ profileId }) => {
    const found = open.profiles.get(profileId)
    if (found === undefined || (unmerged === true && found.isMerged) || (unpaused === true && found.isPaused))
      return false
    return accountId === undefined || found.accountId === accountId
  })
}

function nameOf({ shard, hash }: TokenKey): string {
  return `${shard} ${hash.toString('base64')}`
}
