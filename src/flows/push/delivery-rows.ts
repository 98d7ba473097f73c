import { completeMap, itemMap } from '#kit/connector/item-map.ts'
import { endpointOf } from '#kit/connector/own-items.ts'
import type { Registry } from '#kit/connector/registry.ts'
import type { Profile } from '#model/accounts/profile.ts'
import type { DeleteRow, DeliveryProfile, DeliveryRow, PutRow } from '#model/apps/destination.ts'
import { formatIdr, partitionOf } from '#model/items/idr.ts'
import { typesFromBits } from '#model/items/types.ts'
import type { ChangedItem, Tombstone } from '#store/items/changes.ts'
import { type LosslessJson, parseStored, stringifyLossless } from '#upstream/body/lossless-json.ts'

/**
 * Changes as rows, ordered by `seq`. `wanted` are the items that the destination's filter matches. Of an item that no longer
 * matches, the destination may have an earlier state: where `retracts` says so, that is deleted.
 */
export function rowsOf(
  registry: Registry,
  profile: Profile,
  changes: { items: ChangedItem[]; tombstones: Tombstone[] },
  wanted: Set<string>,
  retracts: (item: ChangedItem) => boolean,
): DeliveryRow[] {
  const partition = partitionOf({ owner: profile.nativeId, service: profile.service })
  const rows: DeliveryRow[] = changes.tombstones.map((tombstone) => deleteRow(profile, partition, tombstone))
  for (const item of changes.items) {
    if (wanted.has(item.id)) rows.push(putRow(registry, profile, partition, item))
    else if (retracts(item)) rows.push(deleteRow(profile, partition, { ...item, deletedAt: item.updatedAt }))
  }
  return rows.sort((a, b) => a.seq - b.seq)
}

export function deliveryProfile(profile: Profile): DeliveryProfile {
  return {
    id: profile.id,
    account: profile.accountId,
    service: profile.service,
    nativeId: profile.nativeId,
    name: profile.person.name,
    handle: profile.person.handle,
    // A rate limit is temporary; delivering it would only cause updates.
    state: profile.state === 'limited' ? 'active' : profile.state,
    connectedAt: profile.connectedAt,
  }
}

function putRow(registry: Registry, profile: Profile, partition: string, item: ChangedItem): PutRow {
  const endpoint = endpointOf(registry, profile.service, item.endpoint)
  return {
    op: 'put',
    seq: item.seq,
    id: `${item.id}_${partition}`,
    idr: formatIdr({
      type: endpoint?.kind.name ?? 'data',
      owner: profile.nativeId,
      service: profile.service,
      endpoint: item.endpoint,
      item: item.nativeId,
    }),
    profile: profile.id,
    service: profile.service,
    endpoint: item.endpoint,
    nativeId: item.nativeId,
    at: item.at,
    updatedAt: item.updatedAt,
    types: typesFromBits(item.types),
    guid: item.guid,
    author: item.author,
    participants: item.participants,
    lat: item.lat,
    lng: item.lng,
    oembed: item.oembed,
    map: stringifyLossless(
      (endpoint === undefined
        ? completeMap({}, item)
        : itemMap(endpoint, parseStored(item.data), item, profile.nativeId)) as LosslessJson,
    ),
    data: item.data,
  }
}

function deleteRow(profile: Profile, partition: string, tombstone: Tombstone): DeleteRow {
  return {
    op: 'delete',
    seq: tombstone.seq,
    id: `${tombstone.id}_${partition}`,
    profile: profile.id,
    endpoint: tombstone.endpoint,
    nativeId: tombstone.nativeId,
    deletedAt: tombstone.deletedAt,
  }
}
