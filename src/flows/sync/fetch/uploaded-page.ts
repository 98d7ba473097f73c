import type { PageRequest } from '#kit/endpoints/pages.ts'
import { findUploadPage, removeReadUploads, type UploadPosition } from '#store/sync/uploads.ts'
import { parseStored } from '#upstream/body/lossless-json.ts'
import type { SyncDeps } from '../deps.ts'
import type { EndpointRun } from '../walk/endpoint-run.ts'
import { countersOf } from '../walk/run-log.ts'
import type { Walk } from '../walk/walk.ts'
import type { LocatedPage } from './fetch-page.ts'

/** Its records come from files that people upload. */
export function isUploaded({ connector, endpoint }: Pick<EndpointRun, 'connector' | 'endpoint'>): boolean {
  return connector.auth.kind === 'file' && endpoint.computed === undefined
}

/** The next page of the files that were uploaded for a profile, in place of a call. After the last one, an empty page. */
export async function readUploadedPage(
  { database, clock }: SyncDeps,
  run: EndpointRun,
  request: PageRequest,
): Promise<LocatedPage> {
  const found = await findUploadPage(database, run.profileKey, run.name, positionIn(request))
  countersOf(run, run.name, clock.now()).pages += 1
  const body =
    found === undefined
      ? { records: [] }
      : { records: parseStored(found.json), next: `${found.position}.${found.part}` }
  return { unchanged: false, body, headers: {}, blockedUntilMs: undefined, url: run.connector.api.baseUrl }
}

/**
 * Deletes what a finished walk has read. Its items are committed, so a crash before this only has them read again. What a quota
 * left out is kept: it is read again when the quota allows it.
 */
export async function dropReadUploads({ database }: SyncDeps, run: EndpointRun, walk: Walk): Promise<void> {
  if (walk.quota !== undefined) return
  await removeReadUploads(database, run.profileKey, run.name, positionIn(walk.next))
}

function positionIn({ query }: PageRequest): UploadPosition {
  const [position = 0, part = 0] = (query['after'] ?? '').split('.', 2).map(Number)
  return { position, part }
}
