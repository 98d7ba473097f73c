import { type Queries, statement } from '#platform/postgres/database.ts'
import type { SyncGroup } from './schedule.ts'

// A sharded server cannot walk an index from group to group. The groups are named instead: every app with every service. A
// group costs one index lookup in each shard and the due profiles that it has, so groups with a backlog are left out. The
// sub-selects hide their number: with many, the planner would rather read all profiles.
const listApps = statement('sync-apps', 'select id from app where deleting_at is null order by id')
const findAmong = statement(
  'sync-due-among',
  `select distinct p.app_id, p.service
   from unnest((select $appIds::text[]), (select $services::text[])) as wanted (app_id, service)
   join profile_sync p on p.app_id = wanted.app_id and p.service = wanted.service
   where p.next_run_at <= $nowMs`,
)

/** Limit: groups that one planning looks at without knowing whether they have profiles; the next one continues. */
const MAX_UNKNOWN = 500

/** What a process knows of the groups of its database. */
interface GroupMemory {
  /** Groups that had a profile due at some time: looked at by every planning. */
  known: Map<string, SyncGroup>
  /**
   * Of these, those that may still have some: not looked at again until a lease finds fewer than it may have. A backlog of a
   * million profiles that wait for a rate limit is therefore not read again and again.
   */
  due: Set<string>
  /** Where the next planning continues among all apps and services. */
  position: number
}

const memories = new WeakMap<Queries, GroupMemory>()

/** Groups that may have a profile due. */
export async function findGroupsInShards(queries: Queries, nowMs: number, services: string[]): Promise<SyncGroup[]> {
  const memory = memoryOf(queries)
  const appIds = (await queries.rows<{ id: string }>(listApps)).map(({ id }) => id)
  forgetDeleted(memory, new Set(appIds))
  const asked = new Map([...memory.known, ...nextUnknown(memory, appIds, services)])
  for (const key of memory.due) asked.delete(key)
  const groups = [...asked.values()]
  for (const group of groups.length === 0 ? [] : await findDueAmong(queries, nowMs, groups)) {
    memory.known.set(keyOf(group), group)
    memory.due.add(keyOf(group))
  }
  return [...memory.due].flatMap((key) => memory.known.get(key) ?? [])
}

/** Whether no group has a profile due until then. With too many groups to look at all of them it is false. */
export async function isNothingDueInShards(queries: Queries, untilMs: number, services: string[]): Promise<boolean> {
  if (memoryOf(queries).due.size > 0) return false
  const appIds = (await queries.rows<{ id: string }>(listApps)).map(({ id }) => id)
  const groups = appIds.flatMap((appId) => services.map((service) => ({ appId, service })))
  if (groups.length > MAX_UNKNOWN) return false
  return groups.length === 0 || (await findDueAmong(queries, untilMs, groups)).length === 0
}

/** No more profiles of the group are due than the caller has just found. */
export function drainedGroup(queries: Queries, group: SyncGroup): void {
  memoryOf(queries).due.delete(keyOf(group))
}

async function findDueAmong(queries: Queries, nowMs: number, groups: SyncGroup[]): Promise<SyncGroup[]> {
  const appIds = groups.map(({ appId }) => appId)
  const services = groups.map(({ service }) => service)
  const rows = await queries.rows<{ app_id: string; service: string }>(findAmong.with({ nowMs, appIds, services }))
  return rows.map((row) => ({ appId: row.app_id, service: row.service }))
}

const keyOf = ({ appId, service }: SyncGroup) => `${appId} ${service}`

function memoryOf(queries: Queries): GroupMemory {
  const memory = memories.get(queries) ?? { known: new Map(), due: new Set(), position: 0 }
  memories.set(queries, memory)
  return memory
}

function forgetDeleted({ known, due }: GroupMemory, appIds: Set<string>): void {
  for (const [key, { appId }] of known) {
    if (appIds.has(appId)) continue
    known.delete(key)
    due.delete(key)
  }
}

/** The next apps and services in turn. */
function nextUnknown(memory: GroupMemory, appIds: string[], services: string[]): [string, SyncGroup][] {
  const all = appIds.length * services.length
  const start = memory.position
  const count = Math.min(MAX_UNKNOWN, all)
  memory.position = all === 0 ? 0 : (start + count) % all
  return Array.from({ length: count }, (_, i) => {
    const n = (start + i) % all
    const group = { appId: appIds[Math.floor(n / services.length)]!, service: services[n % services.length]! }
    return [keyOf(group), group]
  })
}
