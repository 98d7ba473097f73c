import type { Keyring } from '#platform/crypto/sealing.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

/** Which key of an app: at which service, and at which of its instances. */
export interface RegistrationKey {
  appId: string
  service: string
  /** Empty where one key is valid everywhere. */
  instance: string
}

/** The content of the sealed column, as JSON. */
interface Secrets {
  key: string
  secret: string
}

export interface Registration extends Secrets {
  expiresAt: number | undefined
}

interface Row {
  sealed: Buffer | null
  expires_at: number | null
}

const row = 'app_id = $appId and service = $service and instance = $instance'
const find = statement('registration-find', `select sealed, expires_at from service_registration where ${row}`)
// A row whose lease has ended, or whose key has expired, is taken over. Others count toward the limit of the app.
const lease = statement(
  'registration-lease',
  `insert into service_registration (app_id, service, instance, lease, lease_until, began_at)
   select $appId, $service, $instance, $lease, $leaseUntil, $nowMs
   where $max > (select count(*) from service_registration where app_id = $appId)
      or exists (select 1 from service_registration where ${row})
   on conflict (app_id, service, instance) do update
     set lease = excluded.lease, lease_until = excluded.lease_until, began_at = excluded.began_at
     where coalesce(service_registration.lease_until, 0) < excluded.began_at
       and (service_registration.sealed is null or service_registration.expires_at < excluded.began_at)`,
)
const store = statement(
  'registration-store',
  `update service_registration set sealed = $sealed, expires_at = $expiresAt, lease = null, lease_until = null
   where ${row} and lease = $lease`,
)
const release = statement(
  'registration-release',
  `delete from service_registration where ${row} and lease = $lease and sealed is null`,
)
const begin = statement(
  'registration-begin',
  `update service_registration set began_at = greatest(began_at, $nowMs) where ${row} returning sealed, expires_at`,
)
const use = statement('registration-use', `update service_registration set used_at = $nowMs where ${row}`)
const remove = statement('registration-delete', `delete from service_registration where ${row} and sealed = $sealed`)
const count = statement(
  'registration-count',
  'select count(*)::integer as n from service_registration where app_id = $appId',
)
const services = statement(
  'registration-services',
  'select distinct service from service_registration where app_id = $appId and used_at is not null order by service',
)
const evict = statement(
  'registration-evict',
  `delete from service_registration where app_id = $appId and used_at is null and began_at < $beforeMs`,
)
const purge = statement(
  'registration-purge',
  `delete from service_registration
   where (sealed is null and lease_until < $nowMs) or (used_at is null and began_at < $beforeMs)`,
)

const cellOf = ({ appId, service, instance }: RegistrationKey) => ({
  table: 'service_registration',
  row: `${appId}/${service}/${instance}`,
  column: 'sealed',
})

export async function findRegistration(
  queries: Queries,
  keyring: Keyring,
  key: RegistrationKey,
): Promise<Registration | undefined> {
  const [found] = await queries.rows<Row>(find.with({ ...key }))
  return opened(keyring, key, found)
}

/** The same for a sign-in that begins, so that the key is not deleted as unused before the sign-in ends. */
export async function beginWithRegistration(
  queries: Queries,
  keyring: Keyring,
  key: RegistrationKey,
  nowMs: number,
): Promise<Registration | undefined> {
  const [found] = await queries.rows<Row>(begin.with({ ...key, nowMs }))
  return opened(keyring, key, found)
}

function opened(keyring: Keyring, key: RegistrationKey, found: Row | undefined): Registration | undefined {
  if (found === undefined || found.sealed === null) return undefined
  const secrets = JSON.parse(keyring.open(found.sealed, cellOf(key))) as Secrets
  return { ...secrets, expiresAt: found.expires_at ?? undefined }
}

/** True for the one caller that may register the app now. */
export async function leaseRegistration(
  queries: Queries,
  key: RegistrationKey,
  { lease: token, leaseUntil, nowMs, max }: { lease: string; leaseUntil: number; nowMs: number; max: number },
): Promise<boolean> {
  return (await queries.count(lease.with({ ...key, lease: token, leaseUntil, nowMs, max }))) > 0
}

/** False if the lease was lost meanwhile. */
export async function storeRegistration(
  queries: Queries,
  keyring: Keyring,
  key: RegistrationKey,
  token: string,
  { expiresAt, ...secrets }: Registration,
): Promise<boolean> {
  const sealed = keyring.seal(JSON.stringify(secrets), cellOf(key))
  return (await queries.count(store.with({ ...key, lease: token, sealed, expiresAt: expiresAt ?? null }))) > 0
}

/** After a failed registration: nothing stays. */
export async function releaseRegistration(queries: Queries, key: RegistrationKey, token: string): Promise<void> {
  await queries.count(release.with({ ...key, lease: token }))
}

export async function useRegistration(queries: Queries, key: RegistrationKey, nowMs: number): Promise<void> {
  await queries.count(use.with({ ...key, nowMs }))
}

/** Forgets a key that the service refuses, unless it was replaced meanwhile. */
export async function deleteRegistration(
  queries: Queries,
  keyring: Keyring,
  key: RegistrationKey,
  refused: string,
): Promise<void> {
  const [found] = await queries.rows<Row>(find.with({ ...key }))
  if (found?.sealed === null || found === undefined || opened(keyring, key, found)?.key !== refused) return
  await queries.count(remove.with({ ...key, sealed: found.sealed }))
}

export async function countRegistrations(queries: Queries, appId: string): Promise<number> {
  const [found] = await queries.rows<{ n: number }>(count.with({ appId }))
  return found?.n ?? 0
}

/** The services that registered the app and that somebody has signed in at. */
export async function servicesInUse(queries: Queries, appId: string): Promise<string[]> {
  return (await queries.rows<{ service: string }>(services.with({ appId }))).map(({ service }) => service)
}

/** Deletes keys with which no sign-in has ever succeeded. */
export async function evictRegistrations(queries: Queries, appId: string, beforeMs: number): Promise<number> {
  return queries.count(evict.with({ appId, beforeMs }))
}

export async function purgeRegistrations(queries: Queries, nowMs: number, beforeMs: number): Promise<number> {
  return queries.count(purge.with({ nowMs, beforeMs }))
}
