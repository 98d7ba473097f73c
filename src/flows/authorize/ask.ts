import type { Self } from '#kit/self.ts'
import type { App } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { findAccountById } from '#store/accounts.ts'
import { findApp } from '#store/apps.ts'
import { listProfiles } from '#store/profiles.ts'
import { waitingFor } from './confirm.ts'
import { isDeclined, lockAsked, returnOf } from './confirm-ticket.ts'
import { signInOf } from './consent-value.ts'
import type { AuthorizeNeed } from './need.ts'
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
export async function askPerson(need: AuthorizeNeed, ticket: string, browser: Buffer | undefined): Promise<Question> {
  const { consent, waiting } = await need.database.transaction(async (tx) => {
    const asked = await lockAsked(need, tx, ticket, browser)
    if (isDeclined(asked)) throw new ApiError('session_expired')
    return { consent: asked, waiting: await waitingFor(need, tx, asked, ticket) }
  })
  const app = await findApp(need.database, consent.appId)
  if (app === undefined) throw new ApiError('session_expired')
  if (waiting === undefined) return { kind: 'done' }
  const { signedIn } = signInOf(waiting)
  return {
    kind: 'ask',
    app,
    to: returnOf(consent),
    ticket,
    service: titleOf(need, consent.service),
    self: signedIn.self,
    joins: consent.accountId === undefined ? undefined : await membersOf(need, consent.accountId),
    expiresAt: consent.expiresAt,
  }
}

/** Who is in the account that a sign-in will join, so that the person sees whose it is. */
async function membersOf(need: AuthorizeNeed, accountId: string): Promise<Member[]> {
  const account = await findAccountById(need.database, accountId)
  if (account === undefined) throw new ApiError('session_expired', 'The account that this sign-in was for is gone.')
  return (await listProfiles(need.database, account)).map(({ service, person, nativeId }) => ({
    title: titleOf(need, service),
    name: person.name ?? person.handle ?? nativeId,
  }))
}

function titleOf({ registry }: AuthorizeNeed, service: string): string {
  return registry.find(service)?.title ?? service
}
