import { changeText } from '#destinations/change-text.ts'
import type { Profile } from '#model/accounts/profile.ts'
import type { DestinationKind, PutRow } from '#model/apps/destination.ts'
import { listAppProfiles } from '#store/identity/profiles.ts'
import { changesAfter } from '#store/items/changes.ts'
import { rowsOf } from '../delivery-rows.ts'
import type { DeliverDeps } from '../deps.ts'
import { checkFilter, type Filter, filterOf, pathsFor, wantedItems } from '../filter.ts'
import { sourceOf } from '../profile-source.ts'
import { type CreatedTable, readCreatedTables } from './created-tables.ts'
import { countMatches, type DryRun } from './dry-run.ts'

export interface Preview {
  matches: DryRun
  tables: CreatedTable[]
  views: string[]
  /** As rows of the items' table, or as messages. */
  examples: Record<string, unknown>[]
}

/** Limit: examples that a preview shows. */
const MAX_EXAMPLES = 5
/** Limit: profiles that are searched for examples; of an app with more, those of the others are not shown. */
const MAX_PROFILES = 20
/** What is read of each of them: the filter may match none of it. */
const PAGE = { rows: 200, bytes: 1024 * 1024 }

/** What a destination would get: its tables and columns, a few rows, and how many there are. Calls nobody. */
export async function previewDestination(
  deps: DeliverDeps,
  appId: string,
  { kind, filter }: { kind: DestinationKind; filter: string[] },
): Promise<Preview> {
  const draft = { appId, filter: checkFilter(deps, filter) }
  const { tables, views } = readCreatedTables(deps.connections.kindOf(kind).tables ?? [])
  const columns = tables.find(({ name }) => name === 'tributary_items')?.columns
  const rows = await findExamples(deps, appId, filterOf(deps, draft))
  const examples = rows.map((row) =>
    columns === undefined ? (JSON.parse(changeText(row)) as Record<string, unknown>) : asColumns(row, columns),
  )
  return { tables, views, examples, matches: await countMatches(deps, draft) }
}

async function findExamples(deps: DeliverDeps, appId: string, filter: Filter): Promise<PutRow[]> {
  const found: PutRow[] = []
  for (const profile of await listAppProfiles(deps.database, appId, undefined, MAX_PROFILES)) {
    found.push(...(await examplesOf(deps, profile, filter)))
    if (found.length >= MAX_EXAMPLES) break
  }
  return found.slice(0, MAX_EXAMPLES)
}

async function examplesOf(deps: DeliverDeps, profile: Profile, filter: Filter): Promise<PutRow[]> {
  if (pathsFor(filter, profile).length === 0) return []
  const source = await sourceOf(deps, filter, profile)
  const { items } = await changesAfter(deps.database, source.readable, 0, PAGE)
  const wanted = await wantedItems(deps, source, items)
  const rows = rowsOf(deps.registry, profile, { items, tombstones: [] }, wanted, () => false)
  return rows.filter((row): row is PutRow => row.op === 'put').slice(0, MAX_EXAMPLES)
}

/** A row by the names of the columns that the destination has. */
function asColumns(row: PutRow, columns: CreatedTable['columns']): Record<string, unknown> {
  const document = (text: string) => JSON.parse(text) as Record<string, unknown>
  const [oembed, map] = [document(row.oembed), document(row.map)]
  const values: Record<string, unknown> = {
    ...map,
    title: oembed['title'],
    text: map['text'] ?? oembed['description'],
    url: oembed['url'],
    thumbnail_url: oembed['thumbnail_url'],
    author_name: oembed['author_name'],
    profile_id: row.profile,
    id: row.id,
    idr: row.idr,
    service: row.service,
    endpoint: row.endpoint,
    native_id: row.nativeId,
    at: new Date(row.at).toISOString(),
    updated_at: new Date(row.updatedAt).toISOString(),
    types: row.types,
    guid: row.guid,
    author: row.author,
    participants: row.participants,
    lat: row.lat,
    lng: row.lng,
    oembed,
    map,
    data: document(row.data),
    seq: row.seq,
  }
  return Object.fromEntries(columns.map(({ name }) => [name, values[name] ?? null]))
}
