import { type ConnectedProfile, connectProfile } from '#identity/connect-profile.ts'
import type { IdentityDeps } from '#identity/deps.ts'
import { ApiError } from '#model/errors.ts'
import { randomShard } from '#platform/crypto/ids.ts'

/** An account with one profile per native id, as a sign-in creates it but without a service. */
export async function makeAccount(
  deps: IdentityDeps,
  appId: string,
  nativeIds: string[],
): Promise<{ id: string; token: string }> {
  let made: ConnectedProfile | undefined
  for (const id of nativeIds) {
    const account = made === undefined ? ({ how: 'new' } as const) : ({ how: 'given', id: made.account.id } as const)
    made = await deps.database.transaction((tx) =>
      connectProfile(deps, tx, {
        appId,
        service: 'demo-social',
        signedIn: { credential: { token: `token of ${id}` }, self: { id, name: id }, raw: '{}' },
        actor: 'test',
        account,
        shard: randomShard(),
      }),
    )
  }
  if (made === undefined) throw new ApiError('not_found')
  return { id: made.account.id, token: made.token }
}
