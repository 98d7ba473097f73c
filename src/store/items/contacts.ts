import { typeBits } from '#model/types.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import type { ProfileKey } from '../sync/schedule.ts'
import { isHiddenElsewhere, withoutHidden } from './hidden-copies.ts'
import { hexId } from './item-ids.ts'
import { exceptDuplicates, Values } from './predicates.ts'
import type { ReadableProfile } from './readable-profiles.ts'

/** A contact with its card, which is JSON text; undefined when the card is too large. */
export interface StoredContact {
  id: string
  endpoint: string
  nativeId: string
  at: number
  oembed: string | undefined
}

/** Limit: characters of a contact's card that is read to find people; a contact with a larger one has no name and no keys. */
const MAX_CARD = 16_384
const CONTACT_BITS = typeBits(['contacts'])
// Read as text and parsed by us: PostgreSQL refuses to extract values from a card with `\u0000` in it.
const columns = `${hexId('i.id')} as id, i.endpoint, i.native_id, i.at,
  case when length(i.oembed::text) <= ${MAX_CARD} then i.oembed::text end as oembed`

const findById = statement(
  'contacts-by-id',
  `select ${columns} from item i
   where i.shard = $shard and i.profile_id = $profileId and i.id = any($ids::uuid[])
     and (i.types & ${CONTACT_BITS}) <> 0`,
)
const findChange = statement(
  'contacts-changed',
  `select exists (
     select from item i where i.shard = $shard and i.profile_id = $profileId and i.seq > $after
       and ((i.types & ${CONTACT_BITS}) <> 0 or i.endpoint = any($endpoints))
   ) or exists (
     select from item_tombstone t where t.shard = $shard and t.profile_id = $profileId and t.seq > $after
       and t.endpoint = any($endpoints)
   ) as changed`,
)

/** All contacts of a profile in batches, the oldest first; without those that another profile of the account has too. */
export async function* contactsOf(
  queries: Queries,
  profile: ReadableProfile,
  batchRows: number,
): AsyncGenerator<StoredContact[]> {
  for (let after: StoredContact | undefined; ; ) {
    const { text, values } = writeContacts(profile, after, batchRows)
    const found = (await queries.rows<Row>(autoPrepare(text), values)).map(toContact)
    yield isHiddenElsewhere(profile) ? await withoutHidden(queries, profile, found) : found
    if (found.length < batchRows) return
    after = found.at(-1)
  }
}

/** The statement of `contactsOf`. */
export function writeContacts(
  profile: ReadableProfile,
  after: Pick<StoredContact, 'at' | 'id'> | undefined,
  limit: number,
): { text: string; values: unknown[] } {
  const values = new Values()
  const where = [
    `i.shard = ${values.add(profile.shard)}`,
    `i.profile_id = ${values.add(profile.profileId)}`,
    `(i.types & ${CONTACT_BITS}) <> 0`,
    ...(after === undefined ? [] : [`(i.at, i.id) > (${values.add(after.at)}, ${values.add(after.id)}::uuid)`]),
    ...exceptDuplicates(values, profile),
  ]
  const text = `select ${columns} from item i where ${where.join(' and ')}
    order by i.at, i.id limit ${values.add(limit)}`
  return { text, values: values.list }
}

/** Those of these items that are contacts of the profile. */
export async function contactsById(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  ids: string[],
): Promise<StoredContact[]> {
  return (await queries.rows<Row>(findById.with({ shard, profileId, ids }))).map(toContact)
}

/** Whether contacts were added, changed or deleted after a seq. `endpoints`: where the contacts known so far come from. */
export async function haveContactsChanged(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  after: number,
  endpoints: string[],
): Promise<boolean> {
  const rows = await queries.rows<{ changed: boolean }>(findChange.with({ shard, profileId, after, endpoints }))
  return rows[0]?.changed ?? false
}

interface Row {
  id: string
  endpoint: string
  native_id: string
  at: number
  oembed: string | null
}

function toContact({ id, endpoint, native_id, at, oembed }: Row): StoredContact {
  return { id, endpoint, nativeId: native_id, at, oembed: oembed ?? undefined }
}
