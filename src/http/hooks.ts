import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { limitGuesses } from '#flows/apps/limit-guesses.ts'
import { type Guarded, type HookCall, receiveHook, respondToHandshake } from '#flows/sync/hook.ts'
import { ApiError } from '#model/errors.ts'
import type { HttpDeps } from './deps.ts'
import { queryOf } from './query-pairs.ts'
import { route } from './route.ts'

const path = z.object({ service: z.string(), client_id: z.string() })

export const handshake = route({
  auth: 'none',
  ignoresUnknown: true,
  summary: 'Confirm this address to a service that will send webhooks',
  path,
  type: 'text/plain; charset=utf-8',
  reasons: ['not_found', 'hook_refused', 'too_many_attempts'],
  run: (deps, call) => respondToHandshake(deps, hookCall(call.path, call.request, ''), guardedBy(deps, call)),
})

export const notify = route({
  auth: 'none',
  ignoresUnknown: true,
  summary: 'Receive a webhook of a service; the profiles it names are synced soon',
  path,
  rawBody: true,
  response: z.object({ woken: z.number() }),
  reasons: ['not_found', 'hook_refused', 'bad_body', 'too_many_attempts'],
  run: async (deps, call) => ({
    woken: await receiveHook(
      deps,
      hookCall(call.path, call.request, typeof call.request.body === 'string' ? call.request.body : ''),
      guardedBy(deps, call),
    ),
  }),
})

/** Counts per hook only: a service calls for many apps from one address, and one app may have set a wrong secret. */
function guardedBy(
  deps: HttpDeps,
  { path: hook, request }: { path: z.output<typeof path>; request: FastifyRequest },
): Guarded {
  const guess = { subject: `hook ${hook.client_id} ${hook.service}`, address: request.ip, alone: true }
  return (compare) => limitGuesses(deps, guess, () => new ApiError('hook_refused'), compare)
}

function hookCall(path: { service: string; client_id: string }, request: FastifyRequest, body: string): HookCall {
  const texts = (pairs: object) =>
    Object.fromEntries(Object.entries(pairs).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
  return {
    service: path.service,
    appId: path.client_id,
    query: texts(queryOf(request)),
    headers: texts(request.headers),
    body,
  }
}
