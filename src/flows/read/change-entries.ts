import { endpointOf } from '#kit/connector/own-items.ts'
import type { Registry } from '#kit/connector/registry.ts'
import { formatIdr, partitionOf } from '#model/items/idr.ts'
import type { Resolved } from '#store/items/changed-copies.ts'
import type { FoundItem } from '#store/items/query.ts'

/** Writes a change as JSON text; undefined when there is nothing to tell. `owner` is added to each: JSON text of fields. */
export function writeEntry(
  registry: Registry,
  present: (item: FoundItem) => string,
  owner = '',
): (change: Resolved, item: FoundItem | undefined) => string | undefined {
  return ({ profile, key, change, put }, item) => {
    if (change === 'none') return undefined
    if (put !== undefined) {
      // Changed or deleted since its key was read: it is listed again, at its new place.
      const isCurrent = item !== undefined && (put.profile !== profile || item.seq === key.seq)
      return isCurrent ? `{"change":"upsert",${owner}"item":${present(item)}}` : undefined
    }
    const { owner: nativeId, service } = profile
    const type = endpointOf(registry, service, key.endpoint)?.kind.name ?? 'data'
    const deleted = JSON.stringify({
      id: `${key.id}_${partitionOf(profile)}`,
      idr: formatIdr({ type, owner: nativeId, service, endpoint: key.endpoint, item: key.nativeId }),
      deleted_at: key.at,
    })
    return `{"change":"delete",${owner}${deleted.slice(1)}`
  }
}

/** Every item of the profile must be dropped; if it was connected again, its items follow. */
export function removedEntry(profile: string): string {
  return JSON.stringify({ change: 'profile_removed', profile })
}
