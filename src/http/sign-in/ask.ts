import { z } from 'zod'
import { answerQuestion, declineQuestion, readQuestion, returnOfQuestion } from '#flows/sign-in/ask.ts'
import { ApiError } from '#model/errors.ts'
import { askPage } from '../pages/ask-page.ts'
import { languageFor, sendPersonPage } from '../pages/person-page.ts'
import { text } from '../request/parameters.ts'
import { browserOf } from '../server/browser.ts'
import { route } from '../server/route.ts'
import { continueSignIn } from './continue-sign-in.ts'
import { returnFailure } from './return-to-app.ts'

export const show = route({
  auth: 'browser',
  summary: 'Ask the person what a service needs to know before the sign-in, such as the name of their server',
  type: 'text/html',
  query: z.object({ ticket: text('From the redirect that led here.') }),
  reasons: ['session_expired'],
  run: async (deps, { query, request, reply }) => {
    const prompt = await readQuestion(deps, query.ticket, browserOf(deps, request))
    return sendPersonPage(reply, askPage(prompt, languageFor(request, prompt.to.locale)))
  },
})

export const answer = route({
  auth: 'browser',
  signInStep: 'answer',
  summary:
    'Answer the questions before a sign-in; the fields of the page are named `field_` and the name of the question',
  body: z.looseObject({ ticket: text('From the page.'), answer: z.enum(['yes', 'no']).default('yes') }),
  status: 303,
  reasons: ['session_expired', 'too_many_sign_ins'],
  headers: ['Location'],
  run: async (deps, { body, request, reply, signIn }) => {
    const browser = browserOf(deps, request)
    if (body.answer === 'no') return continueSignIn(deps, reply, await declineQuestion(signIn, body.ticket, browser))
    try {
      const outcome = await answerQuestion(signIn, body.ticket, browser, fieldsIn(body), request.ip)
      return continueSignIn(deps, reply, outcome)
    } catch (error) {
      if (error instanceof ApiError) throw error
      return returnFailure(signIn, reply, await returnOfQuestion(deps, body.ticket, browser), error)
    }
  },
})

/** The prefix keeps names of questions apart from those of the form. */
function fieldsIn(body: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      name.startsWith('field_') && typeof value === 'string' ? [[name.slice('field_'.length), value]] : [],
    ),
  )
}
