import { z } from 'zod'
import { findAgentApp, isMcpAddress } from '#flows/agents/request.ts'
import { AGENT_ACCESS_TTL_MS, exchangeAgentCode, refreshAgentToken, revokeAgentToken } from '#flows/agents/tokens.ts'
import { invalidInput } from '#model/errors.ts'
import { text } from '../request/parameters.ts'
import { route } from '../server/route.ts'

export const issue = route({
  auth: 'none',
  emptyIsAbsent: true,
  summary: 'Exchange the code or the refresh token of an agent for tokens for the MCP endpoint',
  body: z.object({
    grant_type: z.enum(['authorization_code', 'refresh_token']).optional().describe('Required.'),
    client_id: text("The app's client id."),
    resource: text('The address of the MCP endpoint (RFC 8707).'),
    code: text('From the redirect.').optional(),
    redirect_uri: text('The address that the code was sent to.').optional(),
    code_verifier: text('PKCE.').optional(),
    refresh_token: text('Of the last response.').optional(),
    scope: text('Ignored: the person decided.').optional(),
  }),
  response: z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    refresh_token: z.string(),
    scope: z.string(),
  }),
  reasons: ['client_unknown', 'code_invalid'],
  run: async (deps, { body, reply }) => {
    if (!isMcpAddress(deps, body.resource))
      throw invalidInput('bad_body', 'resource', 'must be the address of the MCP endpoint.')
    const grantType = given(body, 'grant_type')
    const app = await findAgentApp(deps, body.client_id)
    const { accessToken, refreshToken, scopes } =
      grantType === 'refresh_token'
        ? await refreshAgentToken(deps, app, given(body, 'refresh_token'))
        : await exchangeAgentCode(deps, app, {
            code: given(body, 'code'),
            redirectUri: given(body, 'redirect_uri'),
            verifier: given(body, 'code_verifier'),
          })
    reply.header('cache-control', 'no-store')
    return {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: AGENT_ACCESS_TTL_MS / 1000,
      refresh_token: refreshToken,
      scope: scopes.join(' '),
    }
  },
})

function given<Name extends string>(body: Partial<Record<Name, string | undefined>>, name: Name): string {
  const value = body[name]
  if (value === undefined) throw invalidInput('bad_body', name, 'is missing.')
  return value
}

export const revoke = route({
  auth: 'none',
  emptyIsAbsent: true,
  summary: 'Revoke what a person allowed an agent (RFC 7009), by its access token or refresh token',
  body: z.object({
    token: text('The access token or the refresh token; the token itself is the permission.'),
    token_type_hint: text('Ignored.').optional(),
    client_id: text('Ignored.').optional(),
  }),
  response: z.object({}),
  run: async (deps, { body }) => {
    await revokeAgentToken(deps, body.token)
    return {}
  },
})
