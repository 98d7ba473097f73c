import { z } from 'zod'
import { keysOf } from '#platform/formats/keys-of.ts'
import type { BaseType } from './types.ts'

const text = (meaning: string) => z.string().describe(meaning)
const number = (meaning: string) => z.number().describe(meaning)
const time = (meaning: string) => z.number().describe(`${meaning} Epoch milliseconds.`)

const author = z.object({
  /** Readers return it only where the author is another one than that of `participants`; null means unknown. */
  id: z.string().nullable().optional(),
  name: z.string().optional(),
  url: z.string().optional(),
  photo: z.string().optional(),
  handle: z.string().optional(),
})

const counts = z
  .object({ likes: z.number().optional(), comments: z.number().optional(), shares: z.number().optional() })
  .meta({ id: 'Counts', description: 'How often others responded to an item, as the service counts.' })

/** A person as they appear on an item. */
export type Author = z.output<typeof author>
export type Counts = z.output<typeof counts>

/** The normalised values that a connector reads for `map=true`. A record has those that its service provides. */
export const MAP_FIELDS = {
  id: text('The id of the record at the service.'),
  name: text('Name, title or subject.'),
  text: text('The text, without markup.'),
  author: author.describe('Who made it.'),
  photo: text('Address of a small picture.'),
  nickname: text('The handle of a contact.'),
  email: text('E-mail address.'),
  phone: text('Telephone number.'),
  urls: z.array(z.string()).describe('Addresses that it contains or belongs to.'),
  url: text('Address of its page at the service.'),
  image: text('Address of its picture in the best size.'),
  media: text('Address of its file: a video, a sound, a document.'),
  earliest: time('The earliest time that is known of it.'),
  place: text('Name of the place.'),
  lang: text('Language of the text.'),
  counts: counts.describe('How often others responded.'),
  starts: time('When it begins.'),
  ends: time('When it ends.'),
  series: text('Of an occurrence of a repeated event: the id of that event at the service.'),
  attendees: z.array(z.string()).describe('Native ids or names of those who attend.'),
  sport: text('Kind of activity.'),
  seconds: number('Duration in seconds.'),
  meters: number('Distance in metres.'),
  calories: number('Energy in kilocalories.'),
  heart_rate: number('Beats per minute, on average.'),
  metric: text('What was measured.'),
  value: number('The measured value.'),
  unit: text('Unit of the value.'),
  title: text('Title.'),
  artist: text('Artist.'),
  album: text('Album.'),
  path: text('Path of the file.'),
  mime: text('Media type of the file.'),
  bytes: number('Size of the file.'),
  subject: text('Subject.'),
  from: text('Sender.'),
  to: z.array(z.string()).describe('Receivers.'),
}

/** Normalised values that `map=true` adds. A record has those that its service provides. */
export type ItemMap = z.output<z.ZodObject<typeof MAP_FIELDS>>

/** The fields of the normalised card: oEmbed and a few more. */
export const CARD_FIELDS = {
  type: text('The type of the card: `photo`, `video`, `link`, `text`, `checkin`, `contact` …'),
  title: text('Title.'),
  url: text('Address: of the picture of a photo, of the target of a link, else of the page at the service.'),
  description: text('A longer text.'),
  thumbnail_url: text('Address of a small picture.'),
  provider_name: text('Name of the service.'),
  provider_url: text('Address of the service.'),
  author_name: text('Name of the author.'),
  width: number('Width of the picture in pixels.'),
  height: number('Height of the picture in pixels.'),
  lat: number('Degrees north.'),
  lng: number('Degrees east.'),
  text: text('The text of a status or message.'),
  id: text('The id of the service user.'),
  handle: text('The handle of the service user.'),
  email: text('E-mail address.'),
  phone: text('Telephone number.'),
  website: text('Address of their own page.'),
  work: text('Where they work.'),
  location: text('Where they live, or where it takes place.'),
}

/** The normalised card: oEmbed and a few more fields. */
export type Card = z.output<z.ZodObject<typeof CARD_FIELDS>>

/** Fields of `map` that are not read by a reader of their own. */
const ADDED_TO_MAP = ['at', 'll', 'participants', 'oembed'] as const
export type MapField = keyof ItemMap | (typeof ADDED_TO_MAP)[number]

export const MAP_KEYS: MapField[] = [...keysOf(MAP_FIELDS), ...ADDED_TO_MAP]

/** Fields of `map` that every item has; null where unknown. */
const ALWAYS: MapField[] = ['id', 'name', 'at']
/** Fields of `map` that items of every type may have. */
const COMMON_MAP: MapField[] = [
  'title',
  'text',
  'author',
  'url',
  'urls',
  'photo',
  'image',
  'media',
  'place',
  'll',
  'participants',
  'lang',
  'earliest',
  'counts',
  'oembed',
]
const FILE: MapField[] = ['path', 'mime', 'bytes']
const SOUND: MapField[] = ['artist', 'album', 'seconds']
const SPAN: MapField[] = ['starts', 'ends']
const EFFORT: MapField[] = ['meters', 'calories', 'heart_rate']

/** Fields of `map` beside those of all types: which an item of the type always has, null where unknown, and which it may have. */
const MAP_OF_TYPE: Record<BaseType, { always: MapField[]; may: MapField[] }> = {
  photos: { always: ['author', 'title', 'image'], may: [...FILE, ...SOUND] },
  videos: { always: ['author', 'title', 'image', 'media'], may: [...FILE, ...SOUND] },
  statuses: { always: ['author', 'text'], may: [...FILE, ...SOUND] },
  news: { always: ['author', 'title', 'url'], may: [...FILE, ...SOUND] },
  checkins: { always: ['author', 'place', 'll'], may: [] },
  events: { always: ['author', 'title', ...SPAN, 'place'], may: ['attendees', 'series'] },
  messages: { always: ['author', 'subject', 'text', 'from', 'to'], may: [] },
  files: { always: ['author', 'title', ...FILE], may: [] },
  tracks: { always: ['author', 'title', ...SOUND], may: FILE },
  activities: { always: ['author', 'sport', 'seconds', 'meters'], may: ['calories', 'heart_rate', ...SPAN] },
  measures: { always: ['author', 'metric', 'value', 'unit'], may: [...EFFORT, ...SPAN] },
  contacts: { always: ['nickname', 'email', 'phone'], may: [] },
}

/** The fields that `map` of an item of these types always has; null where unknown. Without a type, those of every item. */
export function alwaysInMap(types: readonly BaseType[]): MapField[] {
  const own = types.length === 0 ? (['author'] as const) : types.flatMap((type) => MAP_OF_TYPE[type].always)
  return [...new Set([...ALWAYS, ...own])]
}

/** The fields that `map` of an item of this type may have. */
export function mapFieldsOf(type: BaseType): MapField[] {
  return [...new Set([...alwaysInMap([type]), ...COMMON_MAP, ...MAP_OF_TYPE[type].may])]
}

const COMMON_CARD: (keyof Card)[] = [
  'type',
  'title',
  'url',
  'description',
  'thumbnail_url',
  'provider_name',
  'provider_url',
  'author_name',
  'lat',
  'lng',
  'text',
]
const OWN_CARD: Partial<Record<BaseType, (keyof Card)[]>> = {
  photos: ['width', 'height'],
  videos: ['width', 'height'],
  events: ['location'],
  contacts: ['id', 'handle', 'email', 'phone', 'website', 'work', 'location'],
}

/** The fields that `oembed` of an item of this type may have. */
export function cardFieldsOf(type: BaseType): (keyof Card)[] {
  return [...COMMON_CARD, ...(OWN_CARD[type] ?? [])]
}
