import { firstOf } from '#platform/formats/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { keepApp, lockAppExclusively } from '../keys/app-locks.ts'

/** The deletion of an app with the data of all its accounts, running or finished. */
export interface AppDeletion {
  appId: string
  name: string
  actor: string
  startedAt: number
  finishedAt: number | undefined
  /** Accounts at the start, and how many of them are erased. */
  accounts: number
  erased: number
  /** Results of revoking tokens at the services. */
  revoked: number
  refused: number
  unreachable: number
  notOffered: number
  /** Since when the deletion only waits for destinations to erase their rows. */
  waitingSince: number | undefined
  giveUp: boolean
  /** Destinations removed without having confirmed the erasure. */
  unconfirmed: number
  error: string | undefined
}

interface Row {
  app_id: string
  name: string
  actor: string
  started_at: number
  finished_at: number | null
  accounts: number
  erased: number
  revoked: number
  refused: number
  failed: number
  not_supported: number
  waiting_since: number | null
  give_up: boolean
  unconfirmed: number
  error: string | null
}

const columns = `app_id, name, actor, started_at, finished_at, accounts, erased, revoked, refused, not_supported, failed,
  waiting_since, give_up, unconfirmed, error`
const lockApp = statement('deletion-lock-app', 'select name, deleting_at from app where id = $appId for update')
const setDeleting = statement('deletion-mark', 'update app set deleting_at = $deletingAt where id = $appId')
const countAccounts = statement('deletion-accounts', 'select count(*) as n from account where app_id = $appId')
const insert = statement(
  'deletion-insert',
  `insert into app_deletion (app_id, name, actor, started_at, accounts,
     erased, revoked, not_supported, failed, give_up, unconfirmed, lease_until)
   values ($appId, $name, $actor, $startedAt, 0, 0, 0, 0, 0, false, 0, 0) on conflict (app_id) do nothing`,
)
const setAccounts = statement(
  'deletion-set-accounts',
  'update app_deletion set accounts = $accounts where app_id = $appId',
)
// Paused and failing destinations are tried at once. Runs in progress stop, because `updated_at` changes.
const activateDestinations = statement(
  'deletion-wake-destinations',
  `update destination set state = 'active', fails = 0, failing_since = null, next_attempt_at = 0,
     updated_at = greatest($nowMs, updated_at + 1)
   where app_id = $appId and state <> 'disabled'`,
)
const find = statement('deletion-find', `select ${columns} from app_deletion where app_id = $appId`)
const list = statement(
  'deletion-list',
  `select ${columns} from app_deletion order by started_at desc, app_id limit 100`,
)
const listOpen = statement(
  'deletion-open',
  'select app_id from app_deletion where finished_at is null and lease_until <= $nowMs order by started_at limit 10',
)
const lease = statement(
  'deletion-lease',
  `update app_deletion set lease_until = $leaseUntil
   where app_id = $appId and finished_at is null and lease_until <= $nowMs returning ${columns}`,
)
const release = statement(
  'deletion-release',
  'update app_deletion set lease_until = 0, error = $error where app_id = $appId',
)
const addCounts = statement(
  'deletion-count',
  `update app_deletion set erased = erased + $erased, revoked = revoked + $revoked,
     refused = refused + $refused, failed = failed + $unreachable, not_supported = not_supported + $notOffered,
     lease_until = greatest(lease_until, $leaseUntil), error = null
   where app_id = $appId`,
)
const setWaiting = statement(
  'deletion-wait',
  `update app_deletion set waiting_since = coalesce(waiting_since, $nowMs) where app_id = $appId
   returning waiting_since, give_up`,
)
const setGiveUp = statement('deletion-give-up', 'update app_deletion set give_up = true where app_id = $appId')
// A step that was interrupted has removed cursors already, and counts fewer when it is repeated.
const addUnconfirmed = statement(
  'deletion-unconfirmed',
  'update app_deletion set unconfirmed = greatest(unconfirmed, $unconfirmed) where app_id = $appId returning unconfirmed',
)
const finish = statement(
  'deletion-finish',
  'update app_deletion set finished_at = $finishedAt, error = null where app_id = $appId',
)
const purge = statement('deletion-purge', 'delete from app_deletion where finished_at < $before')
const findDeleting = statement('deletion-is-on', 'select 1 from app where id = $appId and deleting_at is not null')

/** Locks the app until the transaction ends; undefined when there is none. */
export async function lockAppToDelete(
  tx: Queries,
  appId: string,
): Promise<{ name: string; isDeleting: boolean } | undefined> {
  await lockAppExclusively(tx, appId)
  const [row] = await tx.rows<{ name: string; deleting_at: number | null }>(lockApp.with({ appId }))
  return row && { name: row.name, isDeleting: row.deleting_at !== null }
}

