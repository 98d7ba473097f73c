import { type ItemStore, isShown, type StoredItem } from '../data/item-store.ts'

/** The stored records of one kind. */
export interface Collection<Fields extends object> {
  /** Newest first, including tombstones and hidden records. */
  list(owner: string): readonly StoredItem<Fields>[]
  shown(owner: string): StoredItem<Fields>[]
  find(id: string): { owner: string; item: StoredItem<Fields> } | undefined
  add(owner: string, id: string, atMs: number, fields: Fields, more?: Partial<StoredItem>): StoredItem<Fields>
  remove(owner: string, id: string, nowMs: number): void
}

export function collectionOf<Fields extends object>(store: ItemStore, kind: string): Collection<Fields> {
  type Item = StoredItem<Fields>
  return {
    list: (owner) => store.list(owner, kind) as readonly Item[],
    shown: (owner) => (store.list(owner, kind) as readonly Item[]).filter(isShown),
    find: (id) => store.find(kind, id) as { owner: string; item: Item } | undefined,
    add: (owner, id, createdAtMs, fields, more) =>
      store.put(owner, kind, {
        id,
        createdAtMs,
        updatedAtMs: createdAtMs,
        fields: fields as Record<string, unknown>,
        ...more,
      }) as Item,
    remove: (owner, id, nowMs) => store.remove(owner, kind, id, nowMs),
  }
}
