import { z } from 'zod'
import { allowAgent, declineAgent, readAgentPrompt } from '#flows/agents/consent.ts'
import {
  AgentRefusal,
  type AgentReturn,
  checkAgentReturn,
  findAgentPending,
  readAgentRequest,
} from '#flows/agents/request.ts'
import { finishAgentSignIn, signInForAgent } from '#flows/agents/sign-in.ts'
import type { SignInDeps } from '#identity/deps.ts'
import { AuthorizeError } from '#identity/errors.ts'
import { servicesOf } from '#identity/services.ts'
import { stopWith } from '#identity/sign-in-trace.ts'
import { describeError } from '#model/oauth-errors.ts'
import { PAGE } from '../describe/description/other-responses.ts'
import type { HttpReply } from '../exchange/reply.ts'
import { agentConsentPage, agentServicesPage } from '../pages/agent.ts'
import { languageFor, sendPersonPage } from '../pages/person-page.ts'
import { text } from '../request/parameters.ts'
import { browserOf, rememberBrowser } from '../server/browser.ts'
import type { HttpDeps } from '../server/deps.ts'
import { route } from '../server/route.ts'
import { continueSignIn } from '../sign-in/continue-sign-in.ts'
import { errorUri } from '../sign-in/return-to-app.ts'
import { issuerOf } from './metadata.ts'

const request = z.object({
  client_id: text("The app's client id; the app must have agents turned on.").optional(),
  redirect_uri: text('Where the agent receives the person; must equal an address registered for agents.').optional(),
  response_type: text('`code`.').optional(),
  code_challenge: text('PKCE, required.').optional(),
  code_challenge_method: text('`S256`.').optional(),
  scope: text('With spaces between them. Default: all that read.').optional(),
  resource: text('The address of the MCP endpoint (RFC 8707), required.').optional(),
  state: text('Returned unchanged in the redirect.', 4000).optional(),
  service: text('The service to sign in at; without it the person chooses on a page.').optional(),
  locale: text('Language of the pages, e.g. `de`; otherwise that of the browser.').optional(),
})

/** Without a service the page with the choice is shown, which stores nothing. */
export const authorize = route({
  auth: 'browser',
  signInStep: 'request',
  hasSideEffects: true,
  emptyIsAbsent: true,
  summary: 'Let a person sign in and decide what an agent may do',
  query: request,
  status: 302,
  also: { 200: PAGE },
  reasons: ['client_unknown', 'redirect_unregistered', 'too_many_sign_ins'],
  run: async (deps, { query, request: incoming, reply, signIn }) => {
    const { app, to } = await checkAgentReturn(deps, query)
    return returning(signIn, reply, to, async () => {
      const checked = readAgentRequest(deps, app, to, query)
      if (query.service === undefined) {
        const services = (await servicesOf(deps, app)).map(({ service, title }) => {
          const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
          const link = new URLSearchParams([...given, ['service', service]]).toString()
          return { service, title, link: `/oauth/agents/authorize?${link}` }
        })
        return sendPersonPage(reply, agentServicesPage(app, services, languageFor(incoming, to.locale)))
      }
      const browser = rememberBrowser(deps, incoming, reply)
      const start = { service: query.service, answers: {} }
      const outcome = await signInForAgent(signIn, app, checked, start, browser, incoming.ip)
      return continueSignIn(deps, reply, outcome, 302)
    })
  },
})

export const signedIn = route({
  auth: 'browser',
  signInStep: 'code_exchange',
  hasSideEffects: true,
  summary: 'Receive a person who signed in for an agent, and go on to the consent',
  query: z.object({
    state: text('From the request.'),
    code: text('Of the finished sign-in.').optional(),
    error: text('Why it failed.').optional(),
    error_description: text('Why it failed, as a sentence.').optional(),
    error_uri: text('Its description.').optional(),
  }),
  status: 302,
  reasons: ['session_expired'],
  run: async (deps, { query, request: incoming, reply, signIn }) => {
    const browser = browserOf(deps, incoming)
    const { value } = await findAgentPending(deps, query.state, browser)
    return returning(signIn, reply, value, async () => {
      if (query.code === undefined)
        throw new AgentRefusal('access_denied', query.error_description ?? 'The person did not sign in.')
      const { accountId } = await finishAgentSignIn(signIn, query.state, query.code, browser)
      incoming.server.forgetAccount(accountId)
      const location = `/oauth/agents/consent?${new URLSearchParams({ ticket: query.state }).toString()}`
      return reply.code(302).header('location', location).send()
    })
  },
})

export const ask = route({
  auth: 'browser',
  summary: 'Ask the person what an agent may do',
  type: 'text/html',
  query: z.object({ ticket: text('From the redirect that led here.') }),
  reasons: ['session_expired'],
  run: async (deps, { query, request: incoming, reply }) => {
    const prompt = await readAgentPrompt(deps, query.ticket, browserOf(deps, incoming))
    const titles = new Map(deps.registry.index().map(({ service, title }) => [service, title]))
    return sendPersonPage(reply, agentConsentPage(prompt, titles, languageFor(incoming, prompt.to.locale)))
  },
})

export const answer = route({
  auth: 'browser',
  summary: 'Allow or decline what an agent asked for; repeating the request returns the same result',
  body: z.object({
    ticket: text('From the page.'),
    answer: z.enum(['yes', 'no']),
    scope: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('What the person allows.'),
  }),
  status: 303,
  reasons: ['session_expired'],
  run: async (deps, { body, request: incoming, reply }) => {
    const browser = browserOf(deps, incoming)
    const { value } = await findAgentPending(deps, body.ticket, browser)
    return returning(deps, reply, value, async () => {
      if (body.answer === 'no') {
        await declineAgent(deps, body.ticket, browser)
        throw new AgentRefusal('access_denied', 'The person declined.')
      }
      const { to, code } = await allowAgent(deps, body.ticket, [body.scope ?? []].flat(), browser)
      return redirect(deps, reply, to, { code })
    })
  },
})

/** Returns refusals to the agent by redirect. In a step of a sign-in, they are logged as its end. */
async function returning(
  deps: HttpDeps | SignInDeps<HttpDeps>,
  reply: HttpReply,
  to: AgentReturn,
  run: () => Promise<HttpReply>,
): Promise<HttpReply> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof AgentRefusal) && !(error instanceof AuthorizeError)) throw error
    if ('trace' in deps) stopWith(deps.trace, error)
    const word = error instanceof AgentRefusal ? error.word : wordOf(error)
    const uri = error instanceof AuthorizeError ? { error_uri: errorUri(deps, error.reason) } : {}
    return redirect(deps, reply, to, { error: word, error_description: describeError(error.message), ...uri })
  }
}

/** Agents know the words of RFC 6749 only. */
function wordOf({ reason }: AuthorizeError): string {
  return reason === 'access_denied' || reason === 'invalid_request' ? reason : 'server_error'
}

function redirect(
  deps: HttpDeps,
  reply: HttpReply,
  { redirectUri, state }: AgentReturn,
  params: Record<string, string>,
): HttpReply {
  const query = new URLSearchParams({ ...params, ...(state === undefined ? {} : { state }), iss: issuerOf(deps) })
  const joiner = redirectUri.includes('?') ? '&' : '?'
  return reply
    .code(reply.request.method === 'GET' ? 302 : 303)
    .header('location', `${redirectUri}${joiner}${query.toString()}`)
    .send()
}
