import { z } from 'zod'
import { route } from '../server/route.ts'
import { isExposed } from './exposed.ts'
import { requireSameOrigin } from './same-origin.ts'
import { forgetSession, openSession, readRemembered, requireDemo, shownServices } from './session.ts'

const demoSession = z
  .object({
    client_id: z.string(),
    services: z.array(
      z.object({ service: z.string(), title: z.string(), summary: z.string(), connected: z.boolean() }),
    ),
    exposed: z.boolean().describe('Whether others can reach this demo. Its controls are off then.'),
    account: z.string().optional(),
    access_token: z.string().optional().describe("For this browser only: it has the cookie with the account's token."),
  })
  .meta({ id: 'DemoSession', description: "The demo services, and the browser's account at the demo app." })

export const showSession = route({
  auth: 'browser',
  summary: "Demo app: get the demo services and this browser's account",
  response: demoSession,
  reasons: ['not_found', 'origin_refused'],
  run: async (deps, { request, reply }) => {
    const { clientId } = requireDemo(deps)
    requireSameOrigin(deps, request)
    const session = await openSession(deps, request)
    // The cookie of an account that was deleted, or of another data folder.
    if (session === undefined && readRemembered(deps, request) !== undefined) forgetSession(deps, reply)
    return {
      client_id: clientId,
      services: await shownServices(deps, session?.account),
      exposed: isExposed(deps, request),
      ...(session === undefined ? {} : { account: session.account.id, access_token: session.token }),
    }
  },
})

export const endSession = route({
  auth: 'browser',
  summary: 'Demo app: forget the account of this browser',
  response: z.object({ deleted: z.literal('session') }),
  reasons: ['not_found', 'origin_refused'],
  run: async (deps, { request, reply }) => {
    requireDemo(deps)
    requireSameOrigin(deps, request)
    forgetSession(deps, reply)
    return { deleted: 'session' }
  },
})
