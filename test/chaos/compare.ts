import type { Database } from '#platform/postgres/database.ts'
import type { Thing } from './service.ts'

export interface Compared {
  /** Items at the service. */
  items: number
  /** Items stored with different content. */
  wrong: number
  /** Items not stored. */
  lost: number
  /** Items stored although deleted at the service. */
  extra: number
  /** Sequence numbers that two changes share, or that exceed the last one allocated. */
  disordered: number
  /** Endpoints whose item count differs from the number of items. */
  miscounted: number
}

interface Row {
  native_id: string
  endpoint: string
  item: string
  data: string
}

/** Compares everything stored with everything the service has. */
export async function compare(
  database: Database,
  people: { list: Map<string, Thing>; changes: Map<string, Thing> }[],
): Promise<Compared> {
  const rows = await database.rows<Row>({
    name: '',
    text: `select p.native_id, i.endpoint, i.native_id as item, i.data::text as data from item i join profile p on p.shard = i.shard and p.id = i.profile_id`,
  })
  const stored = new Map(rows.map((row) => [`${row.native_id} ${row.endpoint} ${row.item}`, row.data]))
  const found: Compared = { items: 0, wrong: 0, lost: 0, extra: 0, disordered: 0, miscounted: 0 }
  for (const [number, person] of people.entries()) {
    for (const endpoint of ['list', 'changes'] as const) {
      for (const thing of person[endpoint].values()) {
        if (thing.deleted === true) continue
        const name = `${number} ${endpoint} ${thing.id}`
        const data = stored.get(name)
        stored.delete(name)
        found.items += 1
        if (data === undefined) found.lost += 1
        else if (data !== JSON.stringify(thing)) found.wrong += 1
      }
    }
  }
  const count = async (text: string) => (await database.rows<{ n: number }>({ name: '', text }))[0]!.n
  return {
    ...found,
    extra: stored.size,
    disordered: await count(
      `with change as (select shard, profile_id, seq from item union all select shard, profile_id, seq from item_tombstone)
       select count(*) as n from (
         select 1 from change group by shard, profile_id, seq having count(*) > 1
         union all select 1 from change c join profile_sync p using (shard, profile_id) where c.seq > p.seq) odd`,
    ),
    miscounted: await count(
      `select count(*) as n from endpoint_sync e where e.items <> (
         select count(*) from item i where i.shard = e.shard and i.profile_id = e.profile_id and i.endpoint = e.endpoint)`,
    ),
  }
}
