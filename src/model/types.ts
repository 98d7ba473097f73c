/** What a person made. */
export const OWN_TYPES = [
  'photos',
  'videos',
  'statuses',
  'news',
  'checkins',
  'events',
  'messages',
  'files',
  'tracks',
  'activities',
  'measures',
] as const

/** Those that others make too: the person sees them in a feed. */
export const FEED_TYPES = ['photos', 'videos', 'statuses', 'news', 'checkins'] as const

export type OwnType = (typeof OWN_TYPES)[number]
/** What a connector may say of a record. */
export type BaseType = OwnType | 'contacts'
export type FeedType = `${(typeof FEED_TYPES)[number]}_feed`
/** What an item can be stored as. */
export type ItemType = BaseType | FeedType
/** What can be read: also everything at once. */
export type TypeName = ItemType | 'all' | 'all_feed'

export const ITEM_TYPES: ItemType[] = [...OWN_TYPES, 'contacts', ...FEED_TYPES.map((type) => `${type}_feed` as const)]
export const TYPE_NAMES: TypeName[] = [...ITEM_TYPES, 'all', 'all_feed']

/** The three shelves: `all` and `all_feed` read one each, and contacts stand apart. */
export type ItemCategory = 'own' | 'feed' | 'contacts'

const SINGULAR: Record<BaseType, string> = {
  photos: 'photo',
  videos: 'video',
  statuses: 'status',
  news: 'news',
  checkins: 'checkin',
  contacts: 'contact',
  events: 'event',
  messages: 'message',
  files: 'file',
  tracks: 'track',
  activities: 'activity',
  measures: 'measure',
}

export function singularOf(type: BaseType): string {
  return SINGULAR[type]
}

function hasFeed(type: BaseType): type is (typeof FEED_TYPES)[number] {
  return FEED_TYPES.some((each) => each === type)
}

/** The same type without its feed. */
export function baseOf(type: ItemType): BaseType {
  return type.replace(/_feed$/, '') as BaseType
}

/** The types an item is stored under, given what its record is and whether it came from a feed. */
export function storedTypes(types: readonly BaseType[], feed: boolean): ItemType[] {
  if (!feed) return [...types]
  return types.filter(hasFeed).map((type): FeedType => `${type}_feed`)
}

export function categoryOf(types: readonly ItemType[]): ItemCategory | undefined {
  if (types.includes('contacts')) return 'contacts'
  if (types.length === 0) return undefined
  return types.some((type) => type.endsWith('_feed')) ? 'feed' : 'own'
}

/** `{"photo": true, "photos_feed": true}`: singular names, and the feed's own name where it came from one. */
export function presentTypes(types: readonly ItemType[]): Record<string, true> {
  const shown: Record<string, true> = {}
  for (const type of types) {
    shown[SINGULAR[baseOf(type)]] = true
    if (type.endsWith('_feed')) shown[type] = true
  }
  return shown
}

/** One bit for each type, in the order of `ITEM_TYPES`; the migrations' partial indexes name these numbers. */
export function typeBits(types: readonly TypeName[]): number {
  let bits = 0
  for (const type of types) {
    if (type === 'all') bits |= typeBits(OWN_TYPES)
    else if (type === 'all_feed') bits |= typeBits(ITEM_TYPES.filter((each) => each.endsWith('_feed')))
    else bits |= 1 << ITEM_TYPES.indexOf(type)
  }
  return bits
}

export function typesFromBits(bits: number): ItemType[] {
  return ITEM_TYPES.filter((_, i) => (bits & (1 << i)) !== 0)
}
