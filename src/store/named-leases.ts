import { newId } from '#platform/crypto/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

const take = statement(
  'named-lease-take',
  `insert into named_lease (name, lease_token, until_ms) values ($name, $token, $untilMs)
   on conflict (name) do update set lease_token = excluded.lease_token, until_ms = excluded.until_ms
     where named_lease.until_ms <= $nowMs`,
)
const extend = statement(
  'named-lease-extend',
  'update named_lease set until_ms = $untilMs where name = $name and lease_token = $token',
)
const end = statement('named-lease-end', 'delete from named_lease where name = $name and lease_token = $token')
const findEnd = statement('named-lease-find', 'select until_ms from named_lease where name = $name')

/** The right to do what the name says, until a time; who takes it after that time has another token. */
export interface NamedLease {
  name: string
  token: string
}

/** Undefined while another process has it. */
export async function takeNamedLease(
  queries: Queries,
  name: string,
  nowMs: number,
  untilMs: number,
): Promise<NamedLease | undefined> {
  const token = newId(nowMs)
  return (await queries.count(take.with({ name, token, nowMs, untilMs }))) > 0 ? { name, token } : undefined
}

/** False when it was lost. */
export async function extendNamedLease(
  queries: Queries,
  { name, token }: NamedLease,
  untilMs: number,
): Promise<boolean> {
  return (await queries.count(extend.with({ name, token, untilMs }))) > 0
}

export async function endNamedLease(queries: Queries, { name, token }: NamedLease): Promise<void> {
  await queries.count(end.with({ name, token }))
}

/** Undefined where nobody ever took it. */
export async function endOfNamedLease(queries: Queries, name: string): Promise<number | undefined> {
  return (await queries.rows<{ until_ms: number }>(findEnd.with({ name })))[0]?.until_ms
}
