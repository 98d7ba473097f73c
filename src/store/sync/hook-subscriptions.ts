import type { Keyring } from '#platform/crypto/sealing.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { takeInShards } from '../cluster/take-in-shards.ts'
import { keepApp } from '../keys/app-locks.ts'
import { NEVER } from './endpoints.ts'

export interface SubscriptionKey {
  shard: number
  appId: string
  service: string
  /** Empty for a subscription of the whole app. */
  profileId: string
  name: string
}

export interface StoredSubscription extends SubscriptionKey {
  person: string
  state: 'wanted' | 'active' | 'ending'
  nativeId: string | undefined
  expiresAt: number | undefined
  dueAt: number
  attempts: number
  lastReason: string | undefined
  lastError: string | undefined
  sealed: Buffer | undefined
}

interface Row {
  shard: number
  app_id: string
  service: string
  profile_id: string
  name: string
  person: string
  state: StoredSubscription['state']
  native_id: string | null
  expires_at: number | null
  due_at: number
  attempts: number
  last_reason: string | null
  last_error: string | null
  sealed: Buffer | null
}

const columns = `shard, app_id, service, profile_id, name, person, state, native_id, expires_at, due_at, attempts,
  last_reason, last_error, sealed`
const isOne = 'shard = $shard and app_id = $appId and service = $service and profile_id = $profileId and name = $name'
const newColumns = 'shard, app_id, service, profile_id, name, person, state, due_at, attempts'
// One that waits for a new sign-in is tried again: a profile that runs has a grant.
const wakeParked = `on conflict (shard, app_id, service, profile_id, name) do update set due_at = excluded.due_at,
     attempts = 0
   where hook_subscription.state = 'wanted' and hook_subscription.due_at >= ${NEVER}`
// The lock makes the erasure of the profile wait, which then finds the new rows.
const insertOfProfile = statement(
  'hook-subscription-insert',
  `with held as (select 1 from profile_sync where shard = $shard and profile_id = $profileId for key share)
   insert into hook_subscription (${newColumns})
   select $shard, $appId, $service, $profileId, wanted.name, $person, 'wanted', $nowMs, 0
   from held, unnest($names::text[]) as wanted (name) ${wakeParked}`,
)
const insertOfApp = statement(
  'hook-subscription-insert-app',
  `insert into hook_subscription (${newColumns})
   select $shard, $appId, $service, '', wanted.name, '', 'wanted', $nowMs, 0
   from unnest($names::text[]) as wanted (name) ${wakeParked}`,
)
const listOfProfile = statement(
  'hook-subscription-of-profile',
  `select ${columns} from hook_subscription where shard = $shard and app_id = $appId and service = $service
     and profile_id = $profileId order by name`,
)
const listOfApp = statement(
  'hook-subscription-of-app',
  `select ${columns} from hook_subscription where app_id = $appId and (shard, profile_id, name) > ($shard, $profileId, $name)
   order by shard, profile_id, name limit $limit`,
)
// Leasing only moves due_at ahead: after a crash the next process takes it.
const findDue = statement(
  'hook-subscription-due',
  `select shard, app_id, service, profile_id, name from hook_subscription
   where due_at <= $nowMs order by due_at limit $limit`,
)
const lease = statement(
  'hook-subscription-lease',
  `update hook_subscription set lease_token = $token, due_at = $leaseUntilMs where ${isOne} and due_at <= $nowMs
   returning ${columns}`,
)
const leaseEnding = statement(
  'hook-subscription-lease-ending',
  `update hook_subscription set lease_token = $token, due_at = $leaseUntilMs
   where shard = $shard and app_id = $appId and service = $service and profile_id = $profileId and state = 'ending'
   returning ${columns}`,
)
const setActive = statement(
  'hook-subscription-active',
  `update hook_subscription set state = 'active', native_id = $nativeId, expires_at = $expiresAt, due_at = $dueAt,
     attempts = 0, last_reason = null, last_error = null, lease_token = null
   where ${isOne} and lease_token = $token and state <> 'ending'`,
)
const setFailed = statement(
  'hook-subscription-failed',
  `update hook_subscription set due_at = $dueAt, attempts = attempts + 1, last_reason = $reason, last_error = $error,
     lease_token = null
   where ${isOne} and lease_token = $token`,
)
const setWanted = statement(
  'hook-subscription-wanted',
  `update hook_subscription set state = 'wanted', native_id = null, expires_at = null, due_at = $nowMs, lease_token = null
   where ${isOne} and lease_token = $token and state = 'active'`,
)
const setEnding = statement(
  'hook-subscription-ending',
  `update hook_subscription set state = 'ending', due_at = $dueAt, attempts = 0, lease_token = null, sealed = $sealed
   where ${isOne}`,
)
const remove = statement('hook-subscription-remove', `delete from hook_subscription where ${isOne}`)
const removeLeased = statement(
  'hook-subscription-remove-mine',
  `delete from hook_subscription where ${isOne} and lease_token = $token`,
)
const erase = statement(
  'hook-subscription-erase',
  `delete from hook_subscription where shard = $shard and app_id = $appId and service = $service
     and profile_id = $profileId`,
)
const findOther = statement(
  'hook-subscription-other',
  `select 1 from hook_subscription where app_id = $appId and service = $service and person = $person and name = $name
     and state <> 'ending' and profile_id <> $profileId limit 1`,
)
const removeOfApp = statement('hook-subscription-drop', 'delete from hook_subscription where app_id = $appId')
const countAll = statement(
  'hook-subscription-counts',
  `select service, case when last_reason is null then state else 'failing' end as state, count(*) as n
   from hook_subscription group by 1, 2`,
)

