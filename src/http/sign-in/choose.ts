import { z } from 'zod'
import { chooseTenant, declineChoice, readChoicePage, returnOfChoice } from '#flows/sign-in/choose.ts'
import { ApiError } from '#model/errors.ts'
import { PAGE, REDIRECT } from '../describe/description/other-responses.ts'
import { choosePage } from '../pages/choose-page.ts'
import { languageFor, sendPersonPage } from '../pages/person-page.ts'
import { text } from '../request/parameters.ts'
import { browserOf } from '../server/browser.ts'
import { route } from '../server/route.ts'
import { continueSignIn } from './continue-sign-in.ts'
import { returnFailure } from './return-to-app.ts'

export const show = route({
  auth: 'browser',
  summary: 'Ask the person which of their sites, companies or workspaces at a service they want to connect',
  type: 'text/html',
  query: z.object({ ticket: text('From the redirect that led here.') }),
  reasons: ['session_expired'],
  also: { 302: REDIRECT, 303: REDIRECT },
  run: async (deps, { query, request, reply }) => {
    const prompt = await readChoicePage(deps, query.ticket, browserOf(deps, request))
    if (prompt.kind !== 'prompt') return continueSignIn(deps, reply, prompt)
    return sendPersonPage(reply, choosePage(prompt, languageFor(request, prompt.to.locale)))
  },
})

export const answer = route({
  auth: 'browser',
  signInStep: 'choose',
  summary: 'Choose one of them; repeating the request returns the same result',
  body: z.object({
    ticket: text('From the page.'),
    tenant: text('The id of the one that was chosen.').optional(),
    answer: z.enum(['yes', 'no']).default('yes'),
  }),
  status: 303,
  reasons: ['session_expired'],
  headers: ['Location'],
  also: { 200: PAGE },
  run: async (deps, { body, request, reply, signIn }) => {
    const browser = browserOf(deps, request)
    if (body.answer === 'no') return continueSignIn(deps, reply, await declineChoice(signIn, body.ticket, browser))
    try {
      return continueSignIn(deps, reply, await chooseTenant(signIn, body.ticket, browser, body.tenant))
    } catch (error) {
      if (error instanceof ApiError) throw error
      return returnFailure(signIn, reply, await returnOfChoice(deps, body.ticket, browser), error)
    }
  },
})
