import { z } from 'zod'
import { readChanges } from '#flows/read/changes.ts'
import { changesQuery } from '#model/item-filter/changes.ts'
import { dataRoute } from './data-route.ts'

const change = z.union([
  z.object({ change: z.literal('upsert'), item: z.looseObject({}) }),
  z.object({ change: z.literal('delete'), id: z.string(), idr: z.string(), deleted_at: z.int() }),
  z.object({ change: z.literal('profile_removed'), profile: z.string() }),
])

export const changes = dataRoute({
  summary: 'Read what changed after a cursor: items, deletions and removed profiles',
  query: changesQuery,
  response: z.object({ changes: z.array(change), cursor: z.string(), more: z.boolean() }),
  run: async (deps, { query, account, reply }) => {
    const { cursor = '', limit, types, services, ...showing } = query
    const request = { cursor: cursor === '' ? undefined : cursor, limit, types, services }
    const { entries, cursor: next, more } = await readChanges(deps, account, request, { ...showing, oembed: true })
    const text = `{"changes":[${entries.join(',')}],"cursor":${JSON.stringify(next)},"more":${more}}`
    return reply.type('application/json; charset=utf-8').send(text)
  },
})
