import type { Routes } from '../../base/router.ts'
import type { StoredItem } from '../../data/item-store.ts'
import { type ApiParts, apiEndpoint, type Call, sizeOf } from './api-endpoint.ts'
import { SCOPES } from './login.ts'
import { listFrom } from './positions.ts'
import { failure, invalid } from './respond.ts'

/** Contacts: every request of a sync token has the same parameters. */
export function peopleRoutes(parts: ApiParts): Routes {
  const list = (kind: string, field: string, maskName: string) => (call: Call) => {
    const mask = call.get(maskName)
    if (mask === undefined) throw invalid(maskName, `${maskName} mask is required.`)
    const listed = listFrom(parts.tracked, parts.positions, {
      owner: call.person.username,
      list: kind,
      query: call.request.query,
      size: sizeOf(call, 'pageSize', 100, 1000),
      fixed: [maskName, 'requestSyncToken', 'pageSize'],
    })
    if ('problem' in listed) {
      if (listed.problem === 'forgotten')
        throw failure(
          400,
          'failedPrecondition',
          'Sync token is expired. Clear local cache and retry call without the sync token.',
          {
            status: 'FAILED_PRECONDITION',
            info: { reason: 'EXPIRED_SYNC_TOKEN' },
          },
        )
      throw failure(400, 'badRequest', `Request must use the same parameters, or ${listed.parameter} is invalid.`, {
        status: 'INVALID_ARGUMENT',
      })
    }
    const { items, nextPageToken, nextSyncToken } = listed
    const names = mask.split(',')
    return {
      // An empty list is left out.
      ...(items.length > 0 && { [field]: items.map((item) => person(item, names)) }),
      ...(nextPageToken && { nextPageToken }),
      ...(call.get('requestSyncToken') === 'true' && nextSyncToken && { nextSyncToken }),
      ...(items.length > 0 && { [field === 'connections' ? 'totalItems' : 'totalSize']: items.length }),
    }
  }
  return {
    'GET /v1/people/me/connections': apiEndpoint(
      parts,
      SCOPES.contacts,
      list('contacts', 'connections', 'personFields'),
    ),
    'GET /v1/otherContacts': apiEndpoint(
      parts,
      SCOPES.otherContacts,
      list('other_contacts', 'otherContacts', 'readMask'),
    ),
  }
}

export function person(item: StoredItem, names: readonly string[]) {
  const source = { type: 'CONTACT', id: item.id.split('/')[1], updateTime: new Date(item.updatedAtMs).toISOString() }
  const common = { resourceName: item.id, etag: `%E${item.updatedAtMs}` }
  if (item.deletedAtMs !== undefined)
    return { ...common, metadata: { sources: [source], deleted: true, objectType: 'PERSON' } }
  const shown = Object.entries(item.fields).filter(([name]) => names.includes(name))
  return {
    ...common,
    ...(names.includes('metadata') && { metadata: { sources: [source], objectType: 'PERSON' } }),
    ...Object.fromEntries(shown),
  }
}
