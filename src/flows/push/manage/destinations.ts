import { DeliveryError } from '#destinations/contract.ts'
import { type Destination, type DestinationKind, type DestinationSecrets, FEED_KIND } from '#model/apps/destination.ts'
import { ApiError } from '#model/errors.ts'
import { newId } from '#platform/crypto/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { auditDestination } from '#store/audit.ts'
import { addSweep, type CursorSweep } from '#store/push/cursor-sweeps.ts'
import { dropRecordedItems } from '#store/push/delivered-items.ts'
import { dropDeliveryRecords } from '#store/push/deliveries.ts'
import { openDestinationCursors, removeCursors, stopRunsOf } from '#store/push/destination-cursors.ts'
import {
  deleteDestination,
  findDestination,
  insertDestination,
  listDestinations,
  lockDestination,
  lockOwner,
  sealSecrets,
  setDestinationState,
  updateDestination,
} from '#store/push/destinations.ts'
import type { DeliverDeps } from '../deps.ts'
import { checkFilter } from '../filter.ts'
import { checkSchedule, hasSchedule, nextDue } from '../schedule.ts'
import { requireSecrets } from '../secrets.ts'
import { sweepCursors } from '../sweep-cursors.ts'
import { checkOptions, wantsEvents } from './destination-options.ts'
import { requireReachable } from './reachable-host.ts'

export interface NewDestination {
  name: string
  kind: DestinationKind
  url: string
  filter: string[]
  schedule?: string | undefined
  options?: Record<string, unknown> | undefined
}

/** Limit (push): destinations of one app; one more is refused. */
const MAX_DESTINATIONS = 20

/** Checks everything about a destination except its server, and builds it. */
export async function checkNew(
  deps: DeliverDeps,
  appId: string,
  input: NewDestination,
): Promise<{ destination: Destination; secrets: DestinationSecrets }> {
  const kind = deps.connections.kindOf(input.kind)
  const options = input.options ?? {}
  checkOptions(input.kind, kind, options)
  await requireReachable(deps.egress, kind.checkAddress(input.url, appId))
  const now = deps.clock.now()
  const schedule = checkSchedule(input.schedule ?? 'on_change')
  const destination: Destination = {
    id: `dst_${newId(now)}`,
    appId,
    name: input.name,
    kind: input.kind,
    filter: checkFilter(deps, input.filter),
    schedule,
    options,
    wantsEvents: wantsEvents(kind, options),
    state: 'active',
    lastError: undefined,
    fails: 0,
    failingSince: undefined,
    nextAttemptAt: 0,
    alerted: false,
    nextRunAt: nextDue(schedule, now),
    deaths: 0,
    aloneUntil: 0,
    createdAt: now,
    updatedAt: now,
  }
  const signing = kind.newSigning?.()
  return { destination, secrets: { url: input.url, ...(signing === undefined ? {} : { signing: [signing] }) } }
}

/** Names are unique within an app; its lock is held. */
function requireFreeName(others: Destination[], { id, name }: Destination): void {
  if (others.some((other) => other.name === name && other.id !== id))
    throw new ApiError('already_exists', `The app already has a destination “${name}”. Choose another name.`, {
      param: 'name',
    })
}

/** Creates a destination, which first gets a backfill and then every change. */
export async function addDestination(
  deps: DeliverDeps,
  appId: string,
  input: NewDestination,
  actor: string,
): Promise<{ destination: Destination; signing: string | undefined }> {
  const { destination, secrets } = await checkNew(deps, appId, input)
  const now = destination.createdAt
  await deps.database.transaction(async (tx) => {
    if (!(await lockOwner(tx, appId))) throw new ApiError('not_found', `There is no app ${appId}.`)
    const others = await listDestinations(tx, appId)
    if (others.length >= MAX_DESTINATIONS)
      throw new ApiError('bad_request', `An app has at most ${MAX_DESTINATIONS} destinations.`)
    requireFreeName(others, destination)
    await insertDestination(tx, deps.keyring, destination, secrets)
    await auditDestination(tx, destination, {
      at: deps.clock.now(),
      actor,
      action: 'push.add',
      detail: { kind: input.kind },
    })
  })
  // After the transaction, because a sign-in during it did not see the destination. Maintenance opens what is missing.
  await openDestinationCursors(deps.database, destination.id, now).catch((error: unknown) =>
    deps.log.warn('the cursors of a new destination are opened later', { destination: destination.id, error }),
  )
  return { destination, signing: secrets.signing?.[0] }
}

export async function findOwn(deps: Pick<DeliverDeps, 'database'>, appId: string, id: string): Promise<Destination> {
  const destination = await findDestination(deps.database, id)
  if (destination?.appId !== appId || destination.kind === FEED_KIND) throw new ApiError('not_found')
  return destination
}

export type DestinationChange = Partial<Omit<NewDestination, 'kind'>>

