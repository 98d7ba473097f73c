import { z } from 'zod'
import { accountOfApp } from '#flows/accounts/export-account.ts'
import { type AccountView, listAccounts, showAccount } from '#flows/accounts/list-accounts.ts'
import { usageOf } from '#flows/operations/usage.ts'
import { syncOverview } from '#flows/sync/overview.ts'
import { PROFILE_STATES } from '#model/accounts/profile.ts'
import { flag } from '#model/input/input.ts'
import { SYNC_REASONS } from '#model/sync/sync-reasons.ts'
import { usage } from '../apps/admin-quotas.ts'
import { text } from '../request/parameters.ts'
import { addLink } from '../server/data-route.ts'
import { route } from '../server/route.ts'
import { profileState } from '../shapes/people.ts'
import { overviewSchema } from '../sync/sync-overview.ts'

/** Limit (reading): accounts on one page of `GET /accounts`; more is answered with 400. */
const MAX_ACCOUNTS_ON_PAGE = 200
const DEFAULT_LIMIT = 50

const profile = z
  .object({
    profile: z.string(),
    service: z.string(),
    name: z.string().optional(),
    handle: z.string().optional(),
    email: z.string().optional(),
    photo: z.string().optional(),
    scope: z.string().optional().describe('The scope that the person granted.'),
    state: profileState,
    connected_at: z.int(),
    synced_at: z.int().optional(),
    error: z.string().optional(),
    reconnect: z.string().optional().describe('In the state `needs_auth`: POST here for a link to sign in again.'),
  })
  .meta({ id: 'AccountProfile', description: 'A profile of an account, as its app sees it.' })
const account = z
  .object({ id: z.string(), created_at: z.int(), profiles: z.array(profile) })
  .meta({ id: 'Account', description: 'An account of the app.' })

export const list = route({
  auth: 'app',
  summary: "List the app's accounts with the states of their profiles, a page at a time",
  query: z.object({
    limit: z
      .string()
      .regex(/^\d{1,4}$/, `must be a whole number from 1 to ${MAX_ACCOUNTS_ON_PAGE}`)
      .transform(Number)
      .refine((n) => n >= 1 && n <= MAX_ACCOUNTS_ON_PAGE, `must be a whole number from 1 to ${MAX_ACCOUNTS_ON_PAGE}`)
      .default(DEFAULT_LIMIT)
      .describe('Maximum number of accounts.'),
    cursor: text('From the `Link` header of the previous page.', 100).optional(),
    service: text('Only accounts with a profile of this service.').optional(),
    state: z
      .enum(PROFILE_STATES)
      .optional()
      .describe('Only accounts with a profile in this state; with `service`, of this service.'),
    q: text(
      'The id of an account or a profile, or words of a name, a handle, an e-mail address or a native id; each may be the beginning.',
      200,
    ).optional(),
    failing: flag('Only accounts with a profile that has an endpoint whose last run failed.'),
    reason: z
      .enum(SYNC_REASONS)
      .optional()
      .describe('Only accounts with a profile that has an endpoint with this `last_reason`.'),
    count: flag('Add `X-Total-Count`: the number of all accounts that match.'),
  }),
  response: z.array(account),
  headers: ['Link', 'X-Total-Count'],
  run: async (deps, { app, query, reply }) => {
    const { accounts, next, total } = await listAccounts(deps, app.id, query)
    if (total !== undefined) reply.header('x-total-count', String(total))
    if (next !== undefined) {
      const { service, state, q, reason, limit } = query
      const flags = { failing: query.failing ? 'true' : undefined, count: query.count ? 'true' : undefined }
      const given = { limit: String(limit), service, state, q, reason, ...flags, cursor: next }
      const pairs = Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined)
      addLink(reply, `<${deps.config.baseUrl}/accounts?${new URLSearchParams(pairs).toString()}>; rel="next"`)
    }
    return accounts
  },
})

export const show = route({
  auth: 'app',
  summary: "Get one of the app's accounts: its profiles, and how much of its quotas it uses",
  path: z.object({ id: text('The account.') }),
  response: account
    .extend({ sync: overviewSchema, usage: usage.pick({ counted_at: true, quotas: true, profiles: true }) })
    .meta({ id: 'AccountDetail', description: 'An account of the app, with its sync state and its usage.' }),
  reasons: ['not_found'],
  run: async (deps, { app, path }): Promise<AccountView & { usage: object; sync: object }> => {
    const shown = await showAccount(deps, app.id, path.id)
    const { counted_at, quotas, profiles } = await usageOf(deps, app.id, { account: path.id })
    const sync = await syncOverview(deps, await accountOfApp(deps, app.id, path.id))
    return { ...shown, sync, usage: { counted_at, quotas, profiles } }
  },
})
