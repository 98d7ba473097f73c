import { z } from 'zod'
import { checkReadiness } from '#flows/operations/health.ts'
import { route } from './route.ts'

export const liveness = route({
  auth: 'none',
  ignoresUnknown: true,
  summary: 'Check that the process is alive',
  response: z.object({ alive: z.literal(true), version: z.string() }),
  run: async ({ version }) => ({ alive: true, version }),
})

export const readiness = route({
  auth: 'none',
  ignoresUnknown: true,
  summary: 'Check that the service is ready; 503 with the failed checks otherwise',
  response: z.object({
    ready: z.boolean(),
    checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string() })),
  }),
  run: async (deps, { reply }) => {
    const readiness = await checkReadiness(deps)
    if (!readiness.ready) void reply.code(503)
    return readiness
  },
})
