import type { ComputedPage } from '#kit/endpoints/computed.ts'
import type { Computed } from '#kit/endpoints/computed-records.ts'
import type { PageRequest } from '#kit/endpoints/pages.ts'
import { horizonOf } from '#kit/ical/series.ts'
import { findMarkedItems, findRelatedItems } from '#store/sync/marked-items.ts'
import { type LosslessJson, parseStored } from '#upstream/body/lossless-json.ts'
import type { SyncDeps } from '../deps.ts'
import type { EndpointRun } from '../walk/endpoint-run.ts'
import { countersOf } from '../walk/run-log.ts'
import type { LocatedPage } from './fetch-page.ts'

/** Limit: repeated events of a profile whose occurrences are stored; those of further ones are not. */
const MAX_SOURCES = 5000
/** Limit: occurrences of repeated events that a profile has; those of further events are left out. */
const MAX_COMPUTED = 50_000
/** Stored records that are looked at together. */
const SOURCES_PER_PAGE = 50
/** A page ends when it has this many computed records. */
const RECORDS_PER_PAGE = 1000
/** A page ends when computing it took this long, so that a run can end after it. */
const PAGE_MS = 1000

/** The next page of an endpoint that is computed from the stored items of another one, in place of a call. */
export async function computePage(
  { database, clock, log }: SyncDeps,
  run: EndpointRun,
  computed: Computed,
  request: PageRequest,
): Promise<LocatedPage> {
  const { profileKey, name, connector } = run
  const [afterId, before, made] = positionIn(request)
  const horizon = horizonOf(Number(request.query['now']))
  const sources = await findMarkedItems(database, profileKey, computed.from, computed.marks, afterId, SOURCES_PER_PAGE)
  countersOf(run, name, clock.now()).pages += 1
  const parsed = sources.map(({ id, data }) => ({ id, record: parseStored(data) as unknown }))
  const related = await relatedTo(run, { database }, parsed, computed)
  const records: unknown[] = []
  const beganAt = clock.now()
  let done = 0
  for (const { id, record } of parsed) {
    if (records.length >= RECORDS_PER_PAGE || clock.now() - beganAt > PAGE_MS) break
    run.onPage()
    done += 1
    try {
      records.push(...computed.compute(record, related.get(id) ?? [], horizon))
    } catch (error) {
      log.warn('nothing could be computed from an item', {
        service: connector.service,
        endpoint: name,
        profile: profileKey.profileId,
        item: id,
        error: String(error),
      })
    }
  }
  const [seen, total] = [before + done, made + records.length]
  const isLast = done === sources.length && sources.length < SOURCES_PER_PAGE
  const isOver = isLast || seen >= MAX_SOURCES || total >= MAX_COMPUTED
  const next = isOver ? undefined : `${sources[done - 1]!.id}.${seen}.${total}`
  return {
    unchanged: false,
    // Connectors compute plain records, which may have fields that are undefined.
    body: { records, next } satisfies ComputedPage as unknown as LosslessJson,
    headers: {},
    blockedUntilMs: undefined,
    url: connector.api.baseUrl,
  }
}

/** By the id of the item that they belong to. */
async function relatedTo(
  { profileKey }: EndpointRun,
  { database }: Pick<SyncDeps, 'database'>,
  sources: { id: string; record: unknown }[],
  { from, relatedBy }: Computed,
): Promise<Map<string, unknown[]>> {
  if (relatedBy === undefined || sources.length === 0) return new Map()
  const texts = new Map(
    sources.flatMap(({ id, record }) => {
      const text = relatedBy(record)
      return text === undefined ? [] : [[text, id] as const]
    }),
  )
  const found = new Map<string, unknown[]>()
  for (const { text, data } of await findRelatedItems(database, profileKey, from, [...texts.keys()])) {
    const id = texts.get(text)!
    found.set(id, [...(found.get(id) ?? []), parseStored(data)])
  }
  return found
}

function positionIn({ query }: PageRequest): [id: string, seen: number, made: number] {
  const [id = '', seen = '0', made = '0'] = (query['after'] ?? '').split('.', 3)
  return [id === '' ? NO_ID : id, Number(seen), Number(made)]
}

/** Before every id. */
const NO_ID = '0'.repeat(32)
