import { type IdentityDeps, type SignInDeps, TEN_MINUTES_MS } from '#identity/deps.ts'
import { type CountedSignIn, recountSignIn } from '#identity/open-sign-ins.ts'
import type { SignInRequest } from '#identity/pending-value.ts'
import { newTicket } from '#model/accounts/access-token.ts'
import type { App } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import { randomShard } from '#platform/crypto/ids.ts'
import { insertConsent } from '#store/identity/consents.ts'
import type { Pending } from '#store/identity/pending.ts'
import type { TenantChoice } from '#upstream/sign-in.ts'
import { writeChoice } from './choice-value.ts'
import type { OutcomeOf } from './outcome.ts'

/** A sign-in whose person came back and has several tenants. */
interface SignInAtTenants {
  app: App
  pending: Pending
  request: SignInRequest
  counted: CountedSignIn | undefined
}

/** Stores the sign-in of a person with several tenants until they have chosen one. Its token is ended if they never do. */
export async function askForTenant(
  deps: SignInDeps,
  { app, pending, request, counted }: SignInAtTenants,
  { choice: { tenants, credential, scope } }: TenantChoice,
): Promise<OutcomeOf<'sent'> & { kind: 'choosing' }> {
  const shard = randomShard()
  const ticket = newTicket('trf', shard)
  const recounted = await recountSignIn(deps, app.id, counted)
  const value = writeChoice(request, { kind: 'choosing', tenants, credential, scope, counted: recounted })
  const expiresAt = deps.clock.now() + TEN_MINUTES_MS
  const { accountId, redirectUri, codeChallenge } = request
  const stored = {
    shard,
    hash: choiceHash(deps, ticket),
    kind: 'choose' as const,
    service: pending.service,
    nativeId: '',
  }
  const columns = { appId: app.id, accountId, redirectUri, codeChallenge, browser: pending.browser, value, expiresAt }
  const isStored = await deps.database.transaction((tx) => insertConsent(tx, deps.keyring, { ...stored, ...columns }))
  if (!isStored) throw new ApiError('session_expired')
  deps.trace.awaits('The person was asked on our page which of several it is.', 'abandoned', expiresAt)
  return { kind: 'choosing', ticket }
}

export function choiceHash({ hasher }: Pick<IdentityDeps, 'hasher'>, ticket: string): Buffer {
  return hasher.hash('confirm', `choose ${ticket}`)
}
