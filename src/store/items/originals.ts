import type { Query, Selection } from '#model/query.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import { allPredicates, indexLookup, Values } from './predicates.ts'
import type { ReadableProfile } from './readable-profiles.ts'
import { guidQuery } from './search-terms.ts'

/** For each guid, the earliest item that matches the query on any of its pages. */
export async function findOriginals(
  queries: Queries,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  guids: string[],
): Promise<Map<string, string>> {
  if (guids.length === 0) return new Map()
  const values = new Values()
  const wanted = values.add(guids)
  const candidates = readable.map((profile) => {
    const hasGuid = `i.words @@ (select ${values.add(guidQuery(profile.profileId, guids))}::tsquery)`
    const where = allPredicates(values, profile, selection, { ...query, before: undefined }).join(' and ')
    return `select unnest(i.guid) as guid, i.at, i.id from ${indexLookup([hasGuid])} i where ${where}`
  })
  const text = `select distinct on (guid) guid, id from (${candidates.join(' union all ')}) candidate
    where guid = any(${wanted}::text[]) order by guid, at, id`
  const rows = await queries.rows<{ guid: string; id: string }>(autoPrepare(text), values.list)
  return new Map(rows.map(({ guid, id }) => [guid, id.replaceAll('-', '')]))
}