const keyOf = ({ shard, appId, service, profileId, name }: SubscriptionKey) => ({
  shard,
  appId,
  service,
  profileId,
  name,
})
const cellOf = ({ shard, appId, service, profileId, name }: SubscriptionKey) => ({
  table: 'hook_subscription',
  row: [shard, appId, service, profileId, name].join('/'),
  column: 'sealed',
})

/**
 * Requests subscriptions of a profile, if it still exists, or of a whole app that is not being deleted. Those that exist stay as
 * they are.
 */
export async function insertSubscriptions(
  tx: Queries,
  owner: Omit<SubscriptionKey, 'name'> & { person: string },
  names: string[],
  nowMs: number,
): Promise<void> {
  const { shard, appId, service, profileId, person } = owner
  if (profileId !== '') await tx.count(insertOfProfile.with({ shard, appId, service, profileId, person, names, nowMs }))
  else if ((await keepApp(tx, appId)) === 'active')
    await tx.count(insertOfApp.with({ shard, appId, service, names, nowMs }))
}

export async function listSubscriptions(
  queries: Queries,
  { shard, appId, service, profileId }: Omit<SubscriptionKey, 'name'>,
): Promise<StoredSubscription[]> {
  return (await queries.rows<Row>(listOfProfile.with({ shard, appId, service, profileId }))).map(toSubscription)
}

/** For operators, a page at a time. */
export async function listAppSubscriptions(
  queries: Queries,
  appId: string,
  after: Pick<SubscriptionKey, 'shard' | 'profileId' | 'name'>,
  limit: number,
): Promise<StoredSubscription[]> {
  const { shard, profileId, name } = after
  return (await queries.rows<Row>(listOfApp.with({ appId, shard, profileId, name, limit }))).map(toSubscription)
}

export interface Lease {
  token: string
  untilMs: number
  nowMs: number
}

/** Leases subscriptions that are due. Several processes that find the same ones get different ones. */
export async function leaseSubscriptions(
  queries: Queries,
  { token, untilMs, nowMs }: Lease,
  limit: number,
): Promise<StoredSubscription[]> {
  const due = await findDueSubscriptions(queries, nowMs, limit)
  const leased = await takeInShards(due, limit, async (shard, keys) => {
    const rows: Row[] = []
    for (const { app_id: appId, service, profile_id: profileId, name } of keys) {
      const values = { shard, appId, service, profileId, name, token, leaseUntilMs: untilMs, nowMs }
      rows.push(...(await queries.rows<Row>(lease.with(values))))
    }
    return rows
  })
  return leased.map(toSubscription)
}

