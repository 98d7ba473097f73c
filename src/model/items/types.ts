/** Types of what a person made. */
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

/** Types that also occur in a feed, made by others. */
export const FEED_TYPES = ['photos', 'videos', 'statuses', 'news', 'checkins'] as const

export type OwnType = (typeof OWN_TYPES)[number]
/** The types that a connector may assign. */
export type BaseType = OwnType | 'contacts'
export type FeedType = `${(typeof FEED_TYPES)[number]}_feed`
/** The types that an item is stored under. */
export type ItemType = BaseType | FeedType
/** The types that can be read: those of items, and everything at once. */
export type TypeName = ItemType | 'all' | 'all_feed'

export const ITEM_TYPES: ItemType[] = [...OWN_TYPES, 'contacts', ...FEED_TYPES.map((type) => `${type}_feed` as const)]
export const TYPE_NAMES: TypeName[] = [...ITEM_TYPES, 'all', 'all_feed']

/** `all` reads `own`, `all_feed` reads `feed`; contacts are in neither. */
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

/** `{"photo": true, "photos_feed": true}`: singular names, and for items of a feed also the name of the feed type. */
export function presentTypes(types: readonly ItemType[]): Record<string, true> {
  const names: Record<string, true> = {}
  for (const type of types) {
    names[SINGULAR[baseOf(type)]] = true
    if (type.endsWith('_feed')) names[type] = true
  }
  return names
}

/** One bit for each type, in the order of `ITEM_TYPES`; partial indexes in the migrations contain these numbers. */
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
