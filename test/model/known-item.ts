import type { Place } from './distance.ts'

export type Card = Record<string, unknown>

/** An item as the API sends it, of `/export` or of a list. */
export interface Shown {
  id: string
  idr: string
  at: number
  updated: number
  data: Record<string, unknown>
  types: Record<string, true>
  guid?: string
  oembed?: Card
  map?: Record<string, unknown>
}

/** What the model knows of an item. */
export interface Known extends Shown {
  service: string
  /** The native id of the service user whose profile it is. */
  owner: string
  endpoint: string
  map: Record<string, unknown>
  /** The types at which it is listed. */
  listed: string[]
  /** The card of each type it is listed at. */
  cards: Map<string, Card>
  people: string[]
  author: string | undefined
  place: Place | undefined
  /** The words of each text that is searched. */
  texts: string[][]
}

/** The parts of `type:[owner@]service/endpoint[#id]`. */
export function partsOf(idr: string): { owner: string; service: string; endpoint: string; item: string } {
  const [, owner = '', service = '', endpoint = '', item = ''] =
    /^[^:]+:(?:([^@]*)@)?([^/]+)\/([^#]+)#(.*)$/.exec(idr) ?? []
  return { owner: decodeURIComponent(owner), service, endpoint, item: decodeURIComponent(item) }
}

const FEEDS = ['photos', 'videos', 'statuses', 'news', 'checkins'] as const
const SINGULAR: Record<string, string> = {
  ...Object.fromEntries(
    ['photo', 'video', 'checkin', 'event', 'message', 'file', 'track', 'measure', 'contact'].map((one) => [
      `${one}s`,
      one,
    ]),
  ),
  statuses: 'status',
  news: 'news',
  activities: 'activity',
}
/** Every type with items of its own: what the person made, and what others made. */
export const TYPES = [...Object.keys(SINGULAR), ...FEEDS.map((type) => `${type}_feed`)]

/** The types at which an item is listed. */
export function listedAt({ types }: Shown): string[] {
  const feeds = FEEDS.map((type) => `${type}_feed`).filter((type) => types[type])
  const plain = Object.keys(SINGULAR).filter((type) => types[SINGULAR[type]!] && !types[`${type}_feed`])
  const listed = [...plain, ...feeds]
  return [
    ...listed,
    ...(plain.some((type) => type !== 'contacts') ? ['all'] : []),
    ...(feeds.length > 0 ? ['all_feed'] : []),
  ]
}
