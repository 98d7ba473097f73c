import { z } from 'zod'
import { keysOf } from '#platform/formats/keys-of.ts'
import type { BaseType } from './types.ts'

const text = (meaning: string) => z.string().describe(meaning)
const number = (meaning: string) => z.number().describe(meaning)
const time = (meaning: string) => z.number().describe(`${meaning} Epoch milliseconds.`)

const author = z
  .object({
    name: z.string().optional(),
    url: z.string().optional(),
    photo: z.string().optional(),
    handle: z.string().optional(),
  })
  .meta({ id: 'Author', description: 'A person as they appear on an item.' })

const counts = z
  .object({ likes: z.number().optional(), comments: z.number().optional(), shares: z.number().optional() })
  .meta({ id: 'Counts', description: 'How often others responded to an item, as the service counts.' })

/** A person as they appear on an item. */
export type Author = z.output<typeof author>
export type Counts = z.output<typeof counts>

/** The normalised values that a connector reads for `map=true`. A record has those that its service provides. */
export const MAP_FIELDS = {
  id: text('The id of the record at the service.'),
  name: text('Name or title.'),
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
export type AddedToMap = 'll' | 'participants' | 'oembed'

export const MAP_KEYS: (keyof ItemMap | AddedToMap)[] = [...keysOf(MAP_FIELDS), 'll', 'participants', 'oembed']

/** Fields of `map` that items of every type may have. */
const COMMON_MAP: (keyof ItemMap | AddedToMap)[] = [
  'id',
  'name',
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
const FILE: (keyof ItemMap)[] = ['path', 'mime', 'bytes']
const SOUND: (keyof ItemMap)[] = ['artist', 'album', 'seconds']
const SPAN: (keyof ItemMap)[] = ['starts', 'ends']
const EFFORT: (keyof ItemMap)[] = ['meters', 'calories', 'heart_rate']

/** Fields of `map` in addition to the common ones, by type. */
const OWN_MAP: Record<BaseType, (keyof ItemMap)[]> = {
  photos: [...FILE, ...SOUND],
  videos: [...FILE, ...SOUND],
  statuses: [...FILE, ...SOUND],
  news: [...FILE, ...SOUND],
  checkins: [],
  events: [...SPAN, 'attendees'],
  messages: ['subject', 'from', 'to'],
  files: FILE,
  tracks: [...SOUND, ...FILE],
  activities: ['sport', 'seconds', ...EFFORT, ...SPAN],
  measures: ['metric', 'value', 'unit', ...EFFORT, ...SPAN],
  contacts: ['nickname', 'email', 'phone'],
}

/** The fields that `map` of an item of this type may have. */
export function mapFieldsOf(type: BaseType): (keyof ItemMap | AddedToMap)[] {
  return [...COMMON_MAP, ...OWN_MAP[type]]
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
