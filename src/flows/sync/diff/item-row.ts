import type { ItemDraft } from '#kit/connector/read-item.ts'
import { searchVector } from '#model/items/search-words.ts'
import { typeBits } from '#model/items/types.ts'
import { storableText } from '#platform/formats/storable-text.ts'
import type { ItemRow } from '#store/items/items.ts'

/** A record with its ids, and its text as it is stored. */
export interface RecordText {
  id: string
  nativeId: string
  text: string
  hash: Buffer
}

/** Limit: characters of a participant's id; longer ones do not fit in an index and are left out. */
const MAX_PARTICIPANT = 500

/** The row of an item, without its `seq`. `before` is what is stored of it. */
export function itemRow(
  record: RecordText,
  draft: ItemDraft,
  endpoint: string,
  before: { at: number; bytes: number } | undefined,
  nowMs: number,
): Omit<ItemRow, 'seq'> {
  return {
    isNew: before === undefined,
    id: record.id,
    endpoint,
    nativeId: storableText(record.nativeId),
    at: draft.at ?? before?.at ?? nowMs,
    hash: record.hash,
    types: typeBits(draft.types),
    author: draft.hasAuthor ? storableText(draft.participants[0]!) : undefined,
    participants: draft.participants.filter(({ length }) => length <= MAX_PARTICIPANT).map(storableText),
    guid: draft.guid.map(storableText),
    lat: draft.place?.lat,
    lng: draft.place?.lng,
    words: searchVector(draft.texts),
    oembed: JSON.stringify(draft.card),
    cards: cardsText(draft.cards),
    data: record.text,
    bytes: Buffer.byteLength(record.text),
    bytesBefore: before?.bytes ?? 0,
  }
}

/** The database reads one card out of this text, and refuses escapes of NUL and of lone surrogates when it does. */
function cardsText(cards: ItemDraft['cards']): string | undefined {
  if (Object.keys(cards).length === 0) return undefined
  return JSON.stringify(cards, (_, value: unknown) => (typeof value === 'string' ? storableText(value) : value))
}
