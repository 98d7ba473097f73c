import { readConsent, signedInOf } from '#identity/consent-value.ts'
import type { IdentityDeps } from '#identity/deps.ts'
import { type Offer, sharesOf } from '#identity/offers.ts'
import type { Self } from '#kit/auth/self.ts'
import { sourceOf } from '#model/accounts/profile.ts'
import type { App } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import { findApp } from '#store/apps/apps.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { listProfiles } from '#store/identity/profiles.ts'
import { findUnusedConsent } from './confirm.ts'
import { isDeclined, lockShownConsent, returnOf } from './confirm-ticket.ts'
import type { ReturnTo } from './return-to.ts'

/** A profile that the account already has. */
interface Member {
  title: string
  name: string
}

export type ConsentPrompt =
  | {
      kind: 'prompt'
      app: App
      to: ReturnTo
      ticket: string
      /** Name and title of the service, and what it shares. */
      service: Offer
      self: Self
      /**
       * The profiles of the account that the new profile will join; undefined if it is not linked to a given account.
       */
      joins: Member[] | undefined
      /** The profile is in the account already and is connected again. */
      reconnects: boolean
      expiresAt: number
    }
  | { kind: 'exchanged'; app: App; to: ReturnTo }

/** What the consent page shows. Reading it changes nothing, so the page can be reloaded. */
export async function readConsentPrompt(
  deps: IdentityDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<ConsentPrompt> {
  const { consent, unused } = await deps.database.transaction(async (tx) => {
    const locked = await lockShownConsent(deps, tx, ticket, browser)
    if (isDeclined(locked)) throw new ApiError('session_expired')
    return { consent: locked, unused: await findUnusedConsent(deps, tx, locked, ticket) }
  })
  const app = await findApp(deps.database, consent.appId)
  if (app === undefined) throw new ApiError('session_expired')
  if (unused === undefined) return { kind: 'exchanged', app, to: returnOf(consent) }
  const signedIn = signedInOf(unused)
  if (signedIn === undefined) throw new ApiError('session_expired')
  return {
    kind: 'prompt',
    app,
    to: returnOf(consent),
    ticket,
    service: offerOf(deps, consent.service, signedIn.credential.scope),
    self: signedIn.self,
    joins: consent.accountId === undefined ? undefined : await membersOf(deps, consent.accountId),
    reconnects: readConsent(consent).request.began === 'reconnect',
    expiresAt: consent.expiresAt,
  }
}

function offerOf({ registry }: IdentityDeps, service: string, scope: string | undefined): Offer {
  const connector = registry.find(service)
  return { service, title: connector?.title ?? service, shares: connector ? sharesOf(connector, scope) : ['profile'] }
}

/** The profiles of the account that a sign-in will join, so that the person sees whose account it is. */
async function membersOf(deps: IdentityDeps, accountId: string): Promise<Member[]> {
  const account = await findAccountById(deps.database, accountId)
  if (account === undefined) throw new ApiError('session_expired', 'The account of this sign-in no longer exists.')
  return (await listProfiles(deps.database, account)).map(({ service, person, nativeId }) => ({
    title: titleOf(deps, service),
    name: person.name ?? person.handle ?? sourceOf({ person, nativeId }),
  }))
}

function titleOf({ registry }: IdentityDeps, service: string): string {
  return registry.find(service)?.title ?? service
}
