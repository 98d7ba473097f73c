import { z } from 'zod'
import { readClientDocument } from '#flows/sign-in/client-document.ts'
import { ApiError } from '#model/errors.ts'
import { route } from '../server/route.ts'
import { clientMetadata } from '../shapes/sign-in.ts'

export const clientDocument = route({
  auth: 'none',
  summary: 'Describe an app to services that identify apps by the address of such a document',
  ignoresUnknown: true,
  path: z.object({ client_id: z.string(), document: z.string() }),
  response: clientMetadata,
  reasons: ['not_found'],
  run: async (deps, { path, reply }) => {
    const [, service, registration] = /^([a-z0-9-]+)(?:\.([a-z0-9]+))?\.json$/.exec(path.document) ?? []
    if (service === undefined) throw new ApiError('not_found')
    const document = await readClientDocument(deps, path.client_id, service, registration)
    reply.header('cache-control', 'public, max-age=300')
    return document
  },
})
