import type { Account } from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import { shardOf } from '#platform/crypto/ids.ts'
import { findAccountDeletion } from '#store/audit.ts'
import { findAccount, findAccountById } from '#store/identity/accounts.ts'
import type { IdentityDeps, LoggedDeps } from './deps.ts'
import { type Disconnected, deleteWholeAccount, eraseLog } from './disconnect.ts'

export interface ErasedAccount {
  erased_at: number
  /** What was done with each profile; empty if the account was erased before. */
  deleted: Disconnected[]
}

/**
 * Erases an account for its app. A repeated request succeeds, also while another one does it: that one has the lock on the account,
 * and this one finds that it is gone.
 */
export async function eraseAccountOfApp(
  deps: LoggedDeps,
  appId: string,
  id: string,
  actor = `app:${appId}`,
): Promise<ErasedAccount> {
  const account = await findAccountById(deps.database, id)
  if (account?.appId !== appId) return erasedBefore(deps, appId, id)
  try {
    const { deleted, erasedAt } = await deleteWholeAccount(deps, account, actor)
    return { erased_at: erasedAt, deleted }
  } catch (error) {
    // Gone between the two statements.
    if (error instanceof ApiError && error.reason === 'token_invalid') return erasedBefore(deps, appId, id)
    throw error
  }
}

async function erasedBefore(deps: LoggedDeps, appId: string, id: string): Promise<ErasedAccount> {
  const shard = shardOf(id)
  const at = shard === undefined ? undefined : await findAccountDeletion(deps.database, { shard, appId, id })
  if (shard === undefined || at === undefined) throw new ApiError('not_found', 'There is no such account.')
  // The first request may have been interrupted.
  await eraseLog(deps, { id, shards: [shard] })
  return { erased_at: at, deleted: [] }
}

/** False for an account that was erased, or merged into another. */
export async function isStored({ database }: Pick<IdentityDeps, 'database'>, { shard, id }: Account): Promise<boolean> {
  return (await findAccount(database, shard, id)) !== undefined
}
