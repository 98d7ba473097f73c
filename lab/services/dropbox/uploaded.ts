import { createHash } from 'node:crypto'
import type { ServiceClock } from '../../base/clock.ts'
import type { Person } from '../../base/people.ts'
import type { StoredItem } from '../../data/item-store.ts'
import { failure, revOf } from './api.ts'
import { type DropboxData, entriesOf, type FileFields, lowerPath } from './data.ts'

/** `CommitInfo`: where and how an upload becomes a file. */
export interface Commit {
  path: string
  mode?: string | { '.tag': string; update?: string }
  autorename?: boolean
  client_modified?: string
  strict_conflict?: boolean
  content_hash?: string
}

/** What is in the way of a write: a file, a folder, or a file where a folder of the path would be. */
export type Conflict = 'file' | 'folder' | 'file_ancestor'

/** The entries of a person, by path as the vendor compares it. */
export function folderTree({ data, clock, person }: { data: DropboxData; clock: ServiceClock; person: Person }) {
  const { store } = data
  const owner = person.username
  const shown = () => entriesOf(data, person).filter(({ deletedAtMs }) => deletedAtMs === undefined)
  const at = (path: string): StoredItem | undefined =>
    shown().find((item) => (path.startsWith('id:') ? item.id === path : lowerPath(item) === path.toLowerCase()))
  /** Later than every other change, because cursors are times. */
  const now = () => Math.max(clock.now(), 1 + Math.max(0, ...store.list(owner, 'files').map((one) => one.updatedAtMs)))
  const put = (fields: FileFields): StoredItem => {
    const atMs = now()
    return store.put(owner, 'files', { id: data.nextId(), createdAtMs: atMs, updatedAtMs: atMs, fields: { ...fields } })
  }
  const ancestorsOf = (path: string): string[] => {
    const names = path.split('/').slice(1, -1)
    return names.map((_, last) => `/${names.slice(0, last + 1).join('/')}`)
  }
  /** Folders on the way are made. */
  const addFolders = (path: string): void => {
    for (const one of ancestorsOf(path)) if (at(one) === undefined) put({ path: one, tag: 'folder', size: 0 })
  }
  const free = (path: string): string => {
    const [, stem = path, ending = ''] = /^(.+?)(\.[^./]+)?$/.exec(path) ?? []
    for (let number = 1; ; number += 1) {
      const name = `${stem} (${number})${ending}`
      if (at(name) === undefined) return name
    }
  }
  return {
    at,
    kindAt: (path: string) => at(path)?.fields['tag'] as FileFields['tag'] | undefined,
    now,
    fileAbove: (path: string): boolean => ancestorsOf(path).some((one) => at(one)?.fields['tag'] === 'file'),
    free,
    addFolder: (path: string): StoredItem => {
      addFolders(path)
      return put({ path, tag: 'folder', size: 0 })
    },
    addFile: (fields: FileFields): StoredItem => {
      addFolders(fields.path)
      return put(fields)
    },
    edit: (id: string, fields: Partial<FileFields>) => store.edit(owner, 'files', id, fields, now()),
    remove: (id: string) => store.remove(owner, 'files', id, now()),
  }
}

type Tree = ReturnType<typeof folderTree>

/** Stores bytes as a file, as the mode of the commit says. */
export function commitFile(
  tree: Tree,
  commit: Commit,
  content: Buffer,
  refuse: (conflict: Conflict) => Error,
): StoredItem {
  const { path, autorename } = commit
  const contentHash = hashOf(content)
  if (commit.content_hash !== undefined && commit.content_hash !== contentHash)
    throw failure(409, 'content_hash_mismatch')
  const given = commit.client_modified === undefined ? undefined : Date.parse(commit.client_modified)
  const fields: FileFields = {
    path,
    tag: 'file',
    size: content.length,
    contentHash,
    clientModifiedMs: given ?? tree.now(),
  }
  if (tree.fileAbove(path)) throw refuse('file_ancestor')
  const existing = tree.at(path)
  if (existing === undefined) return tree.addFile(fields)
  const isFile = existing.fields['tag'] === 'file'
  const mode = typeof commit.mode === 'string' ? commit.mode : (commit.mode?.['.tag'] ?? 'add')
  const isSame = isFile && existing.fields['contentHash'] === contentHash && commit.strict_conflict !== true
  if (isSame && mode === 'add') return existing
  const update = typeof commit.mode === 'object' ? commit.mode.update : undefined
  const replaces = mode === 'overwrite' || (mode === 'update' && update === revOf(existing))
  if (isFile && replaces) {
    const { path: _, ...changed } = fields
    return tree.edit(existing.id, changed)
  }
  if (autorename === true) return tree.addFile({ ...fields, path: tree.free(path) })
  throw refuse(isFile ? 'file' : 'folder')
}

const BLOCK_BYTES = 4 * 1024 * 1024

/** The vendor's content hash: of the hashes of blocks of 4 MB. */
export function hashOf(content: Buffer): string {
  const whole = createHash('sha256')
  for (let at = 0; at < content.length; at += BLOCK_BYTES)
    whole.update(
      createHash('sha256')
        .update(content.subarray(at, at + BLOCK_BYTES))
        .digest(),
    )
  return whole.digest('hex')
}
