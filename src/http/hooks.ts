import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { answerHandshake, type HookCall, takeHook } from '#flows/sync/hook.ts'
import { route } from './route.ts'

const path = z.object({ service: z.string(), client_id: z.string() })

export const handshake = route({
  door: 'open',
  summary: 'A service asks whether this address is ours, before it tells of changes',
  path,
  type: 'text/plain; charset=utf-8',
  reasons: ['not_found', 'hook_refused'],
  run: (house, call) => answerHandshake(house, hookCall(call.path, call.request, '')),
})

export const tell = route({
  door: 'open',
  summary: 'A service tells that something changed; the profiles it names are synced soon',
  path,
  rawBody: true,
  answer: z.object({ woken: z.number() }),
  reasons: ['not_found', 'hook_refused', 'bad_body'],
  run: async (house, call) => ({
    woken: await takeHook(
      house,
      hookCall(call.path, call.request, typeof call.request.body === 'string' ? call.request.body : ''),
    ),
  }),
})

function hookCall(path: { service: string; client_id: string }, request: FastifyRequest, body: string): HookCall {
  const texts = (pairs: object) =>
    Object.fromEntries(Object.entries(pairs).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
  return {
    service: path.service,
    appId: path.client_id,
    query: texts(request.query as object),
    headers: texts(request.headers),
    body,
  }
}