type KeyRow = Pick<Row, 'shard' | 'app_id' | 'service' | 'profile_id' | 'name'>

export function findDueSubscriptions(queries: Queries, nowMs: number, limit: number): Promise<KeyRow[]> {
  return queries.rows<KeyRow>(findDue.with({ nowMs, limit }))
}

/** Those of an erased profile that the service is still to be told of. */
export async function leaseEndingSubscriptions(
  queries: Queries,
  { shard, appId, service, profileId }: Omit<SubscriptionKey, 'name'>,
  { token, untilMs }: Lease,
): Promise<StoredSubscription[]> {
  const values = { shard, appId, service, profileId, token, leaseUntilMs: untilMs }
  return (await queries.rows<Row>(leaseEnding.with(values))).map(toSubscription)
}

/** False when the lease was lost, or the profile was erased meanwhile: nobody knows of the subscription then. */
export async function activateSubscription(
  queries: Queries,
  key: SubscriptionKey,
  token: string,
  { nativeId, expiresAt, dueAt }: { nativeId: string | undefined; expiresAt: number | undefined; dueAt: number },
): Promise<boolean> {
  const values = { ...keyOf(key), token, nativeId: nativeId ?? null, expiresAt: expiresAt ?? null, dueAt }
  return (await queries.count(setActive.with(values))) > 0
}

export async function failSubscription(
  queries: Queries,
  key: SubscriptionKey,
  token: string,
  { dueAt, reason, error }: { dueAt: number; reason: string; error: string },
): Promise<void> {
  await queries.count(setFailed.with({ ...keyOf(key), token, dueAt, reason, error }))
}

/** The service does not know it any more: it is requested again. */
export async function requestAgain(
  queries: Queries,
  key: SubscriptionKey,
  token: string,
  nowMs: number,
): Promise<void> {
  await queries.count(setWanted.with({ ...keyOf(key), token, nowMs }))
}

/** Keeps the credential, sealed, until the service is told. */
export async function markEnding(
  tx: Queries,
  keyring: Keyring,
  key: SubscriptionKey,
  credential: string,
  dueAt: number,
): Promise<void> {
  await tx.count(setEnding.with({ ...keyOf(key), dueAt, sealed: keyring.seal(credential, cellOf(key)) }))
}

export function openEnding(keyring: Keyring, subscription: StoredSubscription): string | undefined {
  return subscription.sealed === undefined ? undefined : keyring.open(subscription.sealed, cellOf(subscription))
}

/** With a token: only if the caller still has the lease. */
export async function removeSubscription(queries: Queries, key: SubscriptionKey, token?: string): Promise<void> {
  if (token === undefined) await queries.count(remove.with(keyOf(key)))
  else await queries.count(removeLeased.with({ ...keyOf(key), token }))
}

/** All of a profile, without telling the service. */
export async function eraseSubscriptions(
  tx: Queries,
  { shard, appId, service, profileId }: Omit<SubscriptionKey, 'name'>,
): Promise<void> {
  await tx.count(erase.with({ shard, appId, service, profileId }))
}

/** Whether another profile of the app has the same person and needs what the service has. */
export async function isSharedSubscription(
  queries: Queries,
  { appId, service, person, name, profileId }: StoredSubscription,
): Promise<boolean> {
  return (await queries.rows(findOther.with({ appId, service, person, name, profileId }))).length > 0
}

export async function removeAppSubscriptions(queries: Queries, appId: string): Promise<void> {
  await queries.count(removeOfApp.with({ appId }))
}

export async function countSubscriptions(queries: Queries): Promise<{ service: string; state: string; n: number }[]> {
  return queries.rows(countAll)
}

function toSubscription(row: Row): StoredSubscription {
  return {
    shard: row.shard,
    appId: row.app_id,
    service: row.service,
    profileId: row.profile_id,
    name: row.name,
    person: row.person,
    state: row.state,
    nativeId: row.native_id ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    dueAt: row.due_at,
    attempts: row.attempts,
    lastReason: row.last_reason ?? undefined,
    lastError: row.last_error ?? undefined,
    sealed: row.sealed ?? undefined,
  }
}
