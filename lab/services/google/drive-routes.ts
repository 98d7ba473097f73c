import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { type ApiParts, apiEndpoint, type Call, paged, sizeOf } from './api-endpoint.ts'
import { SCOPES } from './login.ts'
import { invalid } from './respond.ts'

/** A list of files, and a list of changes from a position that never ends by itself. */
export function driveRoutes(parts: ApiParts): Routes {
  const { tracked, positions } = parts
  const tokenOf = (number: number) => String(1000 + number + positions.generationOf('files') * 1_000_000)

  const files = (call: Call) => {
    const query = call.get('q')
    if (query !== undefined && query !== 'trashed = false') throw invalid('q')
    const all = tracked.store
      .list(call.person.username, 'files')
      .filter((item) => isShown(item) && (query === undefined || item.fields['trashed'] !== true))
    const { page, nextPageToken } = paged(call, all, sizeOf(call, 'pageSize', 100, 1000))
    return {
      kind: 'drive#fileList',
      incompleteSearch: false,
      ...(nextPageToken && { nextPageToken }),
      files: page.map((item) => whole(call, file(item))),
    }
  }

  const changes = (call: Call) => {
    const token = call.get('pageToken')
    const after = Number(token) - Number(tokenOf(0))
    if (token === undefined || !Number.isInteger(after) || after < 0) throw invalid('pageToken')
    const size = sizeOf(call, 'pageSize', 100, 1000)
    const all = tracked.store
      .list(call.person.username, 'files')
      .filter((item) => tracked.numberOf(item) > after)
      .sort((a, b) => tracked.numberOf(a) - tracked.numberOf(b))
    const page = all.slice(0, size)
    const last = page.at(-1)
    const hasMore = page.length < all.length
    const next = tokenOf(last === undefined ? after : tracked.numberOf(last))
    return {
      kind: 'drive#changeList',
      ...(hasMore ? { nextPageToken: next } : { newStartPageToken: next }),
      changes: page.map((item) => ({
        kind: 'drive#change',
        changeType: 'file',
        time: new Date(item.updatedAtMs).toISOString(),
        removed: item.deletedAtMs !== undefined,
        fileId: item.id,
        ...(item.deletedAtMs === undefined && { file: whole(call, file(item)) }),
      })),
    }
  }

  return {
    'GET /drive/v3/changes/startPageToken': apiEndpoint(parts, SCOPES.drive, ({ person }) => ({
      kind: 'drive#startPageToken',
      startPageToken: tokenOf(tracked.latest(person.username, 'files')),
    })),
    'GET /drive/v3/files': apiEndpoint(parts, SCOPES.drive, files),
    'GET /drive/v3/changes': apiEndpoint(parts, SCOPES.drive, changes),
  }
}

export const file = ({ id, fields, createdAtMs, updatedAtMs }: StoredItem) => ({
  kind: 'drive#file',
  id,
  trashed: false,
  createdTime: new Date(createdAtMs).toISOString(),
  modifiedTime: new Date(updatedAtMs).toISOString(),
  ...fields,
})

/** Without `fields` a file has only these. */
export function whole(call: Pick<Call, 'get'>, one: Record<string, unknown>): Record<string, unknown> {
  if (call.get('fields') !== undefined) return one
  return { kind: one['kind'], id: one['id'], name: one['name'], mimeType: one['mimeType'] }
}
