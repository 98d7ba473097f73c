import { route } from './route.ts'

export const openapi = route({
  door: 'open',
  summary: 'This interface as an OpenAPI 3.1 document',
  run: async (_house, { request }) => request.server.describe(),
})
