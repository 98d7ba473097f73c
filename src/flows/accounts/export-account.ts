import type { IdentityDeps } from '#identity/deps.ts'
import type { Account } from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import { auditAccount } from '#store/audit.ts'
import { findAccountById } from '#store/identity/accounts.ts'

/** An account of the app. Another app's account is `not_found`, and so is one that was merged or erased. */
export async function accountOfApp(
  { database }: Pick<IdentityDeps, 'database'>,
  appId: string,
  id: string,
): Promise<Account> {
  const account = await findAccountById(database, id)
  if (account?.appId !== appId) throw new ApiError('not_found', 'There is no such account.')
  return account
}

export async function auditExport(
  { database, clock }: Pick<IdentityDeps, 'database' | 'clock'>,
  account: Account,
  actor: string,
): Promise<void> {
  await auditAccount(database, account, { at: clock.now(), actor, action: 'account.export' })
}
