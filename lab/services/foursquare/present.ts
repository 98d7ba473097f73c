import type { Person } from '../../base/people.ts'
import type { StoredItem } from '../../data/item-store.ts'
import type { Acquaintance } from '../../data/vocabulary.ts'
import type { FoursquareData } from './data.ts'
import type { CheckinFields, PhotoFields, TipFields } from './generate.ts'
import type { Venue } from './venues.ts'

export const seconds = (ms: number): number => Math.floor(ms / 1000)

interface View {
  url: string
  data: FoursquareData
}

/** Picture URLs are split: prefix, a size chosen by the client, suffix. */
export const splitPicture = (url: string, hue: number) => ({ prefix: `${url}/img/`, suffix: `/${hue}.svg` })

export const presentFriend = (url: string, person: Acquaintance, relationship?: 'friend' | 'self') => ({
  id: person.id,
  firstName: person.name.split(' ')[0],
  // Some people have one name only.
  ...(person.name.includes(' ') ? { lastName: person.name.split(' ').slice(1).join(' ') } : {}),
  handle: person.username,
  privateProfile: false,
  gender: 'none',
  countryCode: 'PT',
  canonicalUrl: `https://app.foursquare.com/${person.username}`,
  canonicalPath: `/${person.username}`,
  ...(relationship === undefined ? {} : { relationship }),
  photo: splitPicture(url, (person.username.length * 53) % 360),
})

export function presentSelf({ url, data }: View, person: Person) {
  const count = (kind: string) => data.store.list(person.username, kind).filter(isHere).length
  const last = data.store.list(person.username, 'checkins').find(isHere)
  return {
    ...presentFriend(url, person, 'self'),
    homeCity: person.city,
    bio: person.bio,
    contact: {
      ...(person.email === undefined ? {} : { email: person.email, verifiedPhone: 'false' }),
      ...(person.username === 'ada' ? { twitter: 'ada', facebook: '10158000000000123' } : {}),
    },
    type: 'user',
    createdAt: 1_300_000_000,
    checkinPings: 'off',
    pings: false,
    friends: { count: data.friendsOf(person.username).length, groups: [] },
    checkins: {
      count: count('checkins'),
      items: last ? [presentCheckin({ url, data }, person, last)] : [],
    },
    photos: { count: count('photos'), items: [] },
    tips: { count: count('tips') },
    lists: { count: 2 + count('lists'), groups: [{ type: 'created', count: 2 + count('lists'), items: [] }] },
    mayorships: { count: 0, items: [] },
    requests: { count: 0 },
  }
}

export const isHere = ({ deletedAtMs }: StoredItem): boolean => deletedAtMs === undefined

export const presentVenue = (venue: Venue) => ({
  id: venue.id,
  name: venue.name,
  contact: {},
  location: {
    ...(venue.address === undefined ? {} : { address: venue.address }),
    lat: venue.lat,
    lng: venue.lng,
    labeledLatLngs: [{ label: 'display', lat: venue.lat, lng: venue.lng }],
    city: venue.city,
    formattedAddress: [...(venue.address === undefined ? [] : [venue.address]), venue.city],
  },
  categories: venue.category
    ? [
        {
          id: venue.category.id,
          name: venue.category.name,
          pluralName: `${venue.category.name}s`,
          shortName: venue.category.name,
          icon: { prefix: `https://ss3.4sqi.net/img/categories_v2/${venue.category.icon}`, suffix: '.png' },
          primary: true,
        },
      ]
    : [],
  verified: false,
  ...(venue.url === undefined ? {} : { url: venue.url }),
})

/** Lists omit the author and the comments' texts; a single check-in has both. */
export function presentCheckin(
  { url, data }: View,
  author: Acquaintance,
  item: StoredItem,
  full?: 'with-user' | 'detail',
) {
  const fields = item.fields as CheckinFields
  const photos = fields.photoIds.flatMap((id) => data.store.find('photos', id) ?? [])
  const { likers, comments, withPeople, shout } = fields
  return {
    id: item.id,
    createdAt: seconds(item.createdAtMs),
    type: fields.type,
    ...(fields.isPrivate ? { private: true, visibility: 'private' } : {}),
    ...(shout === undefined ? {} : { shout, entities: entitiesIn(shout, withPeople) }),
    timeZoneOffset: fields.timeZoneOffset,
    editableUntil: item.createdAtMs + 86_400_000,
    ...(withPeople.length > 0 ? { with: withPeople.map((one) => presentFriend(url, one, 'friend')) } : {}),
    ...(full ? { user: presentFriend(url, author) } : {}),
    ...(fields.venue ? { venue: presentVenue(fields.venue) } : {}),
    ...(fields.location ? { location: fields.location } : {}),
    likes: {
      count: likers.length,
      groups:
        likers.length === 0
          ? []
          : [{ type: 'friends', count: likers.length, items: likers.map((one) => presentFriend(url, one, 'friend')) }],
    },
    like: false,
    isMayor: fields.isMayor,
    photos: {
      count: photos.length,
      items: photos.map((photo) => presentPhoto(url, photo.item)),
      ...(photos.length > 0 ? { layout: { name: 'single' } } : {}),
    },
    posts: { count: 0, textCount: 0 },
    comments: {
      count: comments.length,
      ...(full === 'detail'
        ? {
            items: comments.map(({ id, from, text, atMs }) => ({
              id,
              createdAt: seconds(atMs),
              user: presentFriend(url, from, 'friend'),
              text,
            })),
          }
        : {}),
    },
    source: fields.source,
    ...(full === 'detail' && fields.shortcode !== undefined
      ? { checkinShortUrl: `https://www.swarmapp.com/c/${fields.shortcode}` }
      : {}),
  }
}

function entitiesIn(shout: string, people: readonly Acquaintance[]) {
  return people.flatMap(({ id, name }) => {
    const first = name.split(' ')[0] ?? ''
    const from = shout.lastIndexOf(first)
    return from < 0 ? [] : [{ indices: [from, from + first.length], type: 'user', id }]
  })
}

export function presentPhoto(url: string, item: StoredItem) {
  const { width, height, hue, visibility } = item.fields as PhotoFields
  return {
    id: item.id,
    createdAt: seconds(item.createdAtMs),
    source: { name: 'Swarm for iOS', url: 'https://www.swarmapp.com' },
    ...splitPicture(url, hue),
    width,
    height,
    demoted: false,
    visibility,
  }
}

/** In the list of a person's photos each photo includes its venue and check-in. */
export function presentOwnPhoto(view: View, item: StoredItem) {
  const { venue, checkinId } = item.fields as PhotoFields
  const checkin = checkinId === undefined ? undefined : view.data.store.find('checkins', checkinId)?.item
  return {
    ...presentPhoto(view.url, item),
    venue: presentVenue(venue),
    ...(checkin
      ? {
          checkin: {
            id: checkin.id,
            createdAt: seconds(checkin.createdAtMs),
            type: 'checkin',
            timeZoneOffset: (checkin.fields as CheckinFields).timeZoneOffset,
          },
        }
      : {}),
  }
}

export function presentTip(item: StoredItem) {
  const { text, venue, agreeCount, url } = item.fields as TipFields
  return {
    id: item.id,
    createdAt: seconds(item.createdAtMs),
    text,
    type: 'user',
    canonicalUrl: `https://app.foursquare.com/item/${item.id}`,
    ...(url === undefined ? {} : { url }),
    lang: 'en',
    likes: { count: agreeCount, groups: [] },
    like: false,
    agreeCount,
    disagreeCount: 0,
    todo: { count: 0 },
    venue: presentVenue(venue),
  }
}
