import { z } from 'zod'
import { sendFixed } from '../server/fixed-text.ts'
import { route } from '../server/route.ts'
import { NOT_MODIFIED } from './description/other-responses.ts'

export const openapi = route({
  auth: 'none',
  ignoresUnknown: true,
  summary: 'Get this API as an OpenAPI 3.1 document',
  response: z.looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) }),
  headers: ['ETag'],
  also: NOT_MODIFIED,
  run: async (_deps, { request, reply }) =>
    sendFixed(request, reply, 'application/json; charset=utf-8', () => JSON.stringify(request.server.describe())),
})
