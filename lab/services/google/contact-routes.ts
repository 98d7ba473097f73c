import type { Routes } from '../../base/router.ts'
import { type ApiParts, apiEndpoint, type Call, recordOf } from './api-endpoint.ts'
import { SCOPES } from './login.ts'
import { person } from './people-routes.ts'
import { failure, invalid } from './respond.ts'

/** Contacts one by one: read and made. */
export function contactRoutes(parts: ApiParts, nextId: () => string): Routes {
  const { store } = parts.tracked
  const namesOf = (call: Call, otherwise?: string): string[] => {
    const mask = call.get('personFields') ?? otherwise
    if (mask === undefined) throw invalid('personFields', 'personFields mask is required.')
    return mask.split(',')
  }
  return {
    'GET /v1/people/:id': apiEndpoint(parts, SCOPES.contacts, (call) => {
      const resourceName = `people/${call.params['id']}`
      const found = store.find('contacts', resourceName)
      if (found?.owner !== call.person.username)
        throw failure(404, 'notFound', 'Requested entity was not found.', { status: 'NOT_FOUND' })
      return person(found.item, namesOf(call))
    }),
    'POST /v1/people:createContact': apiEndpoint(parts, SCOPES.writeContacts, (call) => {
      const fields = recordOf(call.request)
      const id = `c${nextId()}`
      for (const values of Object.values(fields))
        if (Array.isArray(values))
          for (const [at, value] of (values as Record<string, unknown>[]).entries())
            value['metadata'] = { ...(at === 0 && { primary: true }), source: { type: 'CONTACT', id } }
      for (const name of (fields['names'] ?? []) as Record<string, unknown>[])
        name['displayName'] = [name['givenName'], name['familyName']]
          .filter((part) => typeof part === 'string')
          .join(' ')
      const atMs = parts.context.clock.now()
      const item = { id: `people/${id}`, createdAtMs: atMs, updatedAtMs: atMs, fields }
      const made = store.put(call.person.username, 'contacts', item)
      return person(made, namesOf(call, [...Object.keys(fields), 'metadata'].join(',')))
    }),
  }
}
