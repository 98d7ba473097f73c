import type { Kept } from '../base/service-parts.ts'
import { InvalidSetting } from '../base/settings.ts'

/** One item that a service stores for a person. Deleted items stay as tombstones. */
export interface StoredItem<Fields = Record<string, unknown>> {
  id: string
  createdAtMs: number
  updatedAtMs: number
  deletedAtMs?: number
  /** Hidden like by a privacy filter: it counts towards the page size but is not shown. */
  hidden?: boolean
  fields: Fields
}

export interface ItemStore {
  /** Newest first, including tombstones and hidden items. */
  list(owner: string, kind: string): readonly StoredItem[]
  find(kind: string, id: string): { owner: string; item: StoredItem } | undefined
  put(owner: string, kind: string, item: StoredItem): StoredItem
  edit(owner: string, kind: string, id: string, fields: Record<string, unknown>, nowMs: number): StoredItem
  remove(owner: string, kind: string, id: string, nowMs: number): void
  /** Whether an item, deleted or not, has this id. */
  isTaken(id: string): boolean
  /** Call it when the seed's data is complete: what is put, edited or deleted from then on is kept. */
  keepChanges(): Kept
}

interface SavedItem extends StoredItem {
  owner: string
  kind: string
}

export const isShown = (item: Pick<StoredItem, 'deletedAtMs' | 'hidden'>): boolean =>
  item.deletedAtMs === undefined && item.hidden !== true

export function createItemStore(): ItemStore {
  const lists = new Map<string, StoredItem[]>()
  let changed: Map<StoredItem, { owner: string; kind: string }> | undefined
  const keyOf = (owner: string, kind: string) => `${kind} ${owner}`
  const existing = (owner: string, kind: string, id: string): StoredItem => {
    const item = lists.get(keyOf(owner, kind))?.find((one) => one.id === id && isShown(one))
    if (!item) throw new InvalidSetting(`${owner} has no ${kind} ${id}`)
    return item
  }
  const put = (owner: string, kind: string, item: StoredItem): StoredItem => {
    const list = lists.get(keyOf(owner, kind)) ?? []
    lists.set(keyOf(owner, kind), list)
    const at = list.findIndex((one) => one.createdAtMs <= item.createdAtMs)
    list.splice(at < 0 ? list.length : at, 0, item)
    changed?.set(item, { owner, kind })
    return item
  }
  return {
    list: (owner, kind) => lists.get(keyOf(owner, kind)) ?? [],
    find(kind, id) {
      for (const [key, list] of lists) {
        const item = key.startsWith(`${kind} `) ? list.find((one) => one.id === id && isShown(one)) : undefined
        if (item) return { owner: key.slice(kind.length + 1), item }
      }
      return undefined
    },
    put,
    edit(owner, kind, id, fields, nowMs) {
      const item = existing(owner, kind, id)
      Object.assign(item.fields, fields)
      item.updatedAtMs = nowMs
      changed?.set(item, { owner, kind })
      return item
    },
    remove(owner, kind, id, nowMs) {
      const item = existing(owner, kind, id)
      item.deletedAtMs = nowMs
      item.updatedAtMs = nowMs
      changed?.set(item, { owner, kind })
    },
    isTaken: (id) => [...lists.values()].some((list) => list.some((item) => item.id === id)),
    keepChanges() {
      const kept = new Map<StoredItem, { owner: string; kind: string }>()
      changed = kept
      return {
        save: (): SavedItem[] => [...kept].map(([item, { owner, kind }]) => ({ ...item, owner, kind })),
        load(saved) {
          for (const { owner, kind, ...item } of saved as SavedItem[]) {
            const known = lists.get(keyOf(owner, kind))?.find((one) => one.id === item.id)
            // In place: another list, such as favourites, may have the same object.
            if (known) kept.set(Object.assign(known, item), { owner, kind })
            else put(owner, kind, item)
          }
        },
      }
    },
  }
}
