import type { Account, AccountOfProxyToken, TokenKey } from '#model/accounts/account.ts'
import type { ProxyTokenLimits } from '#model/accounts/proxy-token.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Batch, Position } from '../delete-in-batches.ts'
import { WALK_BATCH, walkBatch } from '../walk.ts'
import { isOpened, type OpenedRow, openAccount, openedColumns, openedJoins } from './access-tokens.ts'
import { type StoredForCalls, type StoredRow, storedColumns, storedForCalls, storedJoins } from './calling-accounts.ts'

export interface NewProxyToken extends ProxyTokenLimits {
  hash: Buffer
  id: string
  label: string | undefined
  /** As in the audit log. */
  madeBy: string
  /** The access token it is made with, and with which it ends. */
  makerHash: Buffer | undefined
  createdAt: number
}

export interface StoredProxyToken extends ProxyTokenLimits {
  id: string
  label: string | undefined
  madeBy: string
  createdAt: number
  usedAt: number | undefined
}

type AccountKey = Pick<Account, 'shard' | 'id'>

// Also what a process of an older release revoked, which does not know this table.
const hasMaker = `(t.maker_hash is null or exists (select from access_token m
     where m.shard = $shard and m.hash = t.maker_hash and m.revoked_at is null))` as const
const isAlive = `(t.expires_at is null or t.expires_at > $nowMs) and ${hasMaker}` as const
const limitColumns = 't.id as token_id, t.service, t.profile_id, t.methods, t.paths, t.expires_at as token_expires_at'
const insert = statement(
  'proxy-token-insert',
  `insert into proxy_token (shard, hash, id, account_id, service, profile_id, methods, paths, label, made_by, maker_hash,
     created_at, expires_at)
   values ($shard, $hash, $id, $accountId, $service, $profileId, $methods, $paths, $label, $madeBy, $makerHash, $createdAt,
     $expiresAt)`,
)
const find = statement(
  'proxy-token-find',
  `select ${openedColumns}, ${limitColumns} from proxy_token t ${openedJoins}
   where t.shard = $shard and t.hash = $hash and ${isOpened} and ${isAlive}`,
)
const findCaller = statement(
  'proxy-caller-find',
  `select ${openedColumns}, ${storedColumns}, ${limitColumns} from proxy_token t ${openedJoins} ${storedJoins}
   where t.shard = $shard and t.hash = $hash and ${isOpened} and ${isAlive}`,
)
const list = statement(
  'proxy-token-list',
  `select ${limitColumns}, t.label, t.made_by, t.created_at, t.used_at from proxy_token t
   where t.shard = $shard and t.account_id = $accountId and ${isAlive} order by t.created_at, t.id`,
)
const remove = statement(
  'proxy-token-remove',
  'delete from proxy_token where shard = $shard and account_id = $accountId and id = $id',
)
const removeAll = statement(
  'proxy-token-remove-all',
  'delete from proxy_token where shard = $shard and account_id = $accountId',
)
const removeOfProfiles = statement(
  'proxy-token-remove-of-profiles',
  'delete from proxy_token where shard = $shard and account_id = $accountId and profile_id = any($profileIds)',
)
const markUsed = statement(
  'proxy-token-used',
  `update proxy_token set used_at = $usedAt
   where shard = $shard and hash = any($hashes) and (used_at is null or used_at < $usedAt)`,
)
// Also what nothing else removes: the maker was revoked, or a process of an older release merged or erased the account.
// Without `offset`, PostgreSQL 18 may read all tokens and accounts once instead of looking up each.
const purge = statement(
  'proxy-token-purge',
  `delete from proxy_token t where (t.shard, t.hash) > ($afterShard, $afterHash) and (t.shard, t.hash) <= ($lastShard, $lastHash)
     and (t.expires_at < $before
       or (t.maker_hash is not null and not exists (select from access_token m
         where m.shard = t.shard and m.hash = t.maker_hash and m.revoked_at is null offset 0))
       or not exists (select from account a where a.shard = t.shard and a.id = t.account_id and a.merged_into is null offset 0))`,
)
const walk = statement(
  'proxy-token-walk',
  `select shard, hash from proxy_token where (shard, hash) > ($afterShard, $afterHash) order by shard, hash
   limit $limit`,
)

interface LimitRow {
  token_id: string
  service: string
  profile_id: string | null
  methods: string[] | null
  paths: string[] | null
  token_expires_at: number | null
}

