import { type Queries, statement } from '#platform/postgres/database.ts'
import { deleteInBatches, deleteSome } from '../delete-in-batches.ts'
import { countInShards } from '../each-shard.ts'

const eraseOperations = statement(
  'operation-erase-account',
  deleteSome('operation', 'shard, id', 'account_id = $accountId'),
)
const eraseCalls = statement(
  'call-erase-account',
  'delete from call_log where shard = $shard and account_id = $accountId',
)
const moveOperations = statement(
  'operation-move-account',
  'update operation set account_id = $into where account_id = $accountId',
)
const moveCalls = statement(
  'call-move-account',
  'update call_log set account_id = $into where shard = $shard and account_id = $accountId',
)

/** Removes sign-ins, syncs and proxied calls of an account. Can be repeated at any point. */
export async function eraseLogOf(
  queries: Queries,
  { id: accountId, shards }: { id: string; shards: readonly number[] },
): Promise<void> {
  await deleteInBatches(queries, eraseOperations.with({ accountId }))
  await countInShards(queries, shards, (shard) => eraseCalls.with({ shard, accountId }))
}

/** What was logged for an account that was merged belongs to the one that stays, and is erased with it. */
export async function moveLogOf(
  queries: Queries,
  { id: accountId, shards }: { id: string; shards: readonly number[] },
  into: string,
): Promise<void> {
  await queries.count(moveOperations.with({ accountId, into }))
  await countInShards(queries, shards, (shard) => moveCalls.with({ shard, accountId, into }))
}
