import { z } from 'zod'
import { ApiError } from '#model/errors.ts'
import { NOT_MODIFIED } from '../describe/description/other-responses.ts'
import { markPicture } from '../pages/mark.ts'
import { sendFixed } from '../server/fixed-text.ts'
import { route } from '../server/route.ts'

/** A release or a file of the operator may change it. */
const CACHED_S = 86_400

export const mark = route({
  auth: 'browser',
  summary: 'Get the picture of a service, 40 by 40: its mark, or the first letter of its title',
  type: 'image/svg+xml',
  path: z.object({ file: z.string().max(60).describe('The name of the service and `.svg`.') }),
  headers: ['ETag'],
  also: NOT_MODIFIED,
  reasons: ['not_found'],
  run: async ({ registry }, { path, request, reply }) => {
    const name = path.file.endsWith('.svg') ? path.file.slice(0, -4) : ''
    const connector = registry.find(name)
    // Under another name it would be kept a second time.
    if (connector?.service !== name) throw new ApiError('not_found')
    reply.header('cache-control', `public, max-age=${CACHED_S}`)
    return sendFixed(
      request,
      reply,
      'image/svg+xml',
      () => markPicture(name, connector.title, registry.mark(name)),
      `/marks/${name}.svg`,
    )
  },
})
