import type { Destination, DestinationSecrets, DestinationState } from '#model/apps/destination.ts'
import { ALONE_MS, MAX_DEATHS } from '#model/sync/deaths.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

export interface DestinationRow {
  id: string
  app_id: string
  name: string
  kind: Destination['kind']
  filter: string[]
  schedule: string
  options: Record<string, unknown>
  wants_events: boolean
  state: DestinationState
  last_error: string | null
  fails: number
  failing_since: number | null
  next_attempt_at: number
  alerted: boolean
  next_run_at: number | null
  deaths: number
  alone_until: number
  created_at: number
  updated_at: number
}

export const destinationColumns = `id, app_id, name, kind, filter, schedule, options, wants_events, state, last_error, fails,
  failing_since, next_attempt_at, alerted, next_run_at, deaths, alone_until, created_at, updated_at`
const insert = statement(
  'destination-insert',
  `insert into destination (id, app_id, name, kind, sealed, filter, schedule, options, state, fails, next_attempt_at,
     next_run_at, created_at, updated_at, wants_events)
   values ($id, $appId, $name, $kind, $sealed, $filter, $schedule, $options, 'active', 0, 0,
     $nextRunAt, $createdAt, $createdAt, $wantsEvents)`,
)
// Weaker than that of a deletion: a transaction that writes a destination twice also locks the key of its app, and both would wait
// for each other.
const lockApp = statement('destination-lock-app', 'select id from app where id = $appId for no key update')
const list = statement(
  'destination-list',
  `select ${destinationColumns} from destination where app_id = $appId and kind <> 'feed' order by created_at, id`,
)
const find = statement('destination-find', `select ${destinationColumns} from destination where id = $id`)
const lock = statement('destination-lock', `select ${destinationColumns} from destination where id = $id for update`)
const findSealed = statement('destination-sealed', 'select sealed from destination where id = $id')
const laterUpdatedAt = 'updated_at = greatest($nowMs, updated_at + 1)'
const update = statement(
  'destination-update',
  `update destination set name = $name, filter = $filter, schedule = $schedule, options = $options,
     next_run_at = $nextRunAt, wants_events = $wantsEvents, ${laterUpdatedAt}
   where id = $id returning updated_at`,
)
const updateSealed = statement(
  'destination-seal',
  `update destination set sealed = $sealed, ${laterUpdatedAt} where id = $id`,
)
const noFailures = 'fails = 0, failing_since = null, next_attempt_at = 0, last_error = null, alerted = false'
const setState = statement(
  'destination-state',
  `update destination set state = $state, ${noFailures}, deaths = least(deaths, ${MAX_DEATHS - 1}),
     alone_until = case when deaths > 0 then $nowMs::bigint + ${ALONE_MS} else 0 end, ${laterUpdatedAt}
   where id = $id`,
)
const recover = statement(
  'destination-recover',
  `update destination d set state = 'active', ${noFailures}
   from (select alerted from destination where id = $id for update) old
   where d.id = $id and d.state = 'failing' returning old.alerted`,
)
// Concurrent runs that meet the same failure count once: only the first still finds the number that it read.
const fail = statement(
  'destination-fail',
  `update destination set state = $state, fails = fails + 1, failing_since = coalesce(failing_since, $nowMs),
     next_attempt_at = $nextAttemptAt, last_error = $error, alerted = alerted or $alerts
   where id = $id and state in ('active', 'failing') and fails = $fails`,
)
const claim = statement(
  'destination-claim',
  `update destination set next_attempt_at = $untilMs
   where id = $id and state = 'failing' and next_attempt_at <= $nowMs`,
)
const findScheduled = statement(
  'destination-ticking',
  `select ${destinationColumns} from destination where next_run_at <= $nowMs and state in ('active', 'failing')`,
)
const setNextRun = statement(
  'destination-tick',
  'update destination set next_run_at = $nextRunAt where id = $id and next_run_at = $previousRunAt',
)
const countByState = statement(
  'destination-states',
  'select kind, state, count(*) as n from destination group by kind, state',
)
const remove = statement('destination-delete', 'delete from destination where id = $id')

const cellOf = (id: string) => ({ table: 'destination', row: id, column: 'sealed' })

export async function insertDestination(
  tx: Queries,
  keyring: Keyring,
  destination: Destination,
  secrets: DestinationSecrets,
): Promise<void> {
  const { id, appId, name, kind, filter, schedule, createdAt, wantsEvents } = destination
  const sealed = keyring.seal(JSON.stringify(secrets), cellOf(id))
  const options = JSON.stringify(destination.options)
  const nextRunAt = destination.nextRunAt ?? null
  await tx.count(
    insert.with({ id, appId, name, kind, sealed, filter, schedule, options, nextRunAt, createdAt, wantsEvents }),
  )
}

