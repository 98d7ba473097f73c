import { first } from '../../base/pairs.ts'
import { json, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { GraphCaller } from '../../graph/caller.ts'
import { graphError } from '../../graph/graph-error.ts'

/** The permission that each field of webhooks needs, from the documentation of Instagram webhooks. */
const permissionOf: Record<string, string> = {
  comments: 'instagram_business_manage_comments',
  live_comments: 'instagram_business_manage_comments',
  messages: 'instagram_business_manage_messages',
  message_reactions: 'instagram_business_manage_messages',
}

/** `/me/subscribed_apps`: which fields of the account the app is notified of. */
export function subscribedApps(
  guard: (request: LabRequest) => GraphCaller,
): Record<string, (request: LabRequest) => Reply> {
  const fieldsByGrant = new Map<string, string[]>()
  const keyOf = ({ grant, person }: GraphCaller) => `${grant.clientKey} ${person.id}`
  return {
    'POST me/subscribed_apps': (request) => {
      const caller = guard(request)
      const fields = (first(request.query, 'subscribed_fields') ?? '').split(',').filter((field) => field !== '')
      if (fields.length === 0) throw graphError('(#100) The parameter subscribed_fields is required.', { code: 100 })
      for (const field of fields) {
        const permission = permissionOf[field]
        if (permission === undefined)
          throw graphError(
            `(#100) Param subscribed_fields[0] must be one of {${Object.keys(permissionOf).join(', ')}}`,
            {
              code: 100,
            },
          )
        if (!caller.grant.granted.has(permission))
          throw graphError('(#200) The user has not granted the permission for this field.', { code: 200, status: 403 })
      }
      fieldsByGrant.set(keyOf(caller), fields)
      return json(200, { success: true })
    },
    'GET me/subscribed_apps': (request) => {
      const caller = guard(request)
      const fields = fieldsByGrant.get(keyOf(caller))
      return json(200, {
        data: fields === undefined ? [] : [{ id: caller.grant.clientKey, subscribed_fields: fields }],
      })
    },
    'DELETE me/subscribed_apps': (request) => {
      fieldsByGrant.delete(keyOf(guard(request)))
      return json(200, { success: true })
    },
  }
}
