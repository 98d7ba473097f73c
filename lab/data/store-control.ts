import type { ServiceClock } from '../base/clock.ts'
import type { DataControl } from '../base/service-parts.ts'
import { InvalidSetting } from '../base/settings.ts'
import type { ItemStore, StoredItem } from './item-store.ts'

interface Added {
  owner: string
  kind: string
  fields: Record<string, unknown>
}

interface ControlledStore {
  store: ItemStore
  clock: ServiceClock
  kinds: readonly string[]
  nextId: (added: Added) => string
  /** Default fields of an added item, for kinds with required fields. */
  blank?: (kind: string, added: Added) => Record<string, unknown>
  /** Called with each added item. */
  onAdd?: (kind: string, item: StoredItem) => void
}

/** Lets tests add, edit and delete a service's items. */
export function storeControl({ store, clock, kinds, nextId, blank, onAdd }: ControlledStore): DataControl {
  const checked = (kind: string) => {
    if (!kinds.includes(kind)) throw new InvalidSetting(`kind must be one of ${kinds.join(', ')}`)
    return kind
  }
  const shown = ({ id, fields }: StoredItem) => ({ id, ...fields })
  return {
    add(owner, kind, fields) {
      checked(kind)
      const now = clock.now()
      const added = { owner, kind, fields }
      const whole = { ...blank?.(kind, added), ...fields }
      const item = { id: nextId(added), createdAtMs: now, updatedAtMs: now, fields: whole }
      store.put(owner, kind, item)
      onAdd?.(kind, item)
      return shown(item)
    },
    edit: (person, kind, id, fields) => shown(store.edit(person, checked(kind), id, fields, clock.now())),
    remove: (person, kind, id) => store.remove(person, checked(kind), id, clock.now()),
  }
}
