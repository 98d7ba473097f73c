import { firstOf } from '#platform/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

/** An app that is being deleted with everything of its people, or was. */
export interface AppDeletion {
  appId: string
  name: string
  actor: string
  startedAt: number
  finishedAt: number | undefined
  /** Accounts when it began, and how many of them are erased. */
  accounts: number
  erased: number
  /** What became of the tokens that services had given. */
  revoked: number
  notSupported: number
  failed: number
  /** Since when only destinations are waited for. */
  waitingSince: number | undefined
  giveUp: boolean
  /** Destinations that went without having confirmed the erasure. */
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
  not_supported: number
  failed: number
  waiting_since: number | null
  give_up: boolean
  unconfirmed: number
  error: string | null
}

const columns =
  'app_id, name, actor, started_at, finished_at, accounts, erased, revoked, not_supported, failed, waiting_since, give_up, unconfirmed, error'
const lockApp = statement('deletion-lock-app', 'select name, deleting_at from app where id = $1 for update')
// Held until the transaction ends, as a foreign key would: an app cannot begin to go while somebody signs in.
const keepApp = statement('deletion-keep-app', 'select 1 from app where id = $1 and deleting_at is null for key share')
const setDeleting = statement('deletion-mark', 'update app set deleting_at = $2 where id = $1')
const countAccounts = statement('deletion-accounts', 'select count(*) as n from account where app_id = $1')
const insert = statement(
  'deletion-insert',
  `insert into app_deletion (app_id, name, actor, started_at, accounts, erased, revoked, not_supported, failed, give_up, unconfirmed, lease_until)
   values ($1, $2, $3, $4, $5, 0, 0, 0, 0, false, 0, 0) on conflict (app_id) do nothing`,
)
// A destination that rests or waits is tried at once; runs that began before stop, because it was changed.
const wakeDestinations = statement(
  'deletion-wake-destinations',
  `update destination set state = 'active', fails = 0, failing_since = null, next_attempt_at = 0, updated_at = greatest($2, updated_at + 1)
   where app_id = $1 and state <> 'disabled'`,
)
const find = statement('deletion-find', `select ${columns} from app_deletion where app_id = $1`)
const list = statement(
  'deletion-list',
  `select ${columns} from app_deletion order by started_at desc, app_id limit 100`,
)
const open = statement(
  'deletion-open',
  'select app_id from app_deletion where finished_at is null and lease_until <= $1 order by started_at limit 10',
)
const lease = statement(
  'deletion-lease',
  `update app_deletion set lease_until = $3 where app_id = $1 and finished_at is null and lease_until <= $2 returning ${columns}`,
)
const release = statement('deletion-release', 'update app_deletion set lease_until = 0, error = $2 where app_id = $1')
const count = statement(
  'deletion-count',
  `update app_deletion set erased = erased + $2, revoked = revoked + $3, not_supported = not_supported + $4, failed = failed + $5,
     lease_until = greatest(lease_until, $6), error = null where app_id = $1`,
)
const wait = statement(
  'deletion-wait',
  'update app_deletion set waiting_since = coalesce(waiting_since, $2) where app_id = $1 returning waiting_since, give_up',
)
const giveUp = statement('deletion-give-up', 'update app_deletion set give_up = true where app_id = $1')
const finish = statement(
  'deletion-finish',
  'update app_deletion set finished_at = $2, unconfirmed = $3, error = null where app_id = $1',
)
const purge = statement('deletion-purge', 'delete from app_deletion where finished_at < $1')
const deleting = statement('deletion-is-on', 'select 1 from app where id = $1 and deleting_at is not null')

/** The app, held until the transaction ends; undefined when there is none. */
export async function lockAppToDelete(
  tx: Queries,
  appId: string,
): Promise<{ name: string; isDeleting: boolean } | undefined> {
  const [row] = await tx.rows<{ name: string; deleting_at: number | null }>(lockApp, [appId])
  return row && { name: row.name, isDeleting: row.deleting_at !== null }
}

/** False when the app is gone or going; else it stays until the transaction ends. */
export async function keepAppFromDeletion(tx: Queries, appId: string): Promise<boolean> {
  return (await tx.rows(keepApp, [appId])).length > 0
}

export async function countAppAccounts(queries: Queries, appId: string): Promise<number> {
  return firstOf(await queries.rows<{ n: number }>(countAccounts, [appId])).n
}

/** From here on everything of the app is refused, and whoever looks after deletions goes on with it. */
export async function insertAppDeletion(
  tx: Queries,
  deletion: Pick<AppDeletion, 'appId' | 'name' | 'actor' | 'startedAt' | 'accounts'>,
): Promise<void> {
  const { appId, name, actor, startedAt, accounts } = deletion
  await tx.count(setDeleting, [appId, startedAt])
  await tx.count(insert, [appId, name, actor, startedAt, accounts])
  await tx.count(wakeDestinations, [appId, startedAt])
}

export async function findAppDeletion(queries: Queries, appId: string): Promise<AppDeletion | undefined> {
  const [row] = await queries.rows<Row>(find, [appId])
  return row && toDeletion(row)
}

/** The newest first. */
export async function listAppDeletions(queries: Queries): Promise<AppDeletion[]> {
  return (await queries.rows<Row>(list)).map(toDeletion)
}

/** Deletions that nobody is at work on. */
export async function openAppDeletions(queries: Queries, nowMs: number): Promise<string[]> {
  return (await queries.rows<{ app_id: string }>(open, [nowMs])).map((row) => row.app_id)
}

/** Undefined when it is over, or another process is at it. */
export async function leaseAppDeletion(
  queries: Queries,
  appId: string,
  nowMs: number,
  untilMs: number,
): Promise<AppDeletion | undefined> {
  const [row] = await queries.rows<Row>(lease, [appId, nowMs, untilMs])
  return row && toDeletion(row)
}

export async function releaseAppDeletion(queries: Queries, appId: string, error?: string): Promise<void> {
  await queries.count(release, [appId, error ?? null])
}

export interface Counted {
  erased: number
  revoked: number
  notSupported: number
  failed: number
}

/** In the transaction that erases, so that nothing is counted twice; moves the lease on as well. */
export async function countErased(tx: Queries, appId: string, counted: Counted, untilMs: number): Promise<void> {
  const { erased, revoked, notSupported, failed } = counted
  await tx.count(count, [appId, erased, revoked, notSupported, failed, untilMs])
}

/** Nothing is left here but what destinations have not taken out yet. */
export async function markWaiting(
  queries: Queries,
  appId: string,
  nowMs: number,
): Promise<{ sinceMs: number; giveUp: boolean }> {
  const row = firstOf(await queries.rows<{ waiting_since: number; give_up: boolean }>(wait, [appId, nowMs]))
  return { sinceMs: row.waiting_since, giveUp: row.give_up }
}

export async function giveUpDestinations(queries: Queries, appId: string): Promise<void> {
  await queries.count(giveUp, [appId])
}

export async function finishAppDeletion(tx: Queries, appId: string, nowMs: number, unconfirmed: number): Promise<void> {
  await tx.count(finish, [appId, nowMs, unconfirmed])
}

export async function purgeAppDeletions(queries: Queries, before: number): Promise<number> {
  return queries.count(purge, [before])
}

export async function isAppDeleting(queries: Queries, appId: string): Promise<boolean> {
  return (await queries.rows(deleting, [appId])).length > 0
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
    notSupported: row.not_supported,
    failed: row.failed,
    waitingSince: row.waiting_since ?? undefined,
    giveUp: row.give_up,
    unconfirmed: row.unconfirmed,
    error: row.error ?? undefined,
  }
}
