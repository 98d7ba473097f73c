import { z } from 'zod'
import { authenticateApp, findPublicApp } from '#flows/apps/authenticate-app.ts'
import { exchangeCode } from '#flows/sign-in/exchange-code.ts'
import { revokeToken } from '#identity/accounts.ts'
import { presentProfiles } from '#identity/profiles.ts'
import type { App } from '#model/apps/app.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { flag } from '#model/input/input.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { text } from '../request/parameters.ts'
import { basicCredentials } from '../server/authenticate.ts'
import type { HttpDeps } from '../server/deps.ts'
import { route } from '../server/route.ts'
import { profiles } from '../shapes/people.ts'
import { authorizationServer } from '../shapes/sign-in.ts'

const client = z.object({
  client_id: text("The app's client id; or HTTP Basic.").optional(),
  client_secret: text("The app's secret; or HTTP Basic.").optional(),
})

// `none`: public apps at the token endpoint, and every token that revokes itself.
const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post', 'none']

export const exchange = route({
  auth: 'none',
  signInStep: 'code_exchange',
  emptyIsAbsent: true,
  summary: 'Exchange a code for an access token; this completes the sign-in',
  body: client.extend({
    // First, so that another grant is named before what it lacks.
    grant_type: z.literal('authorization_code').optional(),
    code: text('From the redirect.'),
    redirect_uri: text('If given, it must equal the address that the code was sent to.').optional(),
    code_verifier: text('PKCE; required if the sign-in began with a challenge.').optional(),
    profile: z
      .enum(['all', 'last'])
      .optional()
      .describe('Add the `/profiles` object of all services, or of the one just used.'),
    auth: flag("With `profile`: add the services' tokens."),
    full: flag('With `profile`: add the full profile records.'),
  }),
  response: z
    .object({
      access_token: z.string(),
      account: z.string(),
      token_type: z.literal('bearer'),
      profile: profiles.optional().describe('With `profile`.'),
    })
    .meta({ id: 'AccessToken', description: 'The access token of an account.' }),
  reasons: ['app_secret_invalid', 'code_invalid', 'too_many_attempts'],
  run: async (deps, { body, request, signIn }) => {
    const { app, isAuthenticated } = await exchangingApp(deps, request, body)
    if (body.auth && !isAuthenticated)
      throw new ApiError(
        'app_secret_invalid',
        "auth: the services' tokens are only for a caller with the app's secret.",
      )
    const attached = await exchangeCode(signIn, app, {
      code: body.code,
      redirectUri: body.redirect_uri,
      codeVerifier: body.code_verifier,
      isAuthenticated,
    })
    request.server.forgetAccount(attached.account.id)
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
  summary: 'Revoke an access token (RFC 7009); without a secret, the token itself is the permission',
  body: client.extend({ token: text('The access token.'), token_type_hint: text('Ignored.').optional() }),
  response: z.object({}),
  reasons: ['app_secret_invalid', 'too_many_attempts'],
  run: async (deps, { body, request }) => {
    const { id, secret } = clientOf(request, body)
    const app = secret === undefined ? undefined : await appFrom(deps, request, body)
    await revokeToken(deps, body.token, app?.id ?? id)
    return {}
  },
})

export const metadata = route({
  auth: 'none',
  ignoresUnknown: true,
  summary: 'Get the metadata of this authorization server (RFC 8414)',
  response: authorizationServer,
  run: async ({ config: { baseUrl } }) => ({
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authenticate`,
    token_endpoint: `${baseUrl}/oauth/access_token`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    response_types_supported: ['code', 'token'],
    response_modes_supported: ['query', 'fragment'],
    grant_types_supported: ['authorization_code', 'implicit'],
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${baseUrl}/docs`,
  }),
})

/** Authenticates the app by HTTP Basic or by fields; different ids in both are an error. */
export async function appFrom(deps: HttpDeps, request: HttpRequest, fields: ClientFields): Promise<App> {
  const { id, secret } = clientOf(request, fields)
  if (id === undefined) throw invalidInput('bad_parameter', 'client_id', 'is missing.')
  if (secret === undefined && basicCredentials(request.headers.authorization) !== undefined)
    throw new ApiError('app_secret_invalid')
  if (secret === undefined) throw invalidInput('bad_parameter', 'client_secret', 'is missing.')
  return authenticateApp(deps, id, secret, request.ip)
}

interface ClientFields {
  client_id?: string | undefined
  client_secret?: string | undefined
}

/** The credentials that a request has. Some libraries send Basic with an empty secret for a public client. */
function clientOf(request: HttpRequest, fields: ClientFields): { id: string | undefined; secret: string | undefined } {
  const basic = basicCredentials(request.headers.authorization)
  if (basic !== undefined && fields.client_id !== undefined && fields.client_id !== basic.id)
    throw invalidInput('bad_parameter', 'client_id', 'differs from the one in the header.')
  const secret = basic?.secret ?? fields.client_secret
  return { id: basic?.id ?? fields.client_id, secret: secret === '' ? undefined : secret }
}

/** A public app exchanges without its secret, if it has PKCE; one that sends a secret must send the right one. */
async function exchangingApp(
  deps: HttpDeps,
  request: HttpRequest,
  fields: ClientFields,
): Promise<{ app: App; isAuthenticated: boolean }> {
  const { id, secret } = clientOf(request, fields)
  const app = id === undefined || secret !== undefined ? undefined : await findPublicApp(deps, id)
  if (app !== undefined) return { app, isAuthenticated: false }
  return { app: await appFrom(deps, request, fields), isAuthenticated: true }
}
