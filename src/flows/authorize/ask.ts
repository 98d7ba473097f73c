import type { Self } from '#kit/self.ts'
import type { App } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { findApp } from '#store/apps/apps.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { listProfiles } from '#store/identity/profiles.ts'
import { waitingFor } from './confirm.ts'
import { isDeclined, lockAsked, returnOf } from './confirm-ticket.ts'
import { signInOf } from './consent-value.ts'
import type { AuthorizeDeps } from './deps.ts'
import type { ReturnTo } from './start.ts'

/** A profile that the account already has. */
interface Member {
  title: string
  name: string
}

export type Question =
  | {
      kind: 'ask'
      app: App
      to: ReturnTo
      ticket: string
      /** Title of the service. */
      service: string
      self: Self
      /** Who is in the account it will join; undefined when it will be the person's own. */
      joins: Member[] | undefined
      expiresAt: number
    }
  | { kind: 'done' }

/** What the page asks. Looking changes nothing, so that it can be loaded again and gone back to. */
export async function askPerson(deps: AuthorizeDeps, ticket: string, browser: Buffer | undefined): Promise<Question> {
  const { consent, waiting } = await deps.database.transaction(async (tx) => {
    const asked = await lockAsked(deps, tx, ticket, browser)
    if (isDeclined(asked)) throw new ApiError('session_expired')
    return { consent: asked, waiting: await waitingFor(deps, tx, asked, ticket) }
  })
  const app = await findApp(deps.database, consent.appId)
  if (app === undefined) throw new ApiError('session_expired')
  if (waiting === undefined) return { kind: 'done' }
  const { signedIn } = signInOf(waiting)
  return {
    kind: 'ask',
    app,
    to: returnOf(consent),
    ticket,
    service: titleOf(deps, consent.service),
    self: signedIn.self,
    joins: consent.accountId === undefined ? undefined : await membersOf(deps, consent.accountId),
    expiresAt: consent.expiresAt,
  }
}

/** Who is in the account that a sign-in will join, so that the person sees whose it is. */
async function membersOf(deps: AuthorizeDeps, accountId: string): Promise<Member[]> {
  const account = await findAccountById(deps.database, accountId)
  if (account === undefined) throw new ApiError('session_expired', 'The account that this sign-in was for is gone.')
  return (await listProfiles(deps.database, account)).map(({ service, person, nativeId }) => ({
    title: titleOf(deps, service),
    name: person.name ?? person.handle ?? nativeId,
  }))
}

function titleOf({ registry }: AuthorizeDeps, service: string): string {
  return registry.find(service)?.title ?? service
}
