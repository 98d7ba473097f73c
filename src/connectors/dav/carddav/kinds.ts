import { kind, timeOf } from '#kit/read/kind.ts'
import type { Member } from '../members.ts'
import type { Contact } from './contact.ts'

export interface Card extends Member {
  /** The vCard as the server sent it. */
  vcard?: string
  /** What it says. */
  contact?: Contact
}

/** `20260501T100000Z` is how version 4 writes times. */
function revisedAt(text: string | undefined): number | undefined {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z?$/.exec(text ?? '') ?? []
  return timeOf(year === undefined ? text : `${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

export const contact = kind<Card>({
  name: 'contact',
  // An endpoint must not return one without an id; the quarantine takes it.
  id: ({ id }) => id ?? '',
  at: (card) => revisedAt(card.contact?.revised),
  // A group of contacts is not a person.
  types: (card) => (card.contact === undefined || card.contact.kind === 'group' ? [] : ['contacts']),
  deleted: ({ gone }) => gone === true,
  // Events name people by their e-mail address, on the same server.
  peopleOnInstance: true,
  map: {
    id: (card) => card.contact?.emails?.[0]?.value,
    name: (card) => card.contact?.name ?? card.contact?.organization ?? card.contact?.emails?.[0]?.value,
    nickname: (card) => card.contact?.nickname,
    email: (card) => card.contact?.emails?.[0]?.value,
    phone: (card) => card.contact?.phones?.[0]?.value,
    url: (card) => card.contact?.urls?.[0]?.value,
    urls: (card) => card.contact?.urls?.map(({ value }) => value),
    photo: (card) => card.contact?.photo,
    place: (card) => card.contact?.addresses?.[0]?.value,
    text: (card) => card.contact?.note,
  },
  card: {
    id: (card) => card.contact?.emails?.[0]?.value,
    website: (card) => card.contact?.urls?.[0]?.value,
    work: (card) => [card.contact?.job, card.contact?.organization].filter(Boolean).join(', '),
    location: (card) => card.contact?.addresses?.[0]?.value,
  },
})
