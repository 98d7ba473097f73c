import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Keyring, SealError } from '#platform/sealing.ts'

/** A finished sign-in that waits for the app to redeem it (`code`) or the person to confirm it (`confirm`). */
export interface Consent {
  shard: number
  hash: Buffer
  kind: 'code' | 'confirm'
  appId: string
  service: string
  nativeId: string
  accountId: string | undefined
  redirectUri: string
  codeChallenge: string | undefined
  browser: Buffer | undefined
  /** JSON text: what the service gave, and what the app wants back. */
  value: string
  expiresAt: number
}

export interface UsedConsent extends Consent {
  usedAt: number | undefined
  tokenHash: Buffer | undefined
  tokenShard: number | undefined
}

interface Row {
  shard: number
  hash: Buffer
  kind: 'code' | 'confirm'
  app_id: string
  service: string
  native_id: string
  account_id: string | null
  redirect_uri: string
  code_challenge: string | null
  browser: Buffer | null
  sealed: Buffer
  expires_at: number
  used_at: number | null
  token_hash: Buffer | null
  token_shard: number | null
}

type ExpiredRow = Pick<Row, 'shard' | 'hash' | 'app_id' | 'service' | 'sealed'>

const columns =
  'shard, hash, kind, app_id, service, native_id, account_id, redirect_uri, code_challenge, browser, sealed, expires_at'
// Holds the app as a foreign key would: one that is being deleted cannot be gone before its tokens are told of.
const insert = statement(
  'consent-insert',
  `insert into consent (${columns}) select $1::smallint, $2::bytea, $3, id, $5, $6, $7, $8, $9, $10::bytea, $11::bytea, $12::bigint
   from (select id from app where id = $4 for key share) app`,
)
const lock = statement(
  'consent-lock',
  `select ${columns}, used_at, token_hash, token_shard from consent where shard = $1 and hash = $2 for update`,
)
const use = statement(
  'consent-use',
  'update consent set used_at = $3, token_hash = $4, token_shard = $5 where shard = $1 and hash = $2',
)
const settle = statement(
  'consent-settle',
  "update consent set used_at = $3, sealed = $4, native_id = '' where shard = $1 and hash = $2",
)
// A used sign-in stands beside the account it joined, unless accounts were merged meanwhile.
const signedInHere = statement(
  'consent-signed-in-here',
  `select from consent c join access_token t on t.shard = c.token_shard and t.hash = c.token_hash
   where c.shard = $1 and c.browser = $2 and t.account_id = $3 and t.revoked_at is null limit 1`,
)
const expired = statement(
  'consent-lapsed',
  'select shard, hash, app_id, service, sealed from consent where used_at is null and expires_at < $1 limit 100 for update skip locked',
)
const unusedOf = statement(
  'consent-unused-of',
  'select shard, hash, app_id, service, sealed from consent where app_id = $1 and used_at is null limit 100',
)
const remove = statement('consent-delete', 'delete from consent where shard = $1 and hash = $2')
const purgeUsed = statement('consent-purge', 'delete from consent where used_at < $1')

const cellOf = (hash: Buffer) => ({ table: 'consent', row: hash.toString('hex'), column: 'sealed' })

/** False when the app is gone. */
export async function insertConsent(queries: Queries, keyring: Keyring, consent: Consent): Promise<boolean> {
  const inserted = await queries.count(insert, [
    consent.shard,
    consent.hash,
    consent.kind,
    consent.appId,
    consent.service,
    consent.nativeId,
    consent.accountId ?? null,
    consent.redirectUri,
    consent.codeChallenge ?? null,
    consent.browser ?? null,
    keyring.seal(consent.value, cellOf(consent.hash)),
    consent.expiresAt,
  ])
  return inserted > 0
}

/** Held until the transaction ends: of fifty redeemers at once, one comes first. */
export async function lockConsent(
  tx: Queries,
  keyring: Keyring,
  shard: number,
  hash: Buffer,
): Promise<UsedConsent | undefined> {
  const [row] = await tx.rows<Row>(lock, [shard, hash])
  return row && toConsent(keyring, row)
}

export async function useConsent(
  tx: Queries,
  consent: Consent,
  nowMs: number,
  token: { hash: Buffer; shard: number },
): Promise<void> {
  await tx.count(use, [consent.shard, consent.hash, nowMs, token.hash, token.shard])
}

/** The person answered: what the service gave leaves this row, and only the answer stays, for a second click. */
export async function settleConsent(
  tx: Queries,
  keyring: Keyring,
  { shard, hash }: Pick<Consent, 'shard' | 'hash'>,
  nowMs: number,
  value: string,
): Promise<void> {
  await tx.count(settle, [shard, hash, nowMs, keyring.seal(value, cellOf(hash))])
}

/** Did this browser sign into this account before, with a token that still opens it? */
export async function hasSignedIn(
  queries: Queries,
  browser: Buffer,
  account: { shard: number; id: string },
): Promise<boolean> {
  return (await queries.rows(signedInHere, [account.shard, browser, account.id])).length > 0
}

/** What is left of a consent that nobody redeemed in time. */
export interface ExpiredConsent extends Pick<Consent, 'shard' | 'hash' | 'appId' | 'service'> {
  /** Undefined when it cannot be opened: such a row must still go, and hold up no other. */
  value: string | undefined
}

export async function expiredConsents(tx: Queries, keyring: Keyring, nowMs: number): Promise<ExpiredConsent[]> {
  return (await tx.rows<ExpiredRow>(expired, [nowMs])).map((row) => toExpired(keyring, row))
}

/** Of an app that is being deleted: nobody can redeem them any more. */
export async function unusedConsentsOf(queries: Queries, keyring: Keyring, appId: string): Promise<ExpiredConsent[]> {
  return (await queries.rows<ExpiredRow>(unusedOf, [appId])).map((row) => toExpired(keyring, row))
}

function toExpired(keyring: Keyring, { shard, hash, app_id: appId, service, sealed }: ExpiredRow): ExpiredConsent {
  let value: string | undefined
  try {
    value = keyring.open(sealed, cellOf(hash))
  } catch (error) {
    if (!(error instanceof SealError)) throw error
  }
  return { shard, hash, appId, service, value }
}

export async function deleteConsent(tx: Queries, consent: Pick<Consent, 'shard' | 'hash'>): Promise<void> {
  await tx.count(remove, [consent.shard, consent.hash])
}

export async function purgeUsedConsents(queries: Queries, before: number): Promise<number> {
  return queries.count(purgeUsed, [before])
}

function toConsent(keyring: Keyring, row: Row): UsedConsent {
  return {
    shard: row.shard,
    hash: row.hash,
    kind: row.kind,
    appId: row.app_id,
    service: row.service,
    nativeId: row.native_id,
    accountId: row.account_id ?? undefined,
    redirectUri: row.redirect_uri,
    codeChallenge: row.code_challenge ?? undefined,
    browser: row.browser ?? undefined,
    value: keyring.open(row.sealed, cellOf(row.hash)),
    expiresAt: row.expires_at,
    usedAt: row.used_at ?? undefined,
    tokenHash: row.token_hash ?? undefined,
    tokenShard: row.token_shard ?? undefined,
  }
}
