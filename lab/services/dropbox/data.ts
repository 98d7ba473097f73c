import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { createItemStore, type ItemStore, type StoredItem } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'

export interface FileFields extends Record<string, unknown> {
  /** As people see it. */
  path: string
  tag: 'file' | 'folder'
  size: number
  link?: string
  /** As the uploading app says; the time of the upload otherwise. */
  clientModifiedMs?: number
  contentHash?: string
}

export interface DropboxData {
  store: ItemStore
  nextId: () => string
}

const folders = ['/Photos', '/Photos/Été 2025', '/Rechnungen', '/書類', '/Work & Play']
const endings = ['jpg', 'pdf', 'txt', 'mp4', 'md']

export function createDropboxData(parts: { people: Person[]; random: Random; nowMs: number }): DropboxData {
  const store = createItemStore()
  let sequence = 0
  const nextId = () => `id:a4ayc_80_OEAAAAAA${(sequence += 1).toString(36).padStart(4, '0')}`
  for (const person of parts.people) {
    if (person.activity === 0) continue
    const random = parts.random.fork(person.username)
    const put = (atMs: number, fields: FileFields) =>
      store.put(person.username, 'files', { id: nextId(), createdAtMs: atMs, updatedAtMs: atMs, fields })
    const moments = momentsBack(random, Math.round(person.activity / 2), parts.nowMs, 1500).reverse()
    for (const [at, folder] of folders.entries())
      put((moments[0] ?? parts.nowMs) - 60_000 + at, { path: folder, tag: 'folder', size: 0 })
    for (const [at, atMs] of moments.entries()) {
      const path = `${random.chance(0.2) ? '' : random.pick(folders)}/Übersicht ${at}.${random.pick(endings)}`
      const fields: FileFields = { path, tag: 'file', size: random.int(0, 5_000_000) }
      if (random.chance(0.1)) fields.link = `https://www.dropbox.com/scl/fi/${random.int(1e6, 9e6)}/x?rlkey=a&dl=0`
      const item = put(atMs, fields)
      if (random.chance(0.05)) Object.assign(item, { deletedAtMs: atMs + 1000, updatedAtMs: atMs + 1000 })
    }
  }
  return { store, nextId }
}

/** Paths differ in more than case. */
export const lowerPath = ({ fields }: StoredItem): string => String(fields['path']).toLowerCase()

/** Of a deleted folder only the folder is listed as deleted: its entries are gone without a word. */
export function entriesOf({ store }: DropboxData, { username }: Person): StoredItem[] {
  const stored = store.list(username, 'files')
  const shown = new Set(stored.flatMap((item) => (item.deletedAtMs === undefined ? [lowerPath(item)] : [])))
  // Where a file is again, its deletion is not told.
  const all = stored.filter((item) => item.deletedAtMs === undefined || !shown.has(lowerPath(item)))
  const goneFolders = all.flatMap(({ deletedAtMs, fields }) =>
    deletedAtMs !== undefined && fields['tag'] === 'folder'
      ? [{ prefix: `${String(fields['path']).toLowerCase()}/`, deletedAtMs }]
      : [],
  )
  return all.filter(
    ({ createdAtMs, fields }) =>
      !goneFolders.some(
        ({ prefix, deletedAtMs }) =>
          createdAtMs <= deletedAtMs && String(fields['path']).toLowerCase().startsWith(prefix),
      ),
  )
}
