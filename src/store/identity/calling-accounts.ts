import type { OpenedAccount, TokenKey } from '#model/accounts/account.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type OpenServiceKey, openServiceKey } from '../apps/service-keys.ts'
import {
  isOpened,
  type OpenedByToken,
  type OpenedRow,
  openAccount,
  openedColumns,
  openedJoins,
  usedColumn,
} from './access-tokens.ts'
import { type CredentialRow, openCredential, type StoredCredential } from './credentials.ts'

/** What calls of one service need besides the account, read with it. Opened only when a call uses it. */
export interface StoredForCalls {
  /** Whether the profile was among the rows: else nothing is known about it. */
  has(profileId: string): boolean
  /** The app's own key for the service. */
  key(profileId: string): OpenServiceKey | undefined
  /** Throws a `SealError` if it is damaged. */
  credential(profileId: string): StoredCredential | undefined
}

/** For statements of `openedJoins`: the credential of each profile of `$service`, and the app's key for it. */
export const storedColumns = `c.sealed, c.version, c.expires_at, c.refresh_until, c.updated_at, k.key as service_key,
  k.secret as service_secret, k.scope as service_scope, k.overrides as service_overrides, k.updated_at as service_updated_at`
export const storedJoins = `left join credential c on c.shard = $shard and c.profile_id = p.id and p.service = $service
   left join service_key k on k.app_id = a.app_id and k.service = p.service and p.service = $service` as const

export interface StoredRow extends OpenedRow {
  sealed: Buffer | null
  version: number
  expires_at: number | null
  refresh_until: number
  updated_at: number
  service_key: string | null
  service_secret: Buffer
  service_scope: string | null
  service_overrides: Record<string, string>
  service_updated_at: number
}

// A caller whom nobody knows would else cost three statements, one after the other.
const find = statement(
  'caller-find',
  `select ${openedColumns}, ${usedColumn}, ${storedColumns} from access_token t ${openedJoins} ${storedJoins}
   where t.shard = $shard and t.hash = $hash and t.revoked_at is null and ${isOpened}`,
)

/** The account of an access token, and what calls of its profiles of a service need. */
export async function findCallingAccount(
  queries: Queries,
  keyring: Keyring,
  key: TokenKey,
  service: string,
): Promise<{ account: OpenedAccount; stored: StoredForCalls } | undefined> {
  let rows: (StoredRow & OpenedByToken)[] = []
  const opened = await openAccount(queries, key, async () => {
    rows = await queries.rows<StoredRow & OpenedByToken>(find.with({ ...key, service }))
    return rows
  })
  if (opened === undefined) return undefined
  const account = { ...opened.account, token: key, tokenUsedAt: opened.row.token_used_at }
  return { account, stored: storedForCalls(keyring, rows, service) }
}

export function storedForCalls(keyring: Keyring, rows: readonly StoredRow[], service: string): StoredForCalls {
  // Profiles in other shards, which merges add, are in no row.
  const found = new Map(
    rows.flatMap((row) => (row.ref_service === service ? [[String(row.ref_id), row] as const] : [])),
  )
  return {
    has: (profileId) => found.has(profileId),
    key: (profileId) => {
      const row = found.get(profileId)
      return row && keyOf(keyring, row, service)
    },
    credential: (profileId) => {
      const row = found.get(profileId)
      return row && hasCredential(row) ? openCredential(keyring, { shard: row.shard, profileId }, row) : undefined
    },
  }
}

function hasCredential(row: StoredRow): row is StoredRow & CredentialRow {
  return row.sealed !== null
}

function keyOf(keyring: Keyring, row: StoredRow, service: string): OpenServiceKey | undefined {
  if (row.service_key === null) return undefined
  return openServiceKey(keyring, row.app_id, {
    service,
    key: row.service_key,
    secret: row.service_secret,
    scope: row.service_scope,
    overrides: row.service_overrides,
    updated_at: row.service_updated_at,
  })
}
