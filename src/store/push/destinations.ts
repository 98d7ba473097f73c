import { ALONE_MS, MAX_DEATHS } from '#model/deaths.ts'
import type { Destination, DestinationKind, DestinationSecrets, DestinationState } from '#model/destination.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Keyring } from '#platform/sealing.ts'

interface Row {
  id: string
  app_id: string
  name: string
  kind: DestinationKind
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

const columns =
  'id, app_id, name, kind, filter, schedule, options, wants_events, state, last_error, fails, failing_since, next_attempt_at, alerted, next_run_at, deaths, alone_until, created_at, updated_at'
const insert = statement(
  'destination-insert',
  `insert into destination (id, app_id, name, kind, sealed, filter, schedule, options, state, fails, next_attempt_at, next_run_at, created_at, updated_at, wants_events)
   values ($id, $appId, $name, $kind, $sealed, $filter, $schedule, $options, 'active', 0, 0, $nextRunAt, $createdAt, $createdAt, $wantsEvents)`,
)
const lockApp = statement('destination-lock-app', 'select id from app where id = $appId for update')
const list = statement(
  'destination-list',
  `select ${columns} from destination where app_id = $appId order by created_at, id`,
)
const find = statement('destination-find', `select ${columns} from destination where id = $id`)
const lock = statement('destination-lock', `select ${columns} from destination where id = $id for update`)
const findSealed = statement('destination-sealed', 'select sealed from destination where id = $id')
const bump = 'updated_at = greatest($nowMs, updated_at + 1)'
const update = statement(
  'destination-update',
  `update destination set name = $name, filter = $filter, schedule = $schedule, options = $options, next_run_at = $nextRunAt, wants_events = $wantsEvents, ${bump}
   where id = $id returning updated_at`,
)
const seal = statement('destination-seal', `update destination set sealed = $sealed, ${bump} where id = $id`)
const setState = statement(
  'destination-state',
  `update destination set state = $state, fails = 0, failing_since = null, next_attempt_at = 0, alerted = false, last_error = null,
     deaths = least(deaths, ${MAX_DEATHS - 1}), alone_until = case when deaths > 0 then $nowMs::bigint + ${ALONE_MS} else 0 end, ${bump} where id = $id`,
)
const recover = statement(
  'destination-recover',
  `update destination d set state = 'active', fails = 0, failing_since = null, next_attempt_at = 0, last_error = null, alerted = false
   from (select alerted from destination where id = $id for update) old where d.id = $id and d.state = 'failing' returning old.alerted`,
)
// Several runs that meet the same failure count as one: only the first finds the number it knew.
const fail = statement(
  'destination-fail',
  `update destination set state = $state, fails = fails + 1, failing_since = coalesce(failing_since, $nowMs), next_attempt_at = $nextAttemptAt,
     last_error = $error, alerted = alerted or $alerts
   where id = $id and state in ('active', 'failing') and fails = $fails`,
)
const claim = statement(
  'destination-claim',
  `update destination set next_attempt_at = $untilMs where id = $id and state = 'failing' and next_attempt_at <= $nowMs`,
)
const due = statement(
  'destination-due',
  `select found.* from (
     select ${columns}, (select count(*) from (select 1 from delivery_cursor c where c.destination_id = d.id and c.due_at <= $nowMs limit $most) c) as due,
       exists (select 1 from push_event e where e.destination_id = d.id) as tells
     from destination d where d.state = 'active' or (d.state = 'failing' and d.next_attempt_at <= $nowMs)) found
   where found.due > 0 or found.tells`,
)
const erasing = statement(
  'destination-erasing',
  'select exists (select 1 from delivery_cursor c where c.destination_id = $id and c.due_at <= $nowMs and c.erase) as yes',
)
const ticking = statement(
  'destination-ticking',
  `select ${columns} from destination where next_run_at <= $nowMs and state in ('active', 'failing')`,
)
const tick = statement(
  'destination-tick',
  'update destination set next_run_at = $next where id = $id and next_run_at = $known',
)
const states = statement(
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

/** Holds the app until the transaction ends, so that its destinations can be counted. False when there is no such app. */
export async function lockOwner(tx: Queries, appId: string): Promise<boolean> {
  return (await tx.rows(lockApp.with({ appId }))).length > 0
}

export async function listDestinations(queries: Queries, appId: string): Promise<Destination[]> {
  return (await queries.rows<Row>(list.with({ appId }))).map(toDestination)
}

export async function findDestination(queries: Queries, id: string): Promise<Destination | undefined> {
  const [row] = await queries.rows<Row>(find.with({ id }))
  return row && toDestination(row)
}

/** As it is now, and as it stays until the transaction ends. */
export async function lockDestination(tx: Queries, id: string): Promise<Destination | undefined> {
  const [row] = await tx.rows<Row>(lock.with({ id }))
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

/** Gives it as it is now: every change has a later time than the one before, so that a run can tell. */
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
  await tx.count(seal.with({ id, nowMs, sealed: keyring.seal(JSON.stringify(secrets), cellOf(id)) }))
}

/** By somebody's word: whatever failed before is forgotten. Where workers died of it, the next try is alone, and the last. */
export async function setDestinationState(
  tx: Queries,
  id: string,
  state: DestinationState,
  nowMs: number,
): Promise<void> {
  await tx.count(setState.with({ id, nowMs, state }))
}

/** Undefined when it had not been failing; else whether somebody had been told that it was. */
export async function recoverDestination(tx: Queries, id: string): Promise<{ alerted: boolean } | undefined> {
  return (await tx.rows<{ alerted: boolean }>(recover.with({ id })))[0]
}

export interface Failure {
  state: DestinationState
  nowMs: number
  nextAttemptAt: number
  error: string
  /** How many the caller knows of. */
  fails: number
  alerts: boolean
}

/** False when another run has counted it already, or somebody has paused it. */
export async function failDestination(tx: Queries, id: string, failure: Failure): Promise<boolean> {
  return (await tx.count(fail.with({ id, ...failure }))) > 0
}

/** Makes the caller the one run that tries whether a failing destination works again. */
export async function claimAttempt(queries: Queries, id: string, nowMs: number, untilMs: number): Promise<boolean> {
  return (await queries.count(claim.with({ id, nowMs, untilMs }))) > 0
}

export interface DueDestination {
  destination: Destination
  /** Profiles that are due, counted no further than asked. */
  due: number
}

/** Destinations that work, or whose time to be tried again has come, and that have something to do. */
export async function dueDestinations(queries: Queries, nowMs: number, most: number): Promise<DueDestination[]> {
  const rows = await queries.rows<Row & { due: number }>(due.with({ nowMs, most }))
  return rows.map((row) => ({ destination: toDestination(row), due: row.due }))
}

export async function hasErasures(queries: Queries, id: string, nowMs: number): Promise<boolean> {
  return (await queries.rows<{ yes: boolean }>(erasing.with({ id, nowMs })))[0]?.yes === true
}

/** Destinations whose schedule says now. */
export async function tickingDestinations(queries: Queries, nowMs: number): Promise<Destination[]> {
  return (await queries.rows<Row>(ticking.with({ nowMs }))).map(toDestination)
}

export async function moveTick(
  queries: Queries,
  destination: Destination,
  nextRunAt: number | undefined,
): Promise<void> {
  await queries.count(tick.with({ id: destination.id, known: destination.nextRunAt ?? null, next: nextRunAt ?? null }))
}

export async function countDestinations(queries: Queries): Promise<{ kind: string; state: string; n: number }[]> {
  return queries.rows(states)
}

export async function deleteDestination(tx: Queries, id: string): Promise<void> {
  await tx.count(remove.with({ id }))
}

function toDestination(row: Row): Destination {
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
