import { z } from 'zod'
import { readChanges } from '#flows/read/changes.ts'
import { changesQuery } from '#model/item-filter/changes.ts'
import { dataRoute } from '../server/data-route.ts'
import { change } from '../shapes/items.ts'

export const changes = dataRoute({
  summary: 'Read what changed after a cursor: items, deletions and removed profiles',
  query: changesQuery,
  response: z
    .object({
      changes: z.array(change),
      cursor: z.string().describe('For the next request.'),
      more: z.boolean().describe('Whether more changes follow right now.'),
    })
    .meta({ id: 'Changes', description: 'A page of changes.' }),
  reasons: ['cursor_expired'],
  run: async (deps, { query, account, reply }) => {
    const { cursor = '', limit, types, services, ...showing } = query
    const request = { cursor: cursor === '' ? undefined : cursor, limit, types, services }
    const { entries, cursor: next, more } = await readChanges(deps, account, request, { ...showing, oembed: true })
    const text = `{"changes":[${entries.join(',')}],"cursor":${JSON.stringify(next)},"more":${more}}`
    return reply.type('application/json; charset=utf-8').send(text)
  },
})
