import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import type { LabRequest } from '../../base/request.ts'
import type { FoursquareData } from './data.ts'
import { offsetPage, withinTimes } from './parameters.ts'
import { presentVenue } from './present.ts'
import type { Venue } from './venues.ts'

/** Compact venues, most recently liked first. The time of the like is a filter but not part of the response. */
export function likedVenues(data: FoursquareData, person: Person, request: LabRequest) {
  const category = first(request.query, 'categoryId')
  const liked = withinTimes(request, data.store.list(person.username, 'venuelikes'))
    .map(({ fields }) => fields['venue'] as Venue)
    .filter((venue) => category === undefined || venue.category?.id === category)
  const items = offsetPage(request, liked, 100, 200)
  return { venues: { count: liked.length, items: items.map((venue) => ({ ...presentVenue(venue), like: true })) } }
}
