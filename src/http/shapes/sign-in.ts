import { z } from 'zod'
import { REASONS } from '#model/errors.ts'
import { keysOf } from '#platform/formats/keys-of.ts'

export const reason = z.enum(keysOf(REASONS)).meta({ id: 'Reason', description: 'Why a request was refused.' })

export const batchResult = z
  .union([
    z.object({
      account: z.string(),
      access_token: z.string(),
      profiles: z.array(z.string()),
      app_verified: z.boolean(),
      errors: z.record(z.string(), reason).optional().describe('By service, why its token was not accepted.'),
    }),
    z.object({ error: z.record(z.string(), reason).describe('By service, why its token was not accepted.') }),
    z.object({ error: z.string(), reason }),
  ])
  .meta({ id: 'BatchResult', description: 'What became of one entry of a batch.' })

/** RFC 8414. */
export const authorizationServer = z
  .object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    revocation_endpoint: z.string(),
    response_types_supported: z.array(z.string()),
    response_modes_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    revocation_endpoint_auth_methods_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
    authorization_response_iss_parameter_supported: z.boolean(),
    service_documentation: z.string(),
  })
  .meta({ id: 'AuthorizationServer', description: 'The metadata of this authorization server (RFC 8414).' })

export const clientMetadata = z
  .object({
    client_id: z.string(),
    client_name: z.string(),
    client_uri: z.string(),
    application_type: z.string(),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    redirect_uris: z.array(z.string()),
    scope: z.string(),
    token_endpoint_auth_method: z.string(),
    token_endpoint_auth_signing_alg: z.string(),
    dpop_bound_access_tokens: z.boolean(),
    jwks: z.object({ keys: z.array(z.record(z.string(), z.string())) }),
  })
  .meta({ id: 'ClientDocument', description: 'A description of an app for authorization servers.' })
