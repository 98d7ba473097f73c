import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { type ConsentResult, confirmSignIn, declineSignIn } from '#flows/authorize/confirm.ts'
import { readConsentPrompt } from '#flows/authorize/consent-prompt.ts'
import { AuthorizeError } from '#flows/authorize/errors.ts'
import { browserOf } from './browser.ts'
import type { HttpDeps } from './deps.ts'
import { PAGE } from './description/other-responses.ts'
import { confirmPage, donePage } from './pages/confirm.ts'
import { languageFor, sendPersonPage } from './pages/person-page.ts'
import { text } from './parameters.ts'
import { returnCode, returnError, returnReconnected, returnToken } from './return-to-app.ts'
import { route } from './route.ts'

/** The address of the confirmation page. It can be reloaded, and needs the cookie of the browser that began the sign-in. */
export function confirmPath(ticket: string): string {
  return `/oauth/confirm?${new URLSearchParams({ ticket }).toString()}`
}

export const ask = route({
  auth: 'browser',
  summary: 'Ask the person for confirmation before a browser app gets a token or a profile joins an existing account',
  type: 'text/html',
  query: z.object({ ticket: text('From the redirect that led here.') }),
  reasons: ['session_expired'],
  run: async (deps, { query, request, reply }) => {
    const question = await readConsentPrompt(deps, query.ticket, browserOf(deps, request))
    const language = languageFor(request, question.to.locale)
    if (question.kind === 'done') return sendPersonPage(reply, donePage(language, question.app))
    return sendPersonPage(reply, confirmPage(question, language))
  },
})

export const answer = route({
  auth: 'browser',
  signInStep: 'confirm',
  summary: 'Confirm or decline a sign-in; repeating the request returns the same result',
  body: z.object({ ticket: text('From the page.'), answer: z.enum(['yes', 'no']) }),
  status: 303,
  reasons: ['session_expired'],
  headers: ['Location'],
  also: { 200: PAGE },
  run: async (deps, { body, request, reply, signIn }) => {
    const decide = body.answer === 'yes' ? confirmSignIn : declineSignIn
    const result = await decide(signIn, body.ticket, browserOf(deps, request))
    if ('account' in result) request.server.forgetAccount(result.account)
    return continueSignIn(deps, reply, result)
  },
})

function continueSignIn(deps: HttpDeps, reply: FastifyReply, confirmed: ConsentResult): FastifyReply {
  switch (confirmed.kind) {
    case 'code':
      return returnCode(deps, reply, confirmed.to, confirmed.code)
    case 'token':
      return returnToken(deps, reply, confirmed.to, confirmed.token, confirmed.account)
    case 'reconnected':
      return returnReconnected(deps, reply, confirmed.to)
    case 'declined':
      return returnError(deps, reply, confirmed.to, new AuthorizeError('access_denied'))
    case 'done':
      return sendPersonPage(reply, donePage(languageFor(reply.request, confirmed.to.locale)))
    default:
      return confirmed satisfies never
  }
}
