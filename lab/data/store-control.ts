import type { ServiceClock } from '../base/clock.ts'
import type { DataControl } from '../base/service-parts.ts'
import { InvalidSetting } from '../base/settings.ts'
import type { ItemStore, StoredItem } from './item-store.ts'

interface ControlledStore {
  store: ItemStore
  clock: ServiceClock
  kinds: readonly string[]
  nextId: () => string
  /** Default fields of an added item, for kinds with required fields. */
  blank?: (kind: string) => Record<string, unknown>
}

/** Lets tests add, edit and delete a service's items. */
export function storeControl({ store, clock, kinds, nextId, blank }: ControlledStore): DataControl {
  const checked = (kind: string) => {
    if (!kinds.includes(kind)) throw new InvalidSetting(`kind must be one of ${kinds.join(', ')}`)
    return kind
  }
  const shown = ({ id, fields }: StoredItem) => ({ id, ...fields })
  return {
    add(person, kind, fields) {
      const now = clock.now()
      const whole = { ...blank?.(checked(kind)), ...fields }
      return shown(
        store.put(person, checked(kind), { id: nextId(), createdAtMs: now, updatedAtMs: now, fields: whole }),
      )
    },
    edit: (person, kind, id, fields) => shown(store.edit(person, checked(kind), id, fields, clock.now())),
    remove: (person, kind, id) => store.remove(person, checked(kind), id, clock.now()),
  }
}
