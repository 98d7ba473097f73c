import type { SignInOutcome } from '#flows/sign-in/outcome.ts'
import { AuthorizeError } from '#identity/errors.ts'
import type { HttpReply } from '../exchange/reply.ts'
import { donePage } from '../pages/confirm.ts'
import { languageFor, sendPersonPage } from '../pages/person-page.ts'
import type { HttpDeps } from '../server/deps.ts'
import { returnCode, returnError, returnReconnected, returnToken } from './return-to-app.ts'

/** Sends the browser on, after a request of a sign-in: to a page of ours, to the service or to the app. */
export function continueSignIn(
  deps: Pick<HttpDeps, 'config'>,
  reply: HttpReply,
  outcome: SignInOutcome,
  status: 302 | 303 = 303,
): HttpReply {
  const goTo = (address: string) => reply.code(status).header('location', address).send()
  if ('account' in outcome) reply.request.server.forgetAccount(outcome.account)
  switch (outcome.kind) {
    case 'asked':
      return goTo(pageAddress('/oauth/ask', outcome.ticket))
    case 'typing':
    case 'sent':
    case 'forwarded':
      return goTo(outcome.url)
    case 'choosing':
      return goTo(pageAddress('/oauth/choose', outcome.ticket))
    case 'confirming':
      return goTo(pageAddress('/oauth/confirm', outcome.ticket))
    case 'coded':
      return returnCode(deps, reply, outcome.to, outcome.code)
    case 'issued':
      return returnToken(deps, reply, outcome.to, outcome.token, outcome.account)
    case 'reconnected':
      return returnReconnected(deps, reply, outcome.to)
    case 'exchanged':
      return sendPersonPage(reply, donePage(languageFor(reply.request, outcome.to.locale)))
    case 'declined':
      return returnError(deps, reply, outcome.to, new AuthorizeError('access_denied'))
    case 'failed':
      return returnError(deps, reply, outcome.to, outcome.error)
    default:
      return outcome satisfies never
  }
}

/** Pages of a ticket can be reloaded, and need the cookie of the browser that began the sign-in. */
function pageAddress(path: string, ticket: string): string {
  return `${path}?${new URLSearchParams({ ticket }).toString()}`
}