/** Keeps the app until the transaction ends. False when it is deleted or being deleted. */
export async function keepAppFromDeletion(tx: Queries, appId: string): Promise<boolean> {
  return (await keepApp(tx, appId)) === 'active'
}

export async function countAppAccounts(queries: Queries, appId: string): Promise<number> {
  return firstOf(await queries.rows<{ n: number }>(countAccounts.with({ appId }))).n
}

/** From now on all requests of the app are refused, and a worker continues the deletion. */
export async function insertAppDeletion(
  tx: Queries,
  deletion: Pick<AppDeletion, 'appId' | 'name' | 'actor' | 'startedAt'>,
): Promise<void> {
  const { appId, name, actor, startedAt } = deletion
  await tx.count(setDeleting.with({ appId, deletingAt: startedAt }))
  await tx.count(insert.with({ appId, name, actor, startedAt }))
  await tx.count(activateDestinations.with({ appId, nowMs: startedAt }))
}

/** How many accounts the app had at the start. */
export async function setDeletionAccounts(tx: Queries, appId: string, accounts: number): Promise<void> {
  await tx.count(setAccounts.with({ appId, accounts }))
}

export async function findAppDeletion(queries: Queries, appId: string): Promise<AppDeletion | undefined> {
  const [row] = await queries.rows<Row>(find.with({ appId }))
  return row && toDeletion(row)
}

/** The newest first. */
export async function listAppDeletions(queries: Queries): Promise<AppDeletion[]> {
  return (await queries.rows<Row>(list)).map(toDeletion)
}

/** Unfinished deletions that no process works on. */
export async function openAppDeletions(queries: Queries, nowMs: number): Promise<string[]> {
  return (await queries.rows<{ app_id: string }>(listOpen.with({ nowMs }))).map((row) => row.app_id)
}

/** Undefined when the deletion is finished or another process has the lease. */
export async function leaseAppDeletion(
  queries: Queries,
  appId: string,
  nowMs: number,
  leaseUntil: number,
): Promise<AppDeletion | undefined> {
  const [row] = await queries.rows<Row>(lease.with({ appId, nowMs, leaseUntil }))
  return row && toDeletion(row)
}

export async function releaseAppDeletion(queries: Queries, appId: string, error?: string): Promise<void> {
  await queries.count(release.with({ appId, error: error ?? null }))
}

export interface Counted {
  erased: number
  revoked: number
  refused: number
  unreachable: number
  notOffered: number
}

/** Call it in the transaction that erases, so that nothing is counted twice. Extends the lease, too. */
export async function countErased(tx: Queries, appId: string, counted: Counted, leaseUntil: number): Promise<void> {
  await tx.count(addCounts.with({ appId, ...counted, leaseUntil }))
}

/** Everything here is erased; only rows at destinations are left. */
export async function markWaiting(
  queries: Queries,
  appId: string,
  nowMs: number,
): Promise<{ sinceMs: number; giveUp: boolean }> {
  const set = setWaiting.with({ appId, nowMs })
  const row = firstOf(await queries.rows<{ waiting_since: number; give_up: boolean }>(set))
  return { sinceMs: row.waiting_since, giveUp: row.give_up }
}

export async function giveUpDestinations(queries: Queries, appId: string): Promise<void> {
  await queries.count(setGiveUp.with({ appId }))
}

/** Before the cursors of these destinations are removed. Returns how many did not confirm, also those of an interrupted attempt. */
export async function recordUnconfirmed(queries: Queries, appId: string, unconfirmed: number): Promise<number> {
  const rows = await queries.rows<{ unconfirmed: number }>(addUnconfirmed.with({ appId, unconfirmed }))
  return firstOf(rows).unconfirmed
}

export async function finishAppDeletion(tx: Queries, appId: string, nowMs: number): Promise<void> {
  await tx.count(finish.with({ appId, finishedAt: nowMs }))
}

export async function purgeAppDeletions(queries: Queries, before: number): Promise<number> {
  return queries.count(purge.with({ before }))
}

export async function isAppDeleting(queries: Queries, appId: string): Promise<boolean> {
  return (await queries.rows(findDeleting.with({ appId }))).length > 0
}

function toDeletion(row: Row): AppDeletion {
  return {
    appId: row.app_id,
    name: row.name,
    actor: row.actor,
    startedAt: row.started_at,
    finishedAt: row.finished_at ?? undefined,
    accounts: row.accounts,
    erased: row.erased,
    revoked: row.revoked,
    refused: row.refused,
    unreachable: row.failed,
    notOffered: row.not_supported,
    waitingSince: row.waiting_since ?? undefined,
    giveUp: row.give_up,
    unconfirmed: row.unconfirmed,
    error: row.error ?? undefined,
  }
}
