import type { Account } from '#model/accounts/account.ts'
import { type Profile, sourceOf } from '#model/accounts/profile.ts'
import { ApiError } from '#model/errors.ts'
import { randomShard } from '#platform/crypto/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { findProfile, listProfiles } from '#store/identity/profiles.ts'

/** The profile that an upload is for: its source, and the shard in which it is or will be. */
export interface FileTarget {
  source: string
  shard: number
}

/** A file proves nothing about who has it, so nothing in it decides whose it is. Within an account there is one profile of files. */
export async function targetOfAccount(queries: Queries, account: Account, service: string): Promise<FileTarget> {
  const own = (await listProfiles(queries, account)).filter((profile) => profile.service === service)
  // After a merge there may be several: uploads always change the same one.
  const [known] = own.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return known === undefined ? { source: service, shard: account.shard } : targetOf(known)
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
    return targetOf(profile)
  }
  if (accountId === undefined) return { source: service, shard: randomShard() }
  const account = await findAccountById(queries, accountId)
  if (account === undefined) throw new ApiError('session_expired')
  return targetOfAccount(queries, account, service)
}

const targetOf = (profile: Profile): FileTarget => ({ source: sourceOf(profile), shard: profile.shard })
