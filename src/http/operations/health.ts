import { z } from 'zod'
import { checkReadiness } from '#flows/operations/health.ts'
import { route } from '../server/route.ts'

const ready = z
  .object({
    ready: z.boolean(),
    checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string() })),
  })
  .meta({ id: 'Readiness', description: 'Whether the service is ready, and what each check found.' })

export const liveness = route({
  auth: 'none',
  ignoresUnknown: true,
  summary: 'Check that the process is alive',
  response: z
    .object({ alive: z.literal(true), version: z.string() })
    .meta({ id: 'Liveness', description: 'The process is alive.' }),
  run: async ({ version }) => ({ alive: true, version }),
})

export const readiness = route({
  auth: 'none',
  ignoresUnknown: true,
  summary: 'Check that the service is ready; 503 with the failed checks otherwise',
  response: ready,
  also: { 503: { description: 'A check failed.', response: ready } },
  run: async (deps, { reply }) => {
    const readiness = await checkReadiness(deps)
    if (!readiness.ready) reply.code(503)
    return readiness
  },
})
