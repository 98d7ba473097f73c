import { type Keyring, SealError } from '#platform/crypto/sealing.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'
import { keepApp } from '../keys/app-locks.ts'

/** A finished sign-in that waits for the app to redeem it (`code`), the person to confirm it (`confirm`), or the choice of a tenant (`choose`). */
export interface Consent {
  shard: number
  hash: Buffer
  kind: 'code' | 'confirm' | 'choose'
  appId: string
  service: string
  nativeId: string
  accountId: string | undefined
  redirectUri: string
  codeChallenge: string | undefined
  browser: Buffer | undefined
  /** JSON text: the service's credential and profile, and what is returned to the app. */
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
  kind: 'code' | 'confirm' | 'choose'
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
const insert = statement(
  'consent-insert',
  `insert into consent (${columns})
   values ($shard, $hash, $kind, $appId, $service, $nativeId, $accountId, $redirectUri, $codeChallenge, $browser, $sealed,
     $expiresAt)`,
)
const lock = statement(
  'consent-lock',
  `select ${columns}, used_at, token_hash, token_shard from consent where shard = $shard and hash = $hash for update`,
)
const markUsed = statement(
  'consent-use',
  `update consent set used_at = $usedAt, token_hash = $tokenHash, token_shard = $tokenShard
   where shard = $shard and hash = $hash`,
)
const storeDecision = statement(
  'consent-settle',
  `update consent set used_at = $usedAt, sealed = $sealed, native_id = '' where shard = $shard and hash = $hash`,
)
// A used consent and its token are in the shard of the account, unless that account was merged since.
const findSignIn = statement(
  'consent-signed-in-here',
  `select from consent c join access_token t on t.shard = c.shard and t.hash = c.token_hash
   where c.shard = $shard and c.token_shard = c.shard and c.browser = $browser and t.account_id = $accountId
     and t.revoked_at is null limit 1`,
)
const findExpired = statement(
  'consent-expired',
  'select shard, hash from consent where used_at is null and expires_at < $nowMs limit $limit',
)
const takeExpired = statement(
  'consent-take-expired',
  `delete from consent where shard = $shard and hash = $hash and used_at is null and expires_at < $nowMs
   returning shard, hash, app_id, service, sealed`,
)
const listUnused = statement(
  'consent-unused-of',
  'select shard, hash, app_id, service, sealed from consent where app_id = $appId and used_at is null limit 100',
)
const remove = statement('consent-delete', 'delete from consent where shard = $shard and hash = $hash')
const purgeUsed = statement('consent-purge', deleteSome('consent', 'shard, hash', 'used_at < $before'))

/** Where the sealed content of a consent belongs. */
export const sealedConsentCell = (hash: Buffer) => ({ table: 'consent', row: hash.toString('hex'), column: 'sealed' })

/**
 * False when the app does not exist any more. Keeps the app: it is not deleted before its deletion has found and revoked this
 * credential.
 */
export async function insertConsent(tx: Queries, keyring: Keyring, consent: Consent): Promise<boolean> {
  const { shard, hash, kind, appId, service, nativeId, redirectUri, expiresAt } = consent
  if ((await keepApp(tx, appId)) === 'gone') return false
  await tx.count(
    insert.with({
      shard,
      hash,
      kind,
      appId,
      service,
      nativeId,
      accountId: consent.accountId ?? null,
      redirectUri,
      codeChallenge: consent.codeChallenge ?? null,
      browser: consent.browser ?? null,
      sealed: keyring.seal(consent.value, sealedConsentCell(hash)),
      expiresAt,
    }),
  )
  return true
}

/** Locked until the transaction ends, so that concurrent requests cannot redeem a code twice. */
export async function lockConsent(
  tx: Queries,
  keyring: Keyring,
  shard: number,
  hash: Buffer,
): Promise<UsedConsent | undefined> {
  const [row] = await tx.rows<Row>(lock.with({ shard, hash }))
  return row && toConsent(keyring, row)
}

export async function useConsent(
  tx: Queries,
  consent: Consent,
  nowMs: number,
  token: { hash: Buffer; shard: number },
): Promise<void> {
  const { shard, hash } = consent
  await tx.count(markUsed.with({ shard, hash, usedAt: nowMs, tokenHash: token.hash, tokenShard: token.shard }))
}

/** The person decided: the decision replaces the credential in this row, for a repeated click. */
export async function settleConsent(
  tx: Queries,
  keyring: Keyring,
  { shard, hash }: Pick<Consent, 'shard' | 'hash'>,
  nowMs: number,
  value: string,
): Promise<void> {
  await tx.count(
    storeDecision.with({ shard, hash, usedAt: nowMs, sealed: keyring.seal(value, sealedConsentCell(hash)) }),
  )
}

/** Whether this browser signed in to this account before, with a token that is still valid. */
export async function hasSignedIn(
  queries: Queries,
  browser: Buffer,
  account: { shard: number; id: string },
): Promise<boolean> {
  const values = { shard: account.shard, browser, accountId: account.id }
  return (await queries.rows(findSignIn.with(values))).length > 0
}

/** A consent that was not redeemed in time. */
export interface ExpiredConsent extends Pick<Consent, 'shard' | 'hash' | 'appId' | 'service'> {
  /** Undefined when it cannot be opened: such a row is still deleted and must not block the others. */
  value: string | undefined
}

/** Some consents that were not redeemed in time, of any shard. None is locked: `takeExpiredConsent` decides. */
export async function expiredConsents(
  queries: Queries,
  nowMs: number,
  limit: number,
): Promise<Pick<Consent, 'shard' | 'hash'>[]> {
  return queries.rows(findExpired.with({ nowMs, limit }))
}

/** Deletes an expired consent. Undefined when another process was first, or the code was redeemed meanwhile. */
export async function takeExpiredConsent(
  queries: Queries,
  keyring: Keyring,
  { shard, hash }: Pick<Consent, 'shard' | 'hash'>,
  nowMs: number,
): Promise<ExpiredConsent | undefined> {
  const [row] = await queries.rows<ExpiredRow>(takeExpired.with({ shard, hash, nowMs }))
  return row && toExpired(keyring, row)
}

/** For an app that is being deleted: its consents cannot be redeemed any more. */
export async function unusedConsentsOf(queries: Queries, keyring: Keyring, appId: string): Promise<ExpiredConsent[]> {
  return (await queries.rows<ExpiredRow>(listUnused.with({ appId }))).map((row) => toExpired(keyring, row))
}

function toExpired(keyring: Keyring, { shard, hash, app_id: appId, service, sealed }: ExpiredRow): ExpiredConsent {
  let value: string | undefined
  try {
    value = keyring.open(sealed, sealedConsentCell(hash))
  } catch (error) {
    if (!(error instanceof SealError)) throw error
  }
  return { shard, hash, appId, service, value }
}

export async function deleteConsent(tx: Queries, consent: Pick<Consent, 'shard' | 'hash'>): Promise<void> {
  await tx.count(remove.with({ shard: consent.shard, hash: consent.hash }))
}

export function purgeUsedConsents(queries: Queries, before: number): Promise<Batch> {
  return deleteBatch(queries, purgeUsed.with({ before }))
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
    value: keyring.open(row.sealed, sealedConsentCell(row.hash)),
    expiresAt: row.expires_at,
    usedAt: row.used_at ?? undefined,
    tokenHash: row.token_hash ?? undefined,
    tokenShard: row.token_shard ?? undefined,
  }
}
