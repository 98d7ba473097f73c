import type { Query, Selection } from '#model/query.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import { clauses, indexLookup, Values } from './predicates.ts'
import type { ReadableProfile } from './readable-profiles.ts'
import { guidQuery } from './search-terms.ts'

/** For each guid the earliest item that the question finds, wherever its pages begin. */
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
  const carriers = readable.map((profile) => {
    const marked = `i.words @@ (select ${values.add(guidQuery(profile.profileId, guids))}::tsquery)`
    const where = clauses(values, profile, selection, { ...query, before: undefined }).join(' and ')
    return `select unnest(i.guid) as guid, i.at, i.id from ${indexLookup([marked])} i where ${where}`
  })
  const text = `select distinct on (guid) guid, id from (${carriers.join(' union all ')}) carrier
    where guid = any(${wanted}::text[]) order by guid, at, id`
  const rows = await queries.rows<{ guid: string; id: string }>(autoPrepare(text), values.list)
  return new Map(rows.map(({ guid, id }) => [guid, id.replaceAll('-', '')]))
}
