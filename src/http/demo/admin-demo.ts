import { z } from 'zod'
import { useDemoServices } from '#flows/operations/demo.ts'
import { route } from '../server/route.ts'

export const useDemo = route({
  auth: 'admin',
  idempotencyKey: true,
  summary: 'Give an app keys at the demo services (test mode)',
  path: z.object({ client_id: z.string() }),
  body: z.object({}),
  response: z
    .object({
      services: z.array(
        z.object({
          service: z.string(),
          key: z.string(),
          url: z.string().describe('Where browsers reach the demo service.'),
        }),
      ),
    })
    .meta({ id: 'DemoServicesOfApp', description: 'The demo services that an app may use now.' }),
  reasons: ['not_found', 'demo_not_running'],
  run: async (deps, { path, actor }) => {
    const keys = await useDemoServices(deps, deps.demo()?.services, path.client_id, actor)
    return { services: keys.map(({ service, key, url }) => ({ service, key, url })) }
  },
})
