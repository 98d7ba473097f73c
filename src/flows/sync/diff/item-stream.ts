import type { Connector } from '#kit/connector/connector.ts'
import { type ItemDraft, itemNamer, itemReader } from '#kit/connector/read-item.ts'
import { readerVersion } from '#kit/connector/reader-version.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'

/** The items of one endpoint of one profile, and how its records are read. */
export interface ItemStream {
  profileKey: ProfileKey
  name: string
  kind: string
  /**
   * Epoch and version of the reader. Begins every hash, so that after a reset all stored items count as changed, and
   * those that an older version read are known.
   */
  hashPrefix: number
  /** The profile's items are being read again because the readers have changed: an item that only was read before is not changed. */
  isBeingReread: boolean
  /** Faults are stored for the endpoint, or records quarantined. During a run both only ever become true. */
  hasFaults: boolean
  hasQuarantined: boolean
  /** Fields that the connector failed to read in this run, and how often. */
  faultsByField: Map<string, number>
  identify: (raw: unknown) => { nativeId: string; id: string }
  read: (raw: unknown) => ItemDraft
  isDeleted: (raw: unknown) => boolean
}

/** No endpoint is reset this often. */
const EPOCHS_PER_VERSION = 2 ** 16

export function openItemStream(
  connector: Pick<Connector, 'service' | 'title'>,
  name: string,
  endpoint: Endpoint,
  owner: string,
  profileKey: ProfileKey,
  epoch: number,
  { hasFaults, hasQuarantined, isBeingReread } = { hasFaults: false, hasQuarantined: false, isBeingReread: false },
): ItemStream {
  return {
    profileKey,
    name,
    kind: endpoint.kind.name,
    hashPrefix: (epoch + EPOCHS_PER_VERSION * readerVersion(endpoint)) % 2 ** 32,
    isBeingReread,
    hasFaults,
    hasQuarantined,
    faultsByField: new Map(),
    identify: itemNamer(connector, name, endpoint, owner),
    read: itemReader(connector, name, endpoint, owner),
    isDeleted: (raw) => {
      try {
        return endpoint.kind.deleted?.(raw) ?? false
      } catch {
        // The reader of the whole record throws the same error and counts it as a fault.
        return false
      }
    },
  }
}

/** Records are JSON objects. */
export function isObject(raw: unknown): boolean {
  return raw !== null && typeof raw === 'object' && !Array.isArray(raw)
}