/** A new address or filter causes a backfill: items that match now may not have been delivered before. */
export async function changeDestination(
  deps: DeliverDeps,
  { id, kind: kindName, appId }: Destination,
  change: DestinationChange,
  actor: string,
): Promise<Destination> {
  const now = deps.clock.now()
  // Before the transaction, because a name may take long to resolve.
  if (change.url !== undefined)
    await requireReachable(deps.egress, deps.connections.kindOf(kindName).checkAddress(change.url, appId))
  const { changed, sweep } = await deps.database.transaction(async (tx) => {
    // The app first, as everywhere: names are unique within it.
    if (change.name !== undefined) await lockOwner(tx, appId)
    const { before, secrets } = await openLocked(deps, tx, id)
    const options = change.options ?? before.options
    const kind = deps.connections.kindOf(before.kind)
    if (change.options !== undefined) checkOptions(before.kind, kind, options)
    kind.checkAddress(change.url ?? secrets.url, before.appId)
    const schedule = change.schedule === undefined ? before.schedule : checkSchedule(change.schedule)
    const after: Destination = {
      ...before,
      name: change.name ?? before.name,
      filter: change.filter === undefined ? before.filter : checkFilter(deps, change.filter),
      schedule,
      options,
      wantsEvents: wantsEvents(kind, options),
      nextRunAt: change.schedule === undefined ? before.nextRunAt : nextDue(schedule, now),
      updatedAt: now,
    }
    if (change.name !== undefined) requireFreeName(await listDestinations(tx, appId), after)
    const url = change.url ?? secrets.url
    const isMoved = url !== secrets.url
    const needsBackfill = isMoved || change.filter !== undefined || targetOf(options) !== targetOf(before.options)
    if (isMoved) await sealSecrets(tx, deps.keyring, id, { ...secrets, url }, now)
    const updated = await updateDestination(tx, after)
    const isScheduled = hasSchedule(schedule)
    const needed: CursorSweep = {
      stopRuns: true,
      ...(change.schedule === undefined ? {} : { scheduled: isScheduled }),
      ...(change.schedule === undefined || isScheduled ? {} : { wake: true }),
      ...(needsBackfill ? { rewinds: [{ seq: 0 }] } : {}),
    }
    const added = await addSweep(tx, id, needed, now)
    await auditDestination(tx, after, {
      at: deps.clock.now(),
      actor,
      action: 'push.change',
      detail: { fields: Object.keys(change) },
    })
    return { changed: updated, sweep: added }
  })
  await sweepCursors(deps, id, sweep)
  return changed
}

/** The destination as it is now, locked until the transaction ends: concurrent changes must not undo each other. */
export async function openLocked(
  { keyring }: Pick<DeliverDeps, 'keyring'>,
  tx: Queries,
  id: string,
): Promise<{ before: Destination; secrets: DestinationSecrets }> {
  const before = await lockDestination(tx, id)
  if (before === undefined) throw new ApiError('not_found')
  return { before, secrets: await requireSecrets(keyring, tx, id) }
}

/** Options that change when rows and which events are delivered, but not where rows go. */
const SCHEDULE_FIELDS = ['quiet_hours', 'events']

/** Options that decide where and how rows are written, as a comparable text. */
function targetOf(options: Record<string, unknown>): string {
  return JSON.stringify(
    Object.entries(options)
      .filter(([name]) => !SCHEDULE_FIELDS.includes(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** With `dropTables`, also removes what we created at the destination; otherwise the rows stay there. */
export async function removeDestination(
  deps: DeliverDeps,
  destination: Destination,
  dropTables: boolean,
  actor: string,
): Promise<void> {
  if (dropTables) await stopAndDrop(deps, destination)
  await deps.database.transaction(async (tx) => {
    await lockDestination(tx, destination.id)
    await deleteDestination(tx, destination.id)
    await auditDestination(tx, destination, {
      at: deps.clock.now(),
      actor,
      action: 'push.delete',
      detail: { drop_tables: dropTables },
    })
  })
  // Without the destination nothing delivers by these rows. What is left after a kill is removed by maintenance.
  await removeCursors(deps.database, destination.id)
  await dropDeliveryRecords(deps.database, destination.id)
  await dropRecordedItems(deps.database, destination.id)
}

/**
 * Pauses the destination first: a run during the drop would create the tables again. When a part is removed it stays paused, because
 * deliveries would continue behind rows that are gone.
 */
async function stopAndDrop(deps: DeliverDeps, destination: Destination): Promise<void> {
  const { id, state } = destination
  const setState = async (to: Destination['state']) => {
    await setDestinationState(deps.database, id, to, deps.clock.now())
    await stopRunsOf(deps.database, id)
  }
  await setState('paused')
  try {
    await dropTarget(deps, destination)
  } catch (error) {
    const isPart = error instanceof DeliveryError && error.removed !== undefined
    if (!isPart) await setState(state === 'failing' ? 'active' : state)
    throw error instanceof DeliveryError ? dropFailed(error) : error
  }
}

function dropFailed({ message, removed }: DeliveryError): ApiError {
  const what =
    removed === undefined
      ? 'Nothing was deleted'
      : `Only a part was deleted (${removed} are gone) and the destination is paused; repeat the request to delete the rest`
  return new ApiError('destination_failed', `${what}: ${message}`)
}

async function dropTarget(deps: DeliverDeps, destination: Destination): Promise<void> {
  const secrets = await requireSecrets(deps.keyring, deps.database, destination.id)
  const connection = deps.connections.kindOf(destination.kind).open(deps, destination, secrets)
  try {
    await connection.drop()
  } finally {
    await connection.close()
  }
}
