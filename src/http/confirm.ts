import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { type ConsentResult, confirmSignIn, declineSignIn } from '#flows/authorize/confirm.ts'
import { readConsentPrompt } from '#flows/authorize/consent-prompt.ts'
import { AuthorizeError } from '#flows/authorize/errors.ts'
import { browserOf } from './browser.ts'
import { confirmPage, donePage } from './pages/confirm.ts'
import { policyToward, sendPage } from './pages/layout.ts'
import { text } from './parameters.ts'
import { returnCode, returnError, returnToken } from './return-to-app.ts'
import { route } from './route.ts'

/** The page's own address: it can be loaded again, and gone back to. Without the browser's cookie it opens nothing. */
export function confirmPath(ticket: string): string {
  return `/oauth/confirm?${new URLSearchParams({ ticket }).toString()}`
}

export const ask = route({
  auth: 'browser',
  summary: 'Asks the person before a token goes to a browser app, or a profile joins an account that exists',
  type: 'text/html',
  query: z.object({ ticket: text('From the redirect that led here.') }),
  reasons: ['session_expired'],
  run: async (deps, { query, request, reply }) => {
    const question = await readConsentPrompt(deps, query.ticket, browserOf(deps, request))
    if (question.kind === 'done') return sendPage(reply, donePage())
    return sendPage(reply, confirmPage(question), 200, policyToward(question.to.redirectUri))
  },
})

export const response = route({
  auth: 'browser',
  summary: 'The person agrees or not; the same answer again gives the same again',
  body: z.object({ ticket: text('From the page.'), response: z.enum(['yes', 'no']) }),
  status: 303,
  reasons: ['session_expired'],
  run: async (deps, { body, request, reply }) => {
    const decide = body.response === 'yes' ? confirmSignIn : declineSignIn
    return goOn(reply, await decide(deps, body.ticket, browserOf(deps, request)))
  },
})

function goOn(reply: FastifyReply, confirmed: ConsentResult): FastifyReply {
  switch (confirmed.kind) {
    case 'code':
      return returnCode(reply, confirmed.to, confirmed.code)
    case 'token':
      return returnToken(reply, confirmed.to, confirmed.token, confirmed.account)
    case 'declined':
      return returnError(reply, confirmed.to, new AuthorizeError('access_denied'))
    case 'done':
      return sendPage(reply, donePage())
    default:
      return confirmed satisfies never
  }
}
