import { createItemStore, type ItemStore, type StoredItem } from '../../data/item-store.ts'

/** One change of an item, in the order in which they happened. */
export interface Change {
  number: number
  owner: string
  kind: string
  item: StoredItem
  what: 'added' | 'edited' | 'removed'
  /** Labels before the change, for mail. */
  labelsBefore: readonly string[]
}

export interface TrackedStore {
  store: ItemStore
  changes: readonly Change[]
  /** The number of the last change of an item. */
  numberOf(item: StoredItem): number
  /** The number of the last change of a list; 0 if there was none. */
  latest(owner: string, kind: string): number
}

const labelsOf = (item: StoredItem | undefined): string[] => [...((item?.fields['labelIds'] as string[]) ?? [])]

/** A store that numbers its changes: times are too coarse for positions. */
export function createTrackedStore(): TrackedStore {
  const plain = createItemStore()
  const changes: Change[] = []
  const numbers = new Map<StoredItem, number>()
  const find = (owner: string, kind: string, id: string) => plain.list(owner, kind).find((one) => one.id === id)
  const note = (change: Omit<Change, 'number'>) => {
    const number = changes.length + 1
    changes.push({ ...change, number })
    numbers.set(change.item, number)
  }
  const store: ItemStore = {
    ...plain,
    put(owner, kind, item) {
      plain.put(owner, kind, item)
      note({ owner, kind, item, what: 'added', labelsBefore: [] })
      return item
    },
    edit(owner, kind, id, fields, nowMs) {
      const labelsBefore = labelsOf(find(owner, kind, id))
      const item = plain.edit(owner, kind, id, fields, nowMs)
      note({ owner, kind, item, what: 'edited', labelsBefore })
      return item
    },
    remove(owner, kind, id, nowMs) {
      plain.remove(owner, kind, id, nowMs)
      const item = find(owner, kind, id)
      if (item) note({ owner, kind, item, what: 'removed', labelsBefore: labelsOf(item) })
    },
  }
  const numberOf = (item: StoredItem) => numbers.get(item) ?? 0
  return {
    store,
    changes,
    numberOf,
    latest: (owner, kind) => Math.max(0, ...plain.list(owner, kind).map(numberOf)),
  }
}
