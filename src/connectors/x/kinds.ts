import { kind, timeOf } from '#kit/read/kind.ts'
import type { Joined, Message, User } from './includes.ts'
import { authorOf, pageOf, pictureUrl } from './tweet-kind.ts'

const websiteOf = ({ entities, url }: User) => entities?.url?.urls?.[0]?.expanded_url ?? url

/** Records have no time of the follow, so a contact has the time of the first sync that saw it. */
export const contact = kind<User>({
  name: 'contact',
  id: ({ id }) => id,
  map: {
    id: ({ id }) => id,
    name: ({ name }) => name,
    nickname: ({ username }) => username,
    photo: pictureUrl,
    url: pageOf,
    earliest: ({ created_at }) => timeOf(created_at),
  },
  card: {
    id: ({ id }) => id,
    description: ({ description }) => description,
    website: websiteOf,
    location: ({ location }) => location,
  },
})

/** The id of a conversation of two has both ids; of a group only people who joined or wrote are known. */
function participantsOf({ dm_conversation_id, sender_id, participant_ids }: Message): string[] {
  const pair = /^(\d+)-(\d+)$/.exec(dm_conversation_id ?? '')?.slice(1) ?? []
  return [...pair, ...(participant_ids ?? [])].filter((id) => id !== sender_id)
}

const nameOf = (raw: Joined<Message>, id: string | undefined) =>
  raw.includes?.users?.find((user) => user.id === id)?.username ?? id

export const message = kind<Joined<Message>>({
  name: 'message',
  id: ({ id }) => id,
  at: ({ created_at }) => timeOf(created_at),
  participants: (raw) => ({ author: raw.sender_id, others: participantsOf(raw) }),
  map: {
    id: ({ id }) => id,
    text: ({ text }) => text,
    author: (raw) => authorOf(raw.includes?.users?.find((user) => user.id === raw.sender_id)),
    from: (raw) => nameOf(raw, raw.sender_id),
    to: (raw) => participantsOf(raw).flatMap((id) => nameOf(raw, id) ?? []),
    urls: ({ entities }) => (entities?.urls ?? []).flatMap(({ expanded_url }) => expanded_url ?? []),
    image: ({ includes }) => includes?.media?.[0]?.url ?? includes?.media?.[0]?.preview_image_url,
  },
})
