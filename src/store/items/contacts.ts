import type { ItemKey, Query } from '#model/items/query.ts'
import { typeBits } from '#model/items/types.ts'
import { lastOf } from '#platform/formats/list-ends.ts'
import type { Queries } from '#platform/postgres/database.ts'
import type { ReadableProfile } from '../identity/readable-profiles.ts'
import { readerById } from './items-by-id.ts'
import { type ItemList, listItems } from './list-items.ts'

/** A contact with its card, which is JSON text; undefined when the card is too large. */
export interface StoredContact extends ItemKey {
  profileId: string
  endpoint: string
  nativeId: string
  oembed: string | undefined
}

/** Limit: characters of a contact's card that is read to find people; a contact with a larger one has no name and no keys. */
const MAX_CARD = 16_384
export const CONTACT_BITS = typeBits(['contacts'])
// Read as text and parsed by us: PostgreSQL refuses to extract values from a card with `\u0000` in it.
export const CONTACT_COLUMNS = `i.endpoint, i.native_id,
  case when length(i.oembed::text) <= ${MAX_CARD} then i.oembed::text end as oembed`
const EVERY_TIME: Query = {
  limit: 0,
  since: Number.MIN_SAFE_INTEGER,
  until: Number.MAX_SAFE_INTEGER,
  updatedSince: undefined,
  before: undefined,
  sort: 'asc',
  terms: undefined,
  participants: [],
  near: undefined,
  dedup: false,
  copyOf: false,
  link: undefined,
}

/** All contacts of a profile in batches, the oldest first; without those that another profile of the account has too. */
export async function* contactsOf(
  queries: Queries,
  profile: ReadableProfile,
  batchRows: number,
): AsyncGenerator<StoredContact[]> {
  for (let after: ItemKey | undefined; ; ) {
    const found = await listItems(queries, contactList(profile, after, batchRows), CONTACT_COLUMNS, toContact)
    yield found
    if (found.length < batchRows) return
    after = lastOf(found)
  }
}

/** The next contacts of a profile. */
export function contactList(profile: ReadableProfile, after: ItemKey | undefined, limit: number): ItemList {
  const query = { ...EVERY_TIME, before: after }
  return { readable: [profile], selection: { type: 'contacts' }, query, limit }
}

const findById = readerById<Row>('contacts-by-id', CONTACT_COLUMNS, `(i.types & ${CONTACT_BITS}) <> 0`)

/** Those of these items that are contacts, of each the copy of the first profile that has it. */
export async function contactsById(
  queries: Queries,
  readable: readonly ReadableProfile[],
  ids: readonly string[],
): Promise<StoredContact[]> {
  return (await findById(queries, readable, ids)).map((row) =>
    toContact([row.profile_id, row.id, row.at, row.endpoint, row.native_id, row.oembed]),
  )
}

interface Row {
  profile_id: string
  id: string
  at: number
  endpoint: string
  native_id: string
  oembed: string | null
}

type ContactRow = [
  profileId: string,
  id: string | null,
  at: number,
  endpoint: string,
  nativeId: string,
  oembed: string | null,
]

function toContact([profileId, id, at, endpoint, nativeId, oembed]: ContactRow): StoredContact {
  return { profileId, id: id!.replaceAll('-', ''), endpoint, nativeId, at, oembed: oembed ?? undefined }
}
