import type { StoredItem } from '../../data/item-store.ts'
import type { Acquaintance } from '../../data/vocabulary.ts'
import type { StatusFields } from './generate.ts'

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Sat Nov 14 09:30:05 +0000 2026`, the order microblogs use. */
export function microDate(ms: number): string {
  const at = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  const time = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(two).join(':')
  return `${days[at.getUTCDay()]} ${months[at.getUTCMonth()]} ${two(at.getUTCDate())} ${time} +0000 ${at.getUTCFullYear()}`
}

/** Every id is sent twice: as a JSON number, and as text for clients whose numbers are doubles. */
const idPair = (id: string) => ({ id: BigInt(id), id_str: id })

export const presentAccount = (url: string, account: Acquaintance) => ({
  ...idPair(account.id),
  handle: account.username,
  name: account.name,
  url: `${url}/${account.username}`,
})

export function presentStatus(url: string, author: Acquaintance, item: StoredItem) {
  const fields = item.fields as StatusFields
  const reply = fields.replyTo
  return {
    ...idPair(item.id),
    created_at: microDate(item.createdAtMs),
    ...(item.updatedAtMs > item.createdAtMs ? { edited_at: microDate(item.updatedAtMs) } : {}),
    text: fields.text,
    account: presentAccount(url, author),
    source: fields.source,
    entities: {
      urls: fields.urls.map(({ url: short, expanded, display }) => ({
        url: short,
        expanded_url: expanded,
        display_url: display,
      })),
      mentions: fields.mentions.map((one) => presentAccount(url, one)),
      hashtags: fields.hashtags.map((text) => ({ text })),
      ...(fields.photo === undefined ? {} : { media: [{ type: 'photo', media_url: `${url}/media/${fields.photo}` }] }),
    },
    coordinates: fields.coordinates ? { type: 'Point', coordinates: fields.coordinates } : null,
    place: fields.placeName === undefined ? null : { full_name: fields.placeName },
    in_reply_to: reply ? { status_id: BigInt(reply.id), status_id_str: reply.id, handle: reply.author.username } : null,
    ...(fields.reshareOf ? { reshare_of: presentReshared(url, fields.reshareOf) } : {}),
    favourite_count: fields.likes,
    reshare_count: fields.reshares,
    url: `${url}/${author.username}/status/${item.id}`,
  }
}

function presentReshared(url: string, original: NonNullable<StatusFields['reshareOf']>) {
  return {
    ...idPair(original.id),
    created_at: microDate(original.createdAtMs),
    text: original.text,
    account: presentAccount(url, original.author),
  }
}

export function presentMessage(url: string, item: StoredItem) {
  const { sender, recipient, text } = item.fields as { sender: Acquaintance; recipient: Acquaintance; text: string }
  return {
    ...idPair(item.id),
    created_at: microDate(item.createdAtMs),
    text,
    sender: presentAccount(url, sender),
    recipient: presentAccount(url, recipient),
  }
}
