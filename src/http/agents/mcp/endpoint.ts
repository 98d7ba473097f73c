import { z } from 'zod'
import { grantOfAgent } from '#flows/agents/tokens.ts'
import { READ_SCOPE_NAMES } from '#model/apps/agents.ts'
import { ApiError } from '#model/errors.ts'
import type { HttpReply } from '../../exchange/reply.ts'
import type { HttpRequest } from '../../exchange/request.ts'
import type { HttpDeps } from '../../server/deps.ts'
import { errorBody } from '../../server/errors.ts'
import { route } from '../../server/route.ts'
import { resourceMetadataOf } from '../metadata.ts'
import { dispatch, type Grant, ScopeMissing } from './dispatch.ts'
import { errorMessage, RpcError, type RpcMessage, readMessage, resultMessage } from './messages.ts'
import { negotiate, versionOf } from './versions.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

const error = z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() })

const response = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  result: z.looseObject({}).optional(),
  error: error.optional(),
})

/** Streamable HTTP without streams: each request gets one JSON response, and nothing is kept between two requests. */
export const mcp = route({
  auth: 'none',
  ignoresUnknown: true,
  summary: 'Call the tools for agents (Model Context Protocol), with an access token for this address',
  rawBody: true,
  response,
  also: {
    202: { description: 'A notification was accepted.' },
    400: { description: 'The message or its headers are wrong.', response },
    403: { description: 'The token has not the scope of the tool.', response },
    404: { description: 'The method is unknown.', response },
    429: { description: 'The agent calls too often.', response },
  },
  reasons: [
    'origin_refused',
    'token_missing',
    'token_invalid',
    'scope_missing',
    'agent_limited',
    'media_type_unsupported',
  ],
  run: async (deps, { request, reply }) => {
    refuseOtherOrigins(deps, request)
    const grant = await authenticated(deps, request, reply)
    if (grant === undefined) return reply
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
      throw new ApiError('media_type_unsupported')
    reply.type(JSON_TYPE)
    let message: RpcMessage | undefined
    try {
      message = readMessage(String(request.body))
      const version = message.method === 'initialize' ? negotiate(message) : versionOf(request.headers, message)
      // The only notifications of clients are of the handshake and of cancellations, which need nothing here.
      if (message.id === undefined) return reply.code(202).send()
      return reply.send(resultMessage(message.id, await dispatch({ deps, grant, request }, message, version)))
    } catch (failure) {
      return respondWithFailure(deps, reply, message, failure)
    }
  },
})

/** A page of another origin could have resolved its own name to this address. */
function refuseOtherOrigins({ config }: HttpDeps, { headers: { origin } }: HttpRequest): void {
  if (origin !== undefined && origin !== new URL(config.baseUrl).origin) throw new ApiError('origin_refused')
}

/** Undefined after a refusal was sent, which says where tokens for this address can be had. */
async function authenticated(deps: HttpDeps, request: HttpRequest, reply: HttpReply): Promise<Grant | undefined> {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const grant = token === undefined ? undefined : await grantOfAgent(deps, token)
  if (grant !== undefined) return grant
  const refusal = new ApiError(token === undefined ? 'token_missing' : 'token_invalid')
  reply
    .code(401)
    .header('www-authenticate', challenge(deps, READ_SCOPE_NAMES.join(' '), token && 'invalid_token'))
    .type(JSON_TYPE)
    .send(JSON.stringify(errorBody(refusal, request.id, deps.config.baseUrl)))
  return undefined
}

function challenge(deps: HttpDeps, scope: string, word: string | undefined): string {
  const fault = word === undefined ? '' : `error="${word}", `
  return `Bearer realm="tributary", ${fault}resource_metadata="${resourceMetadataOf(deps)}", scope="${scope}"`
}

function respondWithFailure(
  deps: HttpDeps,
  reply: HttpReply,
  message: RpcMessage | undefined,
  failure: unknown,
): HttpReply {
  const id = message?.id
  if (failure instanceof RpcError)
    return reply.code(failure.status).send(errorMessage(id, failure.code, failure.message, failure.data))
  if (failure instanceof ScopeMissing) {
    const refusal = new ApiError('scope_missing')
    return reply
      .code(403)
      .header('www-authenticate', challenge(deps, failure.scope, 'insufficient_scope'))
      .send(errorMessage(id, refusal.code, refusal.message))
  }
  if (failure instanceof ApiError && failure.reason === 'agent_limited')
    return reply
      .code(429)
      .header('retry-after', String(failure.retryAfterS))
      .send(errorMessage(id, failure.code, failure.message))
  throw failure
}
