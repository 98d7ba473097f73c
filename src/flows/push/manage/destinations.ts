import { DeliveryError } from '#destinations/contract.ts'
import type { Destination, DestinationKind, DestinationSecrets } from '#model/destination.ts'
import { ApiError } from '#model/errors.ts'
import { newId } from '#platform/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import type { Keyring } from '#platform/sealing.ts'
import { auditDestination } from '#store/audit.ts'
import {
  openDestinationCursors,
  removeCursors,
  rewindCursors,
  setCursorsScheduled,
  stopRunsOf,
  wakeCursors,
} from '#store/push/cursors.ts'
import { dropDeliveryRecords } from '#store/push/deliveries.ts'
import {
  deleteDestination,
  findDestination,
  insertDestination,
  listDestinations,
  lockDestination,
  lockOwner,
  openSecrets,
  sealSecrets,
  setDestinationState,
  updateDestination,
} from '#store/push/destinations.ts'
import type { DeliverDeps } from '../deps.ts'
import { checkFilter } from '../filter.ts'
import { checkSchedule, hasSchedule, nextDue } from '../schedule.ts'
import { checkOptions, wantsEvents } from './destination-options.ts'

export interface NewDestination {
  name: string
  kind: DestinationKind
  url: string
  filter: string[]
  schedule?: string | undefined
  options?: Record<string, unknown> | undefined
}

/** Limit: destinations of one app; one more is refused. */
const MAX_DESTINATIONS = 20

/** Makes a destination and sends it everything there is, then every change. */
export async function addDestination(
  deps: DeliverDeps,
  appId: string,
  input: NewDestination,
  actor: string,
): Promise<{ destination: Destination; signing: string | undefined }> {
  const kind = deps.connections.kindOf(input.kind)
  const options = input.options ?? {}
  kind.checkAddress(input.url, appId)
  checkOptions(input.kind, kind, options)
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
  const secrets: DestinationSecrets = { url: input.url, ...(signing === undefined ? {} : { signing: [signing] }) }
  await deps.database.transaction(async (tx) => {
    if (!(await lockOwner(tx, appId))) throw new ApiError('not_found', `There is no app ${appId}.`)
    if ((await listDestinations(tx, appId)).length >= MAX_DESTINATIONS)
      throw new ApiError('bad_request', `An app has at most ${MAX_DESTINATIONS} destinations.`)
    await insertDestination(tx, deps.keyring, destination, secrets)
    await openDestinationCursors(tx, destination.id, now)
    await auditDestination(tx, destination, {
      at: deps.clock.now(),
      actor,
      action: 'push.add',
      detail: { kind: input.kind },
    })
  })
  // Whoever signed in meanwhile saw no destination yet.
  await openDestinationCursors(deps.database, destination.id, now)
  return { destination, signing }
}

export async function findOwn(deps: Pick<DeliverDeps, 'database'>, appId: string, id: string): Promise<Destination> {
  const destination = await findDestination(deps.database, id)
  if (destination?.appId !== appId) throw new ApiError('not_found')
  return destination
}

export type DestinationChange = Partial<Omit<NewDestination, 'kind'>>

/** Another address or filter sends everything again: what it shows may have been left out before. */
export async function changeDestination(
  deps: DeliverDeps,
  { id }: Destination,
  change: DestinationChange,
  actor: string,
): Promise<Destination> {
  const now = deps.clock.now()
  return deps.database.transaction(async (tx) => {
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
    const url = change.url ?? secrets.url
    const isElsewhere = url !== secrets.url
    const isOther = isElsewhere || change.filter !== undefined || placeOf(options) !== placeOf(before.options)
    if (isElsewhere) await sealSecrets(tx, deps.keyring, id, { ...secrets, url }, now)
    const changed = await updateDestination(tx, after)
    await stopRunsOf(tx, id)
    if (change.schedule !== undefined) {
      await setCursorsScheduled(tx, id, hasSchedule(schedule))
      if (!hasSchedule(schedule)) await wakeCursors(tx, id, now)
    }
    if (isOther) await rewindCursors(tx, id, 0, now)
    await auditDestination(tx, after, {
      at: deps.clock.now(),
      actor,
      action: 'push.change',
      detail: { fields: Object.keys(change) },
    })
    return changed
  })
}

/** Somebody may have deleted the destination meanwhile. */
export async function secretsOf(keyring: Keyring, queries: Queries, id: string): Promise<DestinationSecrets> {
  const secrets = await openSecrets(queries, keyring, id)
  if (secrets === undefined) throw new ApiError('not_found')
  return secrets
}

/** What it is now, held until the transaction ends: of two changes at once neither may undo the other. */
export async function openLocked(
  { keyring }: Pick<DeliverDeps, 'keyring'>,
  tx: Queries,
  id: string,
): Promise<{ before: Destination; secrets: DestinationSecrets }> {
  const before = await lockDestination(tx, id)
  if (before === undefined) throw new ApiError('not_found')
  return { before, secrets: await secretsOf(keyring, tx, id) }
}

/** Options that change when and what is told, but not where rows go. */
const SCHEDULE_FIELDS = ['quiet_hours', 'events']

function placeOf(options: Record<string, unknown>): string {
  return JSON.stringify(
    Object.entries(options)
      .filter(([name]) => !SCHEDULE_FIELDS.includes(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** `dropTables` takes what we made there along; without it the rows stay the app's. */
export async function removeDestination(
  deps: DeliverDeps,
  destination: Destination,
  dropTables: boolean,
  actor: string,
): Promise<void> {
  if (dropTables) await stopAndDrop(deps, destination)
  await deps.database.transaction(async (tx) => {
    await lockDestination(tx, destination.id)
    await removeCursors(tx, destination.id)
    await dropDeliveryRecords(tx, destination.id)
    await deleteDestination(tx, destination.id)
    await auditDestination(tx, destination, {
      at: deps.clock.now(),
      actor,
      action: 'push.delete',
      detail: { drop_tables: dropTables },
    })
  })
}

/** No run may begin meanwhile: it would make again what was just taken away. */
async function stopAndDrop(deps: DeliverDeps, destination: Destination): Promise<void> {
  const { id, state } = destination
  const setState = (to: Destination['state']) =>
    deps.database.transaction(async (tx) => {
      await setDestinationState(tx, id, to, deps.clock.now())
      await stopRunsOf(tx, id)
    })
  await setState('paused')
  try {
    await dropAll(deps, destination)
  } catch (error) {
    await setState(state === 'failing' ? 'active' : state)
    throw error
  }
}

async function dropAll(deps: DeliverDeps, destination: Destination): Promise<void> {
  const secrets = await secretsOf(deps.keyring, deps.database, destination.id)
  const connection = deps.connections.kindOf(destination.kind).open(deps, destination, secrets)
  try {
    await connection.drop()
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    throw new ApiError(
      'destination_failed',
      `Nothing was deleted, because the tables cannot be dropped: ${error.message}`,
    )
  } finally {
    await connection.close()
  }
}
