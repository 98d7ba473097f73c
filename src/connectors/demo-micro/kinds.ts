import { linkKeys } from '#kit/read/dedupe-keys.ts'
import { kind, type Place, timeOf } from '#kit/read/kind.ts'
import type { BaseType } from '#model/items/types.ts'

export interface Account {
  id_str: string
  handle?: string
  name?: string
  url?: string
}

export interface Status {
  id_str: string
  created_at?: string
  text?: string
  account?: Account
  entities?: {
    urls?: { url?: string; expanded_url?: string }[]
    mentions?: Account[]
    media?: { type?: string; media_url?: string }[]
  }
  coordinates?: { coordinates?: number[] } | null
  place?: { full_name?: string } | null
  in_reply_to?: { handle?: string } | null
  reshare_of?: { id_str: string; text?: string; account?: Account }
  favourite_count?: number
  reshare_count?: number
  url?: string
}

export interface Message {
  id_str: string
  created_at?: string
  text?: string
  sender?: Account
  recipient?: Account
}

function typesOf({ entities }: Status): BaseType[] {
  const types: BaseType[] = ['statuses']
  if (entities?.media?.some(({ type }) => type === 'photo')) types.push('photos')
  if (linksOf({ entities }).length > 0) types.push('news')
  return types
}

function linksOf({ entities }: Pick<Status, 'entities'> | { entities: Status['entities'] }): string[] {
  return (entities?.urls ?? []).map(({ url, expanded_url }) => expanded_url ?? url ?? '').filter((url) => url !== '')
}

/** The status that a reshare shows without words of its own. */
function passedOn({ text = '', reshare_of: original }: Status): string | undefined {
  return text === '' || text === original?.text ? original?.id_str : undefined
}

// GeoJSON has the longitude first.
function placeOf({ coordinates }: Status): Place | undefined {
  const [lng, lat] = coordinates?.coordinates ?? []
  return lat === undefined || lng === undefined ? undefined : { lat, lng }
}

const pictureOf = ({ entities }: Status) => entities?.media?.[0]?.media_url

export const status = kind<Status>({
  name: 'status',
  id: ({ id_str }) => id_str,
  at: ({ created_at }) => timeOf(created_at),
  types: typesOf,
  guid: (status) => [
    `guid:demo-micro/#${passedOn(status) ?? status.id_str}`,
    ...linkKeys([status.url], linksOf(status)),
  ],
  // A reply has only the handle of the other person, who is among the mentions.
  participants: ({ account, entities, reshare_of }) => ({
    author: account?.id_str,
    others: [reshare_of?.account, ...(entities?.mentions ?? [])].map((person) => person?.id_str),
  }),
  place: placeOf,
  map: {
    id: ({ id_str }) => id_str,
    text: ({ text }) => text,
    author: ({ account }) => account && { name: account.name, url: account.url, handle: account.handle },
    urls: linksOf,
    url: ({ url }) => url,
    image: pictureOf,
    media: pictureOf,
    place: ({ place }) => place?.full_name,
    counts: ({ favourite_count, reshare_count }) => ({ likes: favourite_count, shares: reshare_count }),
  },
  card: { provider_url: ({ url }) => url },
  cards: { photos: { description: ({ text }) => text } },
})

export const contact = kind<Account>({
  name: 'contact',
  id: ({ id_str }) => id_str,
  map: {
    id: ({ id_str }) => id_str,
    name: ({ name }) => name,
    nickname: ({ handle }) => handle,
    url: ({ url }) => url,
  },
  card: { id: ({ id_str }) => id_str },
})

export const message = kind<Message>({
  name: 'message',
  id: ({ id_str }) => id_str,
  at: ({ created_at }) => timeOf(created_at),
  participants: ({ sender, recipient }) => ({ author: sender?.id_str, others: [recipient?.id_str] }),
  map: {
    id: ({ id_str }) => id_str,
    text: ({ text }) => text,
    author: ({ sender }) => sender && { name: sender.name, url: sender.url, handle: sender.handle },
    from: ({ sender }) => sender?.handle,
    to: ({ recipient }) => (recipient?.handle === undefined ? [] : [recipient.handle]),
  },
})
