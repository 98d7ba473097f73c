import type { Card } from '#model/items/normal.ts'
import type { ContactIdentity } from '#model/people/contact-keys.ts'
import type { StoredContact } from '#store/items/contacts.ts'

/** The texts of a contact's card. */
export type ContactCard = { [Field in (typeof FIELDS)[number]]?: string }

const FIELDS = [
  'id',
  'title',
  'handle',
  'email',
  'phone',
  'url',
  'website',
  'thumbnail_url',
  'description',
  'location',
] as const satisfies (keyof Card)[]

/** Limit: characters of a service user's id in a contact's card; a longer one is ignored, and the id of the record counts. */
const MAX_USER_ID = 500

/** Reads a contact's card, and whom it names. Values that are not text are ignored: a service sent them. */
export function readContactCard({ oembed, nativeId }: Pick<StoredContact, 'oembed' | 'nativeId'>): {
  card: ContactCard
  user: string
  identity: ContactIdentity
} {
  const stored = oembed === undefined ? {} : (JSON.parse(oembed) as Record<string, unknown>)
  const card: ContactCard = {}
  for (const field of FIELDS) {
    const value = stored[field]
    if (typeof value === 'string' && value !== '') card[field] = value
  }
  const { id = '', title, handle, email, url, website } = card
  return {
    card,
    // The database takes no NUL in a text, so no participant has such an id.
    user: id === '' || id.length > MAX_USER_ID || id.includes('\0') ? nativeId : id,
    identity: { name: title, handle, email, urls: [url, website].filter((link) => link !== undefined) },
  }
}