/** Locks the app, so that the number of its destinations does not change. False when it does not exist. */
export async function lockOwner(tx: Queries, appId: string): Promise<boolean> {
  return (await tx.rows(lockApp.with({ appId }))).length > 0
}

export async function listDestinations(queries: Queries, appId: string): Promise<Destination[]> {
  return (await queries.rows<DestinationRow>(list.with({ appId }))).map(toDestination)
}

export async function findDestination(queries: Queries, id: string): Promise<Destination | undefined> {
  const [row] = await queries.rows<DestinationRow>(find.with({ id }))
  return row && toDestination(row)
}

/** Reads it and locks it until the transaction ends. */
export async function lockDestination(tx: Queries, id: string): Promise<Destination | undefined> {
  const [row] = await tx.rows<DestinationRow>(lock.with({ id }))
  return row && toDestination(row)
}

export async function openSecrets(
  queries: Queries,
  keyring: Keyring,
  id: string,
): Promise<DestinationSecrets | undefined> {
  const [row] = await queries.rows<{ sealed: Buffer }>(findSealed.with({ id }))
  return row && (JSON.parse(keyring.open(row.sealed, cellOf(id))) as DestinationSecrets)
}

/** Returns it with its new `updatedAt`, which is later than every previous one: a run detects a change by it. */
export async function updateDestination(tx: Queries, destination: Destination): Promise<Destination> {
  const { id, name, filter, schedule, updatedAt, wantsEvents } = destination
  const options = JSON.stringify(destination.options)
  const nextRunAt = destination.nextRunAt ?? null
  const values = { id, nowMs: updatedAt, name, filter, schedule, options, nextRunAt, wantsEvents }
  const [row] = await tx.rows<{ updated_at: number }>(update.with(values))
  return { ...destination, updatedAt: row?.updated_at ?? updatedAt }
}

export async function sealSecrets(
  tx: Queries,
  keyring: Keyring,
  id: string,
  secrets: DestinationSecrets,
  nowMs: number,
): Promise<void> {
  await tx.count(updateSealed.with({ id, nowMs, sealed: keyring.seal(JSON.stringify(secrets), cellOf(id)) }))
}

/** Sets a state on request and clears failures. After deaths of workers, one more attempt is made, in isolation. */
export async function setDestinationState(
  tx: Queries,
  id: string,
  state: DestinationState,
  nowMs: number,
): Promise<void> {
  await tx.count(setState.with({ id, nowMs, state }))
}

/** Undefined when it was not failing; otherwise whether its failure was announced by an event. */
export async function recoverDestination(tx: Queries, id: string): Promise<{ alerted: boolean } | undefined> {
  return (await tx.rows<{ alerted: boolean }>(recover.with({ id })))[0]
}

export interface Failure {
  state: DestinationState
  nowMs: number
  nextAttemptAt: number
  error: string
  /** The number of failures before this one, as the caller read it. */
  fails: number
  alerts: boolean
}

/** False when another run has already counted the failure, or the destination was paused. */
export async function failDestination(tx: Queries, id: string, failure: Failure): Promise<boolean> {
  return (await tx.count(fail.with({ id, ...failure }))) > 0
}

/** Makes the caller the only run that tests whether a failing destination works again. */
export async function claimAttempt(queries: Queries, id: string, nowMs: number, untilMs: number): Promise<boolean> {
  return (await queries.count(claim.with({ id, nowMs, untilMs }))) > 0
}

/** Destinations whose scheduled run is due. */
export async function tickingDestinations(queries: Queries, nowMs: number): Promise<Destination[]> {
  return (await queries.rows<DestinationRow>(findScheduled.with({ nowMs }))).map(toDestination)
}

export async function moveTick(
  queries: Queries,
  destination: Destination,
  nextRunAt: number | undefined,
): Promise<void> {
  const values = { id: destination.id, previousRunAt: destination.nextRunAt ?? null, nextRunAt: nextRunAt ?? null }
  await queries.count(setNextRun.with(values))
}

export async function countDestinations(queries: Queries): Promise<{ kind: string; state: string; n: number }[]> {
  return queries.rows(countByState)
}

export async function deleteDestination(tx: Queries, id: string): Promise<void> {
  await tx.count(remove.with({ id }))
}

export function toDestination(row: DestinationRow): Destination {
  return {
    id: row.id,
    appId: row.app_id,
    name: row.name,
    kind: row.kind,
    filter: row.filter,
    schedule: row.schedule,
    options: row.options,
    wantsEvents: row.wants_events,
    state: row.state,
    lastError: row.last_error ?? undefined,
    fails: row.fails,
    failingSince: row.failing_since ?? undefined,
    nextAttemptAt: row.next_attempt_at,
    alerted: row.alerted,
    nextRunAt: row.next_run_at ?? undefined,
    deaths: row.deaths,
    aloneUntil: row.alone_until,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
