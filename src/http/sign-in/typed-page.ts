import { z } from 'zod'
import { declineTyped, readTypedPage, submitTyped } from '#flows/sign-in/typed-sign-in.ts'
import { PAGE, REDIRECT } from '../describe/description/other-responses.ts'
import { languageFor, sendPersonPage } from '../pages/person-page.ts'
import { FIELD_PREFIX, typedPage } from '../pages/typed.ts'
import { text } from '../request/parameters.ts'
import { browserOf } from '../server/browser.ts'
import { route } from '../server/route.ts'
import { continueSignIn } from './continue-sign-in.ts'

export const show = route({
  auth: 'browser',
  summary: 'Ask the person for what a service requires: a key, a name and a password, an address',
  type: 'text/html',
  query: z.object({ state: text('From the redirect that led here.') }),
  reasons: ['session_expired'],
  also: { 302: REDIRECT, 303: REDIRECT },
  run: async (deps, { query, request, reply }) => {
    const page = await readTypedPage(deps, query.state, browserOf(deps, request))
    if (page.kind !== 'prompt') return continueSignIn(deps, reply, page)
    return sendPersonPage(reply, typedPage(page, languageFor(request, page.to.locale), deps.clock.now()))
  },
})

export const submit = route({
  auth: 'browser',
  signInStep: 'typed',
  summary: 'Sign in with what the person typed; a repeated request returns the same result',
  body: z.looseObject({ state: text('From the page.'), answer: z.enum(['yes', 'no']).optional() }),
  status: 303,
  reasons: ['session_expired'],
  headers: ['Location'],
  also: { 200: PAGE },
  run: async (deps, { body, request, reply, signIn }) => {
    const browser = browserOf(deps, request)
    const outcome =
      body.answer === 'no'
        ? await declineTyped(signIn, body.state, browser)
        : await submitTyped(signIn, body.state, typedIn(body), browser, request.ip)
    return continueSignIn(deps, reply, outcome)
  },
})

function typedIn(body: Record<string, unknown>): Record<string, unknown> {
  const pairs = Object.entries(body).filter(([name]) => name.startsWith(FIELD_PREFIX))
  return Object.fromEntries(pairs.map(([name, value]) => [name.slice(FIELD_PREFIX.length), value]))
}
