import { z } from 'zod'
import { recentCalls } from '#flows/apps/calls.ts'
import { text } from '../request/parameters.ts'
import { route } from '../server/route.ts'

const call = z
  .object({
    id: z.string(),
    at: z.number(),
    account: z.string(),
    method: z.string(),
    service: z.string(),
    path: z.string().describe('Without the query.'),
    status: z.number().describe('499: the app disconnected early; 502: the service’s response broke off.'),
    ms: z.number(),
    bytes: z.number(),
    refreshed: z.boolean(),
    retried: z.boolean(),
    request_id: z.string(),
    token_id: z
      .string()
      .optional()
      .describe('The id of the token that made it; absent if an operator or an agent did.'),
  })
  .meta({ id: 'ProxyCall', description: 'A call through the proxy.' })

export const listCalls = route({
  auth: 'admin',
  summary: 'List calls of an app through the proxy in the last 14 days, newest first',
  path: z.object({ client_id: z.string() }),
  query: z.object({
    limit: z
      .string()
      .regex(/^0*([1-9]\d{0,2}|1000)$/, 'must be a whole number from 1 to 1000')
      .transform(Number)
      .default(100)
      .describe('1 to 1000.'),
    before: text('The `id` of the last call seen; older calls follow.', 64).optional(),
  }),
  response: z.array(call),
  reasons: ['not_found'],
  run: async (deps, { path, query }) => {
    const calls = await recentCalls(deps, path.client_id, query)
    return calls.map(({ shard: _shard, appId: _app, accountId, requestId, tokenId, ...rest }) => ({
      ...rest,
      account: accountId,
      request_id: requestId,
      ...(tokenId === undefined ? {} : { token_id: tokenId }),
    }))
  },
})