export async function insertProxyToken(tx: Queries, account: AccountKey, token: NewProxyToken): Promise<void> {
  const { hash, id, service, label = null, madeBy, makerHash = null, createdAt } = token
  const { profileId = null, methods = null, paths = null, expiresAt = null } = token
  const limits = { service, profileId, methods, paths, expiresAt }
  const made = { label, madeBy, makerHash, createdAt }
  await tx.count(insert.with({ shard: account.shard, accountId: account.id, hash, id, ...limits, ...made }))
}

/** The account of a token that is valid. Undefined for a token of a profile that was disconnected. */
export async function findAccountByProxyToken(
  queries: Queries,
  key: TokenKey,
  nowMs: number,
): Promise<AccountOfProxyToken | undefined> {
  const opened = await openAccount(queries, key, () => queries.rows<OpenedRow & LimitRow>(find.with({ ...key, nowMs })))
  return opened && narrowed(opened, key)
}

/** The same, with what calls of its profiles of a service need. */
export async function findCallerByProxyToken(
  queries: Queries,
  keyring: Keyring,
  key: TokenKey,
  { service, nowMs }: { service: string; nowMs: number },
): Promise<{ account: AccountOfProxyToken; stored: StoredForCalls } | undefined> {
  let rows: (StoredRow & LimitRow)[] = []
  const opened = await openAccount(queries, key, async () => {
    rows = await queries.rows<StoredRow & LimitRow>(findCaller.with({ ...key, service, nowMs }))
    return rows
  })
  const account = opened && narrowed(opened, key)
  return account && { account, stored: storedForCalls(keyring, rows, service) }
}

/** The account as if it had only the profiles that the token is for. */
function narrowed(
  { account, row }: { account: Omit<AccountOfProxyToken, 'proxyToken'>; row: LimitRow },
  key: TokenKey,
): AccountOfProxyToken | undefined {
  const limits = toLimits(row)
  const { service, profileId } = limits
  const profiles = account.profiles.filter((profile) =>
    profileId === undefined ? profile.service === service : profile.profileId === profileId && !profile.isMerged,
  )
  if (profileId !== undefined && profiles.length === 0) return undefined
  return { ...account, profiles, proxyToken: { ...limits, key, id: row.token_id } }
}

/** Those that are valid, the oldest first. */
export async function listProxyTokens(
  queries: Queries,
  { shard, id }: AccountKey,
  nowMs: number,
): Promise<StoredProxyToken[]> {
  type Row = LimitRow & { label: string | null; made_by: string; created_at: number; used_at: number | null }
  return (await queries.rows<Row>(list.with({ shard, accountId: id, nowMs }))).map((row) => ({
    ...toLimits(row),
    id: row.token_id,
    label: row.label ?? undefined,
    madeBy: row.made_by,
    createdAt: row.created_at,
    usedAt: row.used_at ?? undefined,
  }))
}

/** False if there is none. */
export async function removeProxyToken(tx: Queries, account: AccountKey, id: string): Promise<boolean> {
  return (await tx.count(remove.with({ shard: account.shard, accountId: account.id, id }))) > 0
}

export async function removeProxyTokens(tx: Queries, { shard, id }: AccountKey): Promise<void> {
  await tx.count(removeAll.with({ shard, accountId: id }))
}

/** Those that are for one of these profiles only. */
export async function removeTokensOfProfiles(
  tx: Queries,
  { shard, id }: AccountKey,
  profileIds: readonly string[],
): Promise<void> {
  if (profileIds.length > 0) await tx.count(removeOfProfiles.with({ shard, accountId: id, profileIds }))
}

export async function markProxyTokensUsed(
  queries: Queries,
  shard: number,
  hashes: readonly Buffer[],
  usedAt: number,
): Promise<void> {
  await queries.count(markUsed.with({ shard, hashes, usedAt }))
}

export function purgeProxyTokens(queries: Queries, before: number, position: Position = []): Promise<Batch> {
  const [afterShard = -1, hash = ''] = position
  const afterHash = Buffer.from(String(hash), 'hex')
  return walkBatch<{ shard: number; hash: Buffer }>(
    queries,
    walk.with({ afterShard, afterHash, limit: WALK_BATCH }),
    (last) => queries.count(purge.with({ afterShard, afterHash, lastShard: last.shard, lastHash: last.hash, before })),
    (last) => [last.shard, last.hash.toString('hex')],
  )
}

function toLimits(row: LimitRow): ProxyTokenLimits {
  return {
    service: row.service,
    ...(row.profile_id === null ? {} : { profileId: row.profile_id }),
    ...(row.methods === null ? {} : { methods: row.methods }),
    ...(row.paths === null ? {} : { paths: row.paths }),
    ...(row.token_expires_at === null ? {} : { expiresAt: row.token_expires_at }),
  }
}
