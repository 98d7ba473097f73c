import { z } from 'zod'
import { presentAgentGrants, revokeGrantOf } from '#flows/agents/grants.ts'
import { text } from '../request/parameters.ts'
import { route } from '../server/route.ts'

export const list = route({
  auth: 'account',
  summary: 'List what the person allowed agents to do',
  response: z.array(
    z.object({
      id: z.string(),
      scopes: z.array(z.string()),
      redirect_uri: z.string().describe('Where the agent received the person.'),
      created_at: z.int(),
      expires_at: z.int().describe('When it ends, unless the agent refreshes it.'),
    }),
  ),
  run: (deps, { account }) => presentAgentGrants(deps, account),
})

export const remove = route({
  auth: 'account',
  summary: 'End the access of an agent at once',
  path: z.object({ id: text('From the list.') }),
  response: z.object({ deleted: z.string() }),
  reasons: ['not_found'],
  run: async (deps, { account, actor, path }) => {
    await revokeGrantOf(deps, account, path.id, actor)
    return { deleted: path.id }
  },
})
