import type { Hook } from '#kit/connector/connector.ts'
import { itemIdOf } from '#kit/connector/read-item.ts'
import { type EndpointState, listEndpoints, NEVER, setEndpointLeftOut } from '#store/sync/endpoints.ts'
import {
  finishHookRecords,
  type HookRecord,
  keepHookRecords,
  listHookRecords,
  removeHookRecords,
  storedRecords,
} from '#store/sync/hook-records.ts'
import { parseStored } from '#upstream/body/lossless-json.ts'
import { commitPage } from '../commit/commit-page.ts'
import { createQuotaGuard } from '../commit/quota-guard.ts'
import type { SyncDeps } from '../deps.ts'
import { diffPage } from '../diff/diff-page.ts'
import { openItemStream } from '../diff/item-stream.ts'
import type { EndpointRun } from '../walk/endpoint-run.ts'
import { chooseRecords, type Delivered, versionReader } from './choose-records.ts'

/** Limit: records of webhooks that one run of a profile stores; the next run begins at once with the rest. */
const MAX_APPLIED = 500
/** How long the deletion of an unknown record is remembered: services repeat webhooks for about this long. */
const KEEP_DELETION_MS = 6 * 3_600_000

/** Everything of an endpoint's run that does not depend on the endpoint. */
export type RunParts = Omit<EndpointRun, 'stream' | 'name' | 'endpoint' | 'state' | 'onPage'> & {
  step: (endpoint: string) => void
}

/**
 * Stores what webhooks delivered for a profile, under its lease: records and their removal from the list are one transaction, so
 * that a crash neither loses nor repeats any. Returns the states of the endpoints afterwards.
 */
export async function applyHookRecords(
  deps: SyncDeps,
  parts: RunParts,
  states: EndpointState[],
): Promise<EndpointState[]> {
  const { hook } = parts.connector
  if (hook?.items === undefined) return states
  const records = await listHookRecords(deps.database, parts.profileKey, MAX_APPLIED)
  if (records.length === 0) return states
  const byEndpoint = Map.groupBy(records, ({ endpoint }) => endpoint)
  for (const [name, ofEndpoint] of byEndpoint) {
    const run = runOf(parts, name, states)
    if (run === undefined) await drop(deps, parts, ofEndpoint)
    else await applyToEndpoint(deps, run, hook, ofEndpoint)
  }
  return listEndpoints(deps.database, parts.profileKey)
}

/** Undefined where the endpoint does not exist or is switched off. */
function runOf(parts: RunParts, name: string, states: EndpointState[]): EndpointRun | undefined {
  const { connector, profile, profileKey, isBeingReread, step } = parts
  const endpoint = connector.endpoints[name]
  const state = states.find((each) => each.endpoint === name)
  if (endpoint === undefined || state === undefined || state.nextRunAt >= NEVER) return undefined
  const stream = openItemStream(connector, name, endpoint, profile.nativeId, profileKey, state.epoch, {
    hasFaults: state.faults > 0,
    hasQuarantined: state.quarantined > 0,
    isBeingReread,
  })
  return { ...parts, stream, name, endpoint, state, onPage: () => step(name) }
}

async function drop(deps: SyncDeps, { profileKey }: RunParts, records: HookRecord[]): Promise<void> {
  await removeHookRecords(
    deps.database,
    profileKey,
    records.map(({ position }) => position),
  )
}

async function applyToEndpoint(deps: SyncDeps, run: EndpointRun, hook: Hook, records: HookRecord[]): Promise<void> {
  const { profileKey, name } = run
  run.onPage()
  const { delivered, isComplete } = identify(run, records)
  const stored = await storedRecords(
    deps.database,
    profileKey,
    delivered.map(({ id }) => id),
  )
  const chosen = chooseRecords(versionReader(hook, name), stored, delivered)
  const nowMs = deps.clock.now()
  const diff = await diffPage(deps.database, run.stream, chosen.records, nowMs)
  const quotas = createQuotaGuard(deps, run)
  const { page, quota } = await quotas.admit({ ...diff, deleted: [...new Set([...diff.deleted, ...chosen.deleted])] })
  const kept = new Set(
    records
      .filter(({ position, receivedAt }) => chosen.kept.includes(position) && receivedAt + KEEP_DELETION_MS > nowMs)
      .map(({ position }) => position),
  )
  await commitPage(deps, run, page, nowMs, 0, async (tx, { added, removed }) => {
    const done = records.map(({ position }) => position).filter((position) => !kept.has(position))
    await removeHookRecords(tx, profileKey, done)
    await keepHookRecords(tx, profileKey, [...kept], nowMs + KEEP_DELETION_MS)
    const reread = chosen.needsReread || !isComplete
    await finishHookRecords(tx, profileKey, name, { added: added - removed, reread, never: NEVER, nowMs })
    if (quota !== undefined) await setEndpointLeftOut(tx, profileKey, name, quota)
  })
  await quotas.report()
}

/** Records without a usable id are left to the next sync. */
function identify({ stream, connector, name, endpoint, profile }: EndpointRun, records: HookRecord[]) {
  const idOf = itemIdOf(connector, name, endpoint, profile.nativeId)
  const delivered: Delivered[] = []
  for (const { position, record, nativeId, version } of records) {
    if (record === undefined) {
      delivered.push({ id: idOf(nativeId ?? ''), position, change: { deletedAt: version } })
      continue
    }
    try {
      const raw = parseStored(record)
      delivered.push({ id: stream.identify(raw).id, position, change: { record: raw } })
    } catch {
      // Not identified: the endpoint is read again.
    }
  }
  return { delivered, isComplete: delivered.length === records.length }
}
