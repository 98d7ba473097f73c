import { z } from 'zod'
import { READ_SCOPE_NAMES } from '#model/apps/agents.ts'
import type { HttpDeps } from '../server/deps.ts'
import { route } from '../server/route.ts'
import { authorizationServer as serverMetadata } from '../shapes/sign-in.ts'

/** The issuer of agents' tokens, which is also the resource that they are for. Its metadata is apart from those of the apps' tokens. */
export function issuerOf({ config }: Pick<HttpDeps, 'config'>): string {
  return `${config.baseUrl}/mcp`
}

/** The address of the metadata that a 401 of `/mcp` names (RFC 9728 5.1). */
export function resourceMetadataOf({ config }: Pick<HttpDeps, 'config'>): string {
  return `${config.baseUrl}/.well-known/oauth-protected-resource/mcp`
}

export const protectedResource = route({
  auth: 'none',
  ignoresUnknown: true,
  summary: 'Get the metadata of the MCP endpoint (RFC 9728)',
  response: z.object({
    resource: z.string(),
    authorization_servers: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
    resource_name: z.string(),
    resource_documentation: z.string(),
  }),
  run: async (deps) => ({
    resource: issuerOf(deps),
    authorization_servers: [issuerOf(deps)],
    // Only those that read: a client without a choice requests all of these.
    scopes_supported: READ_SCOPE_NAMES,
    bearer_methods_supported: ['header'],
    resource_name: 'Tributary',
    resource_documentation: `${deps.config.baseUrl}/docs`,
  }),
})

export const authorizationServer = route({
  auth: 'none',
  ignoresUnknown: true,
  summary: 'Get the metadata of the authorization server for agents (RFC 8414)',
  response: serverMetadata.extend({
    scopes_supported: z.array(z.string()),
    client_id_metadata_document_supported: z.boolean(),
  }),
  run: async (deps) => {
    const { baseUrl } = deps.config
    return {
      issuer: issuerOf(deps),
      authorization_endpoint: `${baseUrl}/oauth/agents/authorize`,
      token_endpoint: `${baseUrl}/oauth/agents/token`,
      revocation_endpoint: `${baseUrl}/oauth/agents/revoke`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: READ_SCOPE_NAMES,
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: false,
      service_documentation: `${baseUrl}/docs`,
    }
  },
})
