import { z } from 'zod'
import { limitGuesses } from '#flows/apps/limit-guesses.ts'
import { type Guarded, type HookCall, receiveHook, respondToHandshake } from '#flows/sync/hook.ts'
import type { HandshakeResponse } from '#kit/connector/connector.ts'
import { ApiError } from '#model/errors.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { queryOf } from '../request/query-pairs.ts'
import type { HttpDeps } from '../server/deps.ts'
import { route } from '../server/route.ts'

const path = z.object({ service: z.string(), client_id: z.string() })

export const handshake = route({
  auth: 'none',
  ignoresUnknown: true,
  summary: 'Confirm this address to a service that will send webhooks',
  path,
  type: 'text/plain',
  response: z.string().describe('The challenge.'),
  media: { 'application/json': z.looseObject({}).describe('The response to a challenge, as the service requires it.') },
  reasons: ['not_found', 'hook_refused', 'too_many_attempts'],
  run: async (deps, call) => {
    const received = hookCall(call.path, call.request, '')
    return sendHandshake(call.reply, await respondToHandshake(deps, received, guardedBy(deps, call)))
  },
})

export const notify = route({
  auth: 'none',
  ignoresUnknown: true,
  summary:
    'Receive a webhook of a service; the profiles it names are synced soon. A request that verifies the address gets its challenge back',
  path,
  rawBody: true,
  response: z.union([
    z.object({ woken: z.number().describe('Profiles that are synced soon.') }),
    z.looseObject({}).describe('The response to a challenge, as the service requires it.'),
  ]),
  media: { 'text/plain': z.string().describe('The response to a challenge, as the service requires it.') },
  reasons: ['not_found', 'hook_refused', 'bad_body', 'too_many_attempts'],
  run: async (deps, call) => {
    const result = await receiveHook(
      deps,
      hookCall(call.path, call.request, rawBodyOf(call.request)),
      guardedBy(deps, call),
    )
    return 'handshake' in result ? sendHandshake(call.reply, result.handshake) : result
  },
})

function sendHandshake(reply: HttpReply, response: HandshakeResponse): HttpReply {
  return typeof response === 'string'
    ? reply.type('text/plain; charset=utf-8').send(response)
    : reply.type('application/json; charset=utf-8').send(JSON.stringify(response.json))
}

export function rawBodyOf({ body }: HttpRequest): string {
  return typeof body === 'string' ? body : ''
}

/** Counts per hook only: a service calls for many apps from one address, and one app may have set a wrong secret. */
export function guardedBy(
  deps: HttpDeps,
  { path: hook, request }: { path: z.output<typeof path>; request: HttpRequest },
): Guarded {
  const guess = { subject: `hook ${hook.client_id} ${hook.service}`, address: request.ip, alone: true }
  return (compare) => limitGuesses(deps, guess, () => new ApiError('hook_refused'), compare)
}

export function hookCall(path: { service: string; client_id: string }, request: HttpRequest, body: string): HookCall {
  const texts = (pairs: object) =>
    Object.fromEntries(Object.entries(pairs).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
  return {
    service: path.service,
    appId: path.client_id,
    method: request.method,
    query: texts(queryOf(request)),
    headers: texts(request.headers),
    body,
  }
}
