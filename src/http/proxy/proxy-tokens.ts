import { z } from 'zod'
import { accountOfApp } from '#flows/accounts/export-account.ts'
import {
  createProxyToken,
  MAX_TOKEN_LABEL,
  MAX_TOKEN_METHODS,
  MAX_TOKEN_PATH,
  MAX_TOKEN_PATHS,
  PROXY_TOKEN_S,
  type ProxyTokenRequest,
  presentProxyTokens,
  revokeProxyToken,
} from '#flows/proxy/proxy-tokens.ts'
import { text } from '../request/parameters.ts'
import { route } from '../server/route.ts'

const body = z.object({
  service: text('`service`; or `id@service`, so that it is for this profile only, and ends with it.'),
  methods: z
    .array(z.string().regex(/^[A-Z]{1,20}$/, 'must be a method in capitals, such as GET'))
    .min(1)
    .max(MAX_TOKEN_METHODS)
    .optional()
    .describe('Only these methods; `GET` includes `HEAD`. Default: all.'),
  paths: z
    .array(
      text(
        'A path as in calls at `/proxy/:service`, or a full address on a further host of the service.',
        MAX_TOKEN_PATH,
      ),
    )
    .min(1)
    .max(MAX_TOKEN_PATHS)
    .optional()
    .describe('Only these paths, and what is below them. Default: all.'),
  label: text('What it is for, for those who read the list.', MAX_TOKEN_LABEL).optional(),
  expires_in: z
    .number()
    .int()
    .min(PROXY_TOKEN_S.min)
    .max(PROXY_TOKEN_S.max)
    .optional()
    .describe('Seconds for which it is valid. Default: until it is revoked.'),
})

const proxyToken = z
  .object({
    id: z.string().describe('Names it in the log of calls too.'),
    service: z.string().describe('`service`, or `id@service` if it is for one profile.'),
    methods: z.array(z.string()).optional(),
    paths: z.array(z.string()).optional(),
    label: z.string().optional(),
    made_by: z.string().describe('Who made it, as in the audit log. One made with an access token ends with that.'),
    created_at: z.int(),
    expires_at: z.int().optional(),
    used_at: z.int().optional().describe('About when it was used last, to the minute; absent: never.'),
  })
  .meta({ id: 'ProxyToken', description: 'A token for one service of an account, without the token itself.' })
const created = proxyToken
  .extend({ token: z.string().describe('Shown only here.') })
  .meta({ id: 'NewProxyToken', description: 'A new token for one service.' })
const deleted = z.object({ deleted: z.string() })

const ofAccount = z.object({ id: text('The account.') })
const inAccount = ofAccount.extend({ token_id: text('The id of the token, from the list.') })

export const create = route({
  auth: 'account',
  idempotencyKey: true,
  summary: 'Create a token for one service; only the proxy accepts it',
  body,
  status: 201,
  response: created,
  reasons: ['no_profile', 'too_many_tokens'],
  run: (deps, { account, actor, body: given }) => createProxyToken(deps, account, requestOf(given), actor),
})

export const list = route({
  auth: 'account',
  summary: 'List the tokens for services',
  response: z.array(proxyToken),
  run: (deps, { account }) => presentProxyTokens(deps, account),
})

export const remove = route({
  auth: 'account',
  summary: 'Revoke a token for a service; calls in progress end',
  path: z.object({ id: text('From the list.') }),
  response: deleted,
  reasons: ['not_found'],
  run: async (deps, { account, actor, path: { id } }) => {
    await revokeProxyToken(deps, account, id, actor)
    return { deleted: id }
  },
})

export const createByApp = route({
  auth: 'app',
  idempotencyKey: true,
  summary: "Create a token for one service of one of the app's accounts",
  path: ofAccount,
  body,
  status: 201,
  response: created,
  reasons: ['not_found', 'no_profile', 'too_many_tokens'],
  run: async (deps, { app, actor, path: { id }, body: given }) =>
    createProxyToken(deps, await accountOfApp(deps, app.id, id), requestOf(given), actor),
})

export const listByApp = route({
  auth: 'app',
  summary: "List the tokens for services of one of the app's accounts",
  path: ofAccount,
  response: z.array(proxyToken),
  reasons: ['not_found'],
  run: async (deps, { app, path: { id } }) => presentProxyTokens(deps, await accountOfApp(deps, app.id, id)),
})

export const removeByApp = route({
  auth: 'app',
  summary: "Revoke a token for a service of one of the app's accounts",
  path: inAccount,
  response: deleted,
  reasons: ['not_found'],
  run: async (deps, { app, actor, path: { id, token_id: tokenId } }) => {
    await revokeProxyToken(deps, await accountOfApp(deps, app.id, id), tokenId, actor)
    return { deleted: tokenId }
  },
})

function requestOf({ expires_in: expiresInS, ...given }: z.output<typeof body>): ProxyTokenRequest {
  return { ...given, expiresInS }
}
