import { ApiError } from '#model/errors.ts'
import type { Database } from '#platform/postgres/database.ts'
import { findApp } from '#store/apps/apps.ts'
import { type CallEntry, listCalls } from '#store/apps/calls.ts'

/** Sorts after every id. */
const END = '~'

/** Lists an app's calls through the proxy, newest first; `before` is the id of the last one seen. */
export async function recentCalls(
  { database }: { database: Database },
  appId: string,
  { limit, before = END }: { limit: number; before?: string | undefined },
): Promise<CallEntry[]> {
  if ((await findApp(database, appId)) === undefined) throw new ApiError('not_found', 'There is no such app.')
  return listCalls(database, appId, before, limit)
}
