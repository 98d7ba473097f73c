import { createHash } from 'node:crypto'
import type { Account } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import { encodeBase32, randomSecret, randomShard } from '#platform/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { findProfile, listProfiles } from '#store/identity/profiles.ts'

/** The profile that an upload is for: its native id, and the shard in which it is or will be. */
export interface FileTarget {
  nativeId: string
  shard: number
}

/**
 * A file proves nothing about who has it, so nothing in it decides whose it is. Within an account there is one profile of files; without
 * an account the id is random, and the profile gets an account of its own.
 */
export async function targetOfAccount(queries: Queries, account: Account, service: string): Promise<FileTarget> {
  const own = (await listProfiles(queries, account)).filter((profile) => profile.service === service)
  // After a merge there may be several: uploads always change the same one.
  const [known] = own.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return known === undefined
    ? { nativeId: idIn(account.id), shard: account.shard }
    : { nativeId: known.nativeId, shard: known.shard }
}

/** Of a sign-in: the profile to reconnect, the account that the app named, or nobody yet. */
export async function targetOfSignIn(
  queries: Queries,
  { accountId, profileId }: { accountId: string | undefined; profileId: { shard: number; id: string } | undefined },
  service: string,
): Promise<FileTarget> {
  if (profileId !== undefined) {
    const profile = await findProfile(queries, profileId.shard, profileId.id)
    if (profile === undefined) throw new ApiError('session_expired')
    return { nativeId: profile.nativeId, shard: profile.shard }
  }
  if (accountId === undefined) return { nativeId: randomSecret().slice(0, 26), shard: randomShard() }
  const account = await findAccountById(queries, accountId)
  if (account === undefined) throw new ApiError('session_expired')
  return targetOfAccount(queries, account, service)
}

/** Two uploads at the same time to an account without such a profile agree on it. */
function idIn(accountId: string): string {
  return encodeBase32(createHash('sha256').update(`files ${accountId}`).digest()).slice(0, 26)
}
