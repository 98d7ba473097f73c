import { type Queries, statement } from '#platform/postgres/database.ts'
import { hexId } from '../keys/item-ids.ts'
import type { ProfileKey } from '../keys/profile-key.ts'

/** Limit: exceptions of the repeated events of one page that are read; further ones are ignored. */
const MAX_RELATED = 5000

const ofEndpoint = 'i.shard = $shard and i.profile_id = $profileId and i.endpoint = $endpoint'
// The text of the record decides, without parsing it: few of many items are marked, and each is looked at once in a walk.
const findMarked = statement(
  'item-marked',
  `select ${hexId('i.id')} as id, i.data::text as data from item i
   where ${ofEndpoint} and i.id > $afterId::uuid
     and exists (select 1 from unnest($marks::text[]) m (mark) where strpos(i.data::text, m.mark) > 0)
   order by i.id limit $limit`,
)
const findRelated = statement(
  'item-related',
  `select t.text, i.data::text as data from item i
   join unnest($texts::text[]) t (text) on strpos(i.data::text, t.text) > 0
   where ${ofEndpoint} limit $limit`,
)

/** Stored records of an endpoint that contain one of the marks, in the order of their ids. */
export async function findMarkedItems(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  endpoint: string,
  marks: readonly string[],
  afterId: string,
  limit: number,
): Promise<{ id: string; data: string }[]> {
  return queries.rows<{ id: string; data: string }>(
    findMarked.with({ shard, profileId, endpoint, marks: [...marks], afterId, limit }),
  )
}

/** Stored records of an endpoint that contain one of these texts, with the text. */
export async function findRelatedItems(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  endpoint: string,
  texts: readonly string[],
): Promise<{ text: string; data: string }[]> {
  return queries.rows<{ text: string; data: string }>(
    findRelated.with({ shard, profileId, endpoint, texts: [...texts], limit: MAX_RELATED }),
  )
}
