import { z } from 'zod'
import { confirmSignIn, declineSignIn } from '#flows/sign-in/confirm.ts'
import { readConsentPrompt } from '#flows/sign-in/consent-prompt.ts'
import { PAGE } from '../describe/description/other-responses.ts'
import { confirmPage, donePage } from '../pages/confirm.ts'
import { languageFor, sendPersonPage } from '../pages/person-page.ts'
import { text } from '../request/parameters.ts'
import { browserOf } from '../server/browser.ts'
import { route } from '../server/route.ts'
import { continueSignIn } from './continue-sign-in.ts'

export const ask = route({
  auth: 'browser',
  summary: 'Ask the person for confirmation before a browser app gets a token or a profile joins an existing account',
  type: 'text/html',
  query: z.object({ ticket: text('From the redirect that led here.') }),
  reasons: ['session_expired'],
  run: async (deps, { query, request, reply }) => {
    const question = await readConsentPrompt(deps, query.ticket, browserOf(deps, request))
    const language = languageFor(request, question.to.locale)
    if (question.kind === 'exchanged') return sendPersonPage(reply, donePage(language, question.app))
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
    return continueSignIn(deps, reply, await decide(signIn, body.ticket, browserOf(deps, request)))
  },
})
