import type { Random } from '../../base/random.ts'
import { type Place, places, titles } from '../../data/vocabulary.ts'

export interface Venue {
  id: string
  name: string
  address?: string
  city: string
  lat: number
  lng: number
  category?: { id: string; name: string; icon: string }
  url?: string
}

const categories = [
  { id: '4bf58dd8d48988d16d941735', name: 'Café', icon: 'food/cafe_' },
  { id: '4bf58dd8d48988d16a941735', name: 'Bakery', icon: 'food/bakery_' },
  { id: '4bf58dd8d48988d163941735', name: 'Park', icon: 'parks_outdoors/park_' },
  { id: '4bf58dd8d48988d129951735', name: 'Train Station', icon: 'travel/trainstation_' },
  { id: '4bf58dd8d48988d181941735', name: 'Museum', icon: 'arts_entertainment/museum_' },
]

const venueIdOf = (at: number): string => `4b05883${at.toString(16).padStart(3, '0')}f964a520d9b222`.slice(0, 24)

/** The venue of a place that other services use too. */
export const venueAt = (place: Place): Venue => ({
  id: venueIdOf(places.indexOf(place)),
  name: place.name,
  city: place.city,
  lat: place.lat,
  lng: place.lng,
  category: categories[2]!,
})

/** Several venues near every place, for histories with more than ten venues. */
export function makeVenues(random: Random): Venue[] {
  const near = places.flatMap((place, at) =>
    titles.slice(0, 4).map(
      (title, nth): Venue => ({
        id: venueIdOf(100 + at * 10 + nth),
        name: `${title} ${random.pick(['Café', 'Bar', '書店', 'Μουσείο', '& Sons'])}`,
        ...(random.chance(0.7) ? { address: `${random.int(1, 200)} ${place.city} Road` } : {}),
        city: place.city,
        lat: Math.max(-90, Math.min(90, place.lat + random.int(-99, 99) / 10_000)),
        lng: wrapped(place.lng + random.int(-99, 99) / 10_000),
        ...(random.chance(0.9) ? { category: random.pick(categories) } : {}),
        ...(random.chance(0.2) ? { url: 'https://venue.test/menu?today=1&x=é' } : {}),
      }),
    ),
  )
  return [...places.map(venueAt), ...near]
}

const wrapped = (lng: number): number => Math.round((lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng) * 1e6) / 1e6
