/** A person as they appear on an item. */
export interface Author {
  name?: string | undefined
  url?: string | undefined
  photo?: string | undefined
  handle?: string | undefined
}

export interface Counts {
  likes?: number | undefined
  comments?: number | undefined
  shares?: number | undefined
}

/** Normalised values that `map=true` adds. A record has those that its service provides. */
export interface ItemMap {
  id: string
  name: string
  text: string
  author: Author
  photo: string
  nickname: string
  email: string
  phone: string
  urls: string[]
  url: string
  image: string
  media: string
  earliest: number
  place: string
  lang: string
  counts: Counts
  // events
  starts: number
  ends: number
  attendees: string[]
  // activities
  sport: string
  seconds: number
  meters: number
  calories: number
  heart_rate: number
  // measures
  metric: string
  value: number
  unit: string
  // tracks
  title: string
  artist: string
  album: string
  // files
  path: string
  mime: string
  bytes: number
  // messages
  subject: string
  from: string
  to: string[]
}

/** The normalised card: oEmbed and a few more fields. */
export interface Card {
  type: string
  title: string
  url: string
  description: string
  thumbnail_url: string
  provider_name: string
  provider_url: string
  author_name: string
  width: number
  height: number
  lat: number
  lng: number
  text: string
  // contacts
  id: string
  handle: string
  email: string
  phone: string
  website: string
  work: string
  location: string
}

export const MAP_KEYS: (keyof ItemMap | 'll' | 'participants' | 'oembed')[] = [
  'id',
  'name',
  'text',
  'author',
  'photo',
  'nickname',
  'email',
  'phone',
  'urls',
  'url',
  'image',
  'media',
  'earliest',
  'll',
  'place',
  'participants',
  'lang',
  'oembed',
  'counts',
  'starts',
  'ends',
  'attendees',
  'sport',
  'seconds',
  'meters',
  'calories',
  'heart_rate',
  'metric',
  'value',
  'unit',
  'title',
  'artist',
  'album',
  'path',
  'mime',
  'bytes',
  'subject',
  'from',
  'to',
]
