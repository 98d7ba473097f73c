import { randomPart } from '#base/ids.ts'
import { type Attached, attach } from '#flows/authorize/attach.ts'
import type { AuthorizeNeed } from '#flows/authorize/need.ts'
import { ApiError } from '#model/errors.ts'

/** An account with a profile of each of these native ids, made as a sign-in makes it but without a service. */
export async function makeAccount(
  need: AuthorizeNeed,
  appId: string,
  nativeIds: string[],
): Promise<{ id: string; token: string }> {
  let made: Attached | undefined
  for (const id of nativeIds) {
    const account = made === undefined ? ({ how: 'new' } as const) : ({ how: 'given', id: made.account.id } as const)
    made = await need.database.transaction((tx) =>
      attach(need, tx, {
        appId,
        service: 'demo-social',
        signedIn: { credential: { token: `token of ${id}` }, self: { id, name: id }, raw: '{}' },
        actor: 'test',
        account,
        part: randomPart(),
      }),
    )
  }
  if (made === undefined) throw new ApiError('not_found')
  return { id: made.account.id, token: made.token }
}
