import type { Account } from '#model/accounts/account.ts'
import type { PeopleDecision, UserRef } from '#model/people/decisions.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Batch, Position } from '../delete-in-batches.ts'
import { WALK_BATCH, walkBatch } from '../walk.ts'

type AccountKey = Pick<Account, 'shard' | 'id'>

interface Row {
  decision_id: string
  service: string
  user_id: string
  kind: 'join' | 'split'
  is_other: boolean
  decided_at: number
}

const columns = 'decision_id, service, user_id, kind, is_other, decided_at'
const ofAccount = 'shard = $shard and account_id = $accountId'
const revision = statement(
  'people-revision',
  'select people_revision as revision from account where shard = $shard and id = $accountId',
)
const bump = statement(
  'people-revision-add',
  'update account set people_revision = people_revision + 1 where shard = $shard and id = $accountId',
)
const list = statement(
  'people-decision-list',
  `select ${columns} from people_decision where ${ofAccount} order by decided_at, decision_id, service, user_id`,
)
const insert = statement(
  'people-decision-insert',
  `insert into people_decision (shard, account_id, ${columns})
   select $shard, $accountId, * from unnest($decisionIds::text[], $services::text[], $userIds::text[], $kinds::text[],
     $areOthers::boolean[], $times::bigint[])`,
)
const remove = statement(
  'people-decision-delete',
  `delete from people_decision where ${ofAccount} and decision_id = any($decisionIds)`,
)
const takeAll = statement('people-decision-take', `delete from people_decision where ${ofAccount} returning ${columns}`)
// A decision with fewer than two users says nothing any more.
const forget = statement(
  'people-decision-forget',
  `delete from people_decision d where d.shard = $shard and d.account_id = $accountId and (d.service = any($services)
     or not exists (select from people_decision o where o.shard = $shard and o.account_id = $accountId
       and o.decision_id = d.decision_id and o.service <> all($services)
       and (o.service, o.user_id) <> (d.service, d.user_id)))`,
)
const purge = statement(
  'people-decision-purge',
  `delete from people_decision d where (d.shard, d.account_id) > ($afterShard, $afterId)
     and (d.shard, d.account_id) <= ($lastShard, $lastId)
     and not exists (select from account a where a.shard = d.shard and a.id = d.account_id and a.merged_into is null)`,
)
// An account that has more rows than one step is done at once: its decisions are few.
const walk = statement(
  'people-decision-walk',
  `select distinct shard, account_id from people_decision where (shard, account_id) > ($afterShard, $afterId)
   order by shard, account_id limit $limit`,
)

/** Changes with each change of the account's decisions; 0 while there never was one. */
export async function peopleRevision(queries: Queries, { shard, id }: AccountKey): Promise<number> {
  const [row] = await queries.rows<{ revision: number }>(revision.with({ shard, accountId: id }))
  return row?.revision ?? 0
}

/** The oldest first. */
export async function listPeopleDecisions(queries: Queries, { shard, id }: AccountKey): Promise<PeopleDecision[]> {
  return toDecisions(await queries.rows<Row>(list.with({ shard, accountId: id })))
}

/** The caller has locked the account, as for every change below. */
export async function putPeopleDecision(tx: Queries, account: AccountKey, decision: PeopleDecision): Promise<void> {
  await insertRows(tx, account, toRows(decision))
  await bumpRevision(tx, account)
}

export async function removePeopleDecisions(
  tx: Queries,
  { shard, id }: AccountKey,
  decisionIds: readonly string[],
): Promise<void> {
  await tx.count(remove.with({ shard, accountId: id, decisionIds: [...decisionIds] }))
  await bumpRevision(tx, { shard, id })
}

/** A merge brings decisions along: between those of both accounts the newer one wins. */
export async function movePeopleDecisions(tx: Queries, from: AccountKey, to: AccountKey): Promise<void> {
  const rows = await tx.rows<Row>(takeAll.with({ shard: from.shard, accountId: from.id }))
  if (rows.length === 0) return
  await insertRows(tx, to, rows)
  await bumpRevision(tx, to)
}

/** Erases users of services of which the account has no profile any more. */
export async function forgetDecidedUsers(
  tx: Queries,
  { shard, id }: AccountKey,
  services: readonly string[],
): Promise<void> {
  if ((await tx.count(forget.with({ shard, accountId: id, services: [...services] }))) > 0)
    await bumpRevision(tx, { shard, id })
}

export async function erasePeopleDecisions(tx: Queries, { shard, id }: AccountKey): Promise<void> {
  await tx.count(takeAll.with({ shard, accountId: id }))
}

/** Of accounts that a process of the release before merged or erased, which does not know this table. */
export function purgeOrphanDecisions(queries: Queries, position: Position = []): Promise<Batch> {
  const [afterShard = -1, afterId = ''] = position
  return walkBatch<{ shard: number; account_id: string }>(
    queries,
    walk.with({ afterShard, afterId, limit: WALK_BATCH }),
    (last) => queries.count(purge.with({ afterShard, afterId, lastShard: last.shard, lastId: last.account_id })),
    (last) => [last.shard, last.account_id],
  )
}

async function bumpRevision(tx: Queries, { shard, id }: AccountKey): Promise<void> {
  await tx.count(bump.with({ shard, accountId: id }))
}

async function insertRows(tx: Queries, { shard, id }: AccountKey, rows: readonly Row[]): Promise<void> {
  await tx.count(
    insert.with({
      shard,
      accountId: id,
      decisionIds: rows.map(({ decision_id: decisionId }) => decisionId),
      services: rows.map(({ service }) => service),
      userIds: rows.map(({ user_id: userId }) => userId),
      kinds: rows.map(({ kind }) => kind),
      areOthers: rows.map(({ is_other: isOther }) => isOther),
      times: rows.map(({ decided_at: decidedAt }) => decidedAt),
    }),
  )
}

function toRows({ id, kind, decidedAt, users, others }: PeopleDecision): Row[] {
  const rowOf = (isOther: boolean) => (ref: UserRef) => ({
    decision_id: id,
    service: ref.service,
    user_id: ref.user,
    kind,
    is_other: isOther,
    decided_at: decidedAt,
  })
  return [...users.map(rowOf(false)), ...others.map(rowOf(true))]
}

function toDecisions(rows: readonly Row[]): PeopleDecision[] {
  const decisions = new Map<string, PeopleDecision>()
  for (const { decision_id: id, kind, decided_at: decidedAt, service, user_id: user, is_other: isOther } of rows) {
    const decision = decisions.get(id) ?? { id, kind, decidedAt, users: [], others: [] }
    decisions.set(id, decision)
    decision[isOther ? 'others' : 'users'].push({ service, user })
  }
  return [...decisions.values()]
}
