import { z } from 'zod'
import { listServices } from '#flows/read/services.ts'
import { text } from './parameters.ts'
import { route } from './route.ts'

export const services = route({
  auth: 'none',
  summary: 'List all services with their endpoints and types; with `client_id` also whether that app has keys',
  query: z.object({ client_id: text("An app's client id.").optional() }),
  run: (deps, { query }) => listServices(deps, query.client_id),
})
