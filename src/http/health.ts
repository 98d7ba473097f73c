import { z } from 'zod'
import { checkReadiness } from '#flows/operations/health.ts'
import { route } from './route.ts'

export const liveness = route({
  auth: 'none',
  summary: 'Is the process alive?',
  response: z.object({ alive: z.literal(true), version: z.string() }),
  run: async ({ version }) => ({ alive: true, version }),
})

export const readiness = route({
  auth: 'none',
  summary: 'May requests be sent here? 503 while anything is missing, with the reason',
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
