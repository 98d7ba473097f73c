import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { authenticateApp } from '#flows/apps/authenticate-app.ts'
import { revokeToken } from '#flows/authorize/accounts.ts'
import { exchangeCode } from '#flows/authorize/exchange-code.ts'
import { presentProfiles } from '#flows/authorize/profiles.ts'
import type { App } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { flag } from '#model/input.ts'
import { basicCredentials } from './authenticate.ts'
import type { HttpDeps } from './deps.ts'
import { text } from './parameters.ts'
import { route } from './route.ts'

const client = z.object({
  client_id: text("The app's client id; or HTTP Basic.").optional(),
  client_secret: text("The app's secret; or HTTP Basic.").optional(),
})

export const exchange = route({
  auth: 'none',
  emptyIsAbsent: true,
  summary: 'Exchange a code for an access token; this completes the sign-in',
  body: client.extend({
    code: text('From the redirect.'),
    grant_type: z.literal('authorization_code').optional(),
    redirect_uri: text('If given, it must equal the address that the code was sent to.').optional(),
    code_verifier: text('PKCE; required if the sign-in began with a challenge.').optional(),
    profile: z
      .enum(['all', 'last'])
      .optional()
      .describe('Add the `/profiles` object of all services, or of the one just used.'),
    auth: flag("With `profile`: add the services' tokens."),
    full: flag('With `profile`: add the full profile records.'),
  }),
  response: z.object({
    access_token: z.string(),
    account: z.string(),
    token_type: z.literal('bearer'),
    profile: z.unknown().optional(),
  }),
  reasons: ['app_secret_invalid', 'code_invalid', 'too_many_attempts'],
  run: async (deps, { body, request }) => {
    const app = await appFrom(deps, request, body)
    const attached = await exchangeCode(deps, app, {
      code: body.code,
      redirectUri: body.redirect_uri,
      codeVerifier: body.code_verifier,
    })
    const response = { access_token: attached.token, account: attached.account.id, token_type: 'bearer' }
    if (body.profile === undefined) return response
    const only = body.profile === 'last' ? attached.profile : undefined
    return {
      ...response,
      profile: await presentProfiles(deps, attached.account, { auth: body.auth, full: body.full, only }),
    }
  },
})

export const revoke = route({
  auth: 'none',
  emptyIsAbsent: true,
  summary: 'Revoke an access token (RFC 7009)',
  body: client.extend({ token: text('The access token.'), token_type_hint: text('Ignored.').optional() }),
  response: z.object({}),
  reasons: ['app_secret_invalid', 'too_many_attempts'],
  run: async (deps, { body, request }) => {
    const app = await appFrom(deps, request, body)
    await revokeToken(deps, app, body.token)
    return {}
  },
})

export const metadata = route({
  auth: 'none',
  summary: 'Get the metadata of this authorization server (RFC 8414)',
  run: async ({ config: { baseUrl } }) => ({
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authenticate`,
    token_endpoint: `${baseUrl}/oauth/access_token`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    response_types_supported: ['code', 'token'],
    response_modes_supported: ['query', 'fragment'],
    grant_types_supported: ['authorization_code', 'implicit'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    service_documentation: `${baseUrl}/docs`,
  }),
})

/** Authenticates the app by HTTP Basic or by fields; different ids in both are an error. */
export async function appFrom(
  deps: HttpDeps,
  request: FastifyRequest,
  fields: { client_id?: string | undefined; client_secret?: string | undefined },
): Promise<App> {
  const basic = basicCredentials(request.headers.authorization)
  const id = basic?.id ?? fields.client_id
  const secret = basic?.secret ?? fields.client_secret
  if (basic !== undefined && fields.client_id !== undefined && fields.client_id !== basic.id)
    throw new ApiError('bad_parameter', 'client_id: differs from the one in the header.')
  if (id === undefined) throw new ApiError('bad_parameter', 'client_id: is missing.')
  if (secret === undefined) throw new ApiError('bad_parameter', 'client_secret: is missing.')
  return authenticateApp(deps, id, secret, request.ip)
}
