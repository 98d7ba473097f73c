import { kind, type Place } from '#kit/read/kind.ts'
import type { Author } from '#model/items/normal.ts'
import type { Location, Photo, User } from './shapes.ts'

export const seconds = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : value * 1000

export const nameOf = (user: User | undefined): string | undefined =>
  [user?.firstName, user?.lastName].filter(Boolean).join(' ') || undefined

export const profileUrl = (user: User | undefined): string | undefined =>
  user?.canonicalUrl ?? (user?.id === undefined ? undefined : `https://foursquare.com/user/${user.id}`)

/** Joins prefix, size and suffix: `36x36` to `500x500` for people, `original` for photos. */
export function imageUrl(image: Pick<Photo, 'prefix' | 'suffix'> | undefined, size: string): string | undefined {
  const { prefix, suffix } = image ?? {}
  return prefix === undefined || suffix === undefined ? undefined : `${prefix}${size}${suffix}`
}

export function placeOf(location: Location | undefined): Place | undefined {
  const { lat, lng } = location ?? {}
  return lat === undefined || lng === undefined ? undefined : { lat, lng }
}

export function authorOf(user: User | undefined): Author | undefined {
  if (user === undefined) return undefined
  return { name: nameOf(user), url: profileUrl(user), photo: imageUrl(user.photo, '300x300'), handle: user.handle }
}

export const contact = kind<User>({
  name: 'contact',
  id: (user) => user.id,
  map: {
    name: nameOf,
    nickname: (user) => user.handle ?? user.contact?.twitter,
    email: (user) => user.contact?.email,
    phone: (user) => user.contact?.phone,
    photo: (user) => imageUrl(user.photo, '500x500'),
    url: profileUrl,
  },
  card: {
    id: (user) => user.id,
    description: (user) => user.bio,
    location: (user) => user.homeCity,
  },
})
