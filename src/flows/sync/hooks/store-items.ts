import type { Connector, Hook } from '#kit/connector/connector.ts'
import type { HookItem } from '#kit/hooks/hook-life-cycle.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { insertHookRecords, type NewHookRecord } from '#store/sync/hook-records.ts'
import { makeProfileDue } from '#store/sync/schedule.ts'
import { type LosslessJson, parseLossless, stringifyLossless } from '#upstream/body/lossless-json.ts'
import type { SyncDeps } from '../deps.ts'
import { requestSync } from '../progress.ts'

/** Limit: records of one webhook that are stored; with more, the people it names are synced instead. */
const MAX_ITEMS = 1000
/** Limit: records of webhooks that wait for a run of their profile; with more, the profile is synced instead. */
const MAX_WAITING_RECORDS = 2000
/** Limit: characters of the native id of a record that a webhook deletes; a longer one is ignored. */
const MAX_NATIVE_ID = 2000

export interface ItemsByPerson {
  byPerson: Map<string, NewHookRecord[]>
  /** There are too many, so that syncs fetch the changes. */
  isTooMany: boolean
}

/** The records in a signed body, by person. What the connector cannot read is ignored: the next sync fetches it. */
export function readItems(connector: Connector, hook: Hook, text: string): ItemsByPerson {
  const items = itemsIn(hook, text)
  const byPerson = new Map<string, NewHookRecord[]>()
  for (const item of items.slice(0, MAX_ITEMS)) {
    const record = recordOf(connector, item)
    if (record !== undefined) byPerson.set(item.person, [...(byPerson.get(item.person) ?? []), record])
  }
  return { byPerson, isTooMany: items.length > MAX_ITEMS }
}

function itemsIn(hook: Hook, text: string): HookItem[] {
  try {
    const items: unknown = hook.items?.(parseLossless(text))
    return Array.isArray(items) ? (items as HookItem[]) : []
  } catch {
    // The body is not what the connector expects; `people` decides whether it is refused.
    return []
  }
}

function recordOf(connector: Connector, item: HookItem): NewHookRecord | undefined {
  if (typeof item?.person !== 'string' || connector.endpoints[item.endpoint] === undefined) return undefined
  const { endpoint } = item
  if ('record' in item) {
    const record = stringifyLossless(item.record as LosslessJson)
    return record.includes('\0') ? undefined : { endpoint, record, nativeId: undefined, version: undefined }
  }
  const { deleted, at } = item
  if (typeof deleted !== 'string' || deleted === '' || deleted.length > MAX_NATIVE_ID || deleted.includes('\0'))
    return undefined
  const version = typeof at === 'number' && Number.isSafeInteger(at) ? at : undefined
  return at !== undefined && version === undefined
    ? undefined
    : { endpoint, record: undefined, nativeId: deleted, version }
}

/** Stores records for a run of the profile, which begins at once. Nothing is stored for a profile that is erased meanwhile. */
export async function storeItems(deps: SyncDeps, profile: Profile, records: NewHookRecord[]): Promise<void> {
  const key = { shard: profile.shard, profileId: profile.id }
  const nowMs = deps.clock.now()
  const isStored = await deps.database.transaction(async (tx) => {
    const stored = await insertHookRecords(tx, key, records, MAX_WAITING_RECORDS, nowMs)
    if (stored === true) await makeProfileDue(tx, key, nowMs)
    return stored
  })
  if (isStored === false) await requestSync(deps, profile, { confirmDeletes: false, isHook: true })
}
