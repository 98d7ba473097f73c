import type { Query, Selection } from '#model/query.ts'
import type { Queries } from './database.ts'
import { clauses, foundBy, Values } from './item-clauses.ts'
import { guidQuery } from './marks.ts'
import { popular } from './popular.ts'
import type { Readable } from './readable.ts'

/** For each guid the earliest item that the question finds, wherever its pages begin. */
export async function findOriginals(
  queries: Queries,
  readable: readonly Readable[],
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
    return `select unnest(i.guid) as guid, i.at, i.id from ${foundBy([marked])} i where ${where}`
  })
  const text = `select distinct on (guid) guid, id from (${carriers.join(' union all ')}) carrier
    where guid = any(${wanted}::text[]) order by guid, at, id`
  const rows = await queries.rows<{ guid: string; id: string }>(popular(text), values.list)
  return new Map(rows.map(({ guid, id }) => [guid, id.replaceAll('-', '')]))
}
