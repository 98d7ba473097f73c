import { linkKeys } from '#kit/read/dedupe-keys.ts'
import type { Place } from '#kit/read/kind.ts'
import type { Author, Counts } from '#model/items/normal.ts'
import type { Edge } from './graph.ts'
import type { GraphPlace, Person } from './shapes.ts'

export function authorOf(person: Person | undefined): Author | undefined {
  return person && { name: person.name, url: `https://www.facebook.com/${person.id}` }
}

export function placeOf(place: GraphPlace | undefined): Place | undefined {
  const { latitude: lat, longitude: lng } = place?.location ?? {}
  return lat === undefined || lng === undefined ? undefined : { lat, lng }
}

export const idsOf = (people: { id?: string }[] | undefined): (string | undefined)[] =>
  (people ?? []).map(({ id }) => id)

interface Counted {
  reactions?: Edge<unknown>
  likes?: Edge<unknown>
  comments?: Edge<unknown>
}

export function countsOf({ reactions, likes, comments }: Counted): Counts {
  return { likes: (reactions ?? likes)?.summary?.total_count, comments: comments?.summary?.total_count }
}

const INSTAGRAM = /^https?:\/\/(?:www\.)?(?:instagram\.com|instagr\.am)\/(?:[\w.]+\/)?(?:p|reels?|tv)\/([\w-]+)/i
const CHECKIN = /^https?:\/\/(?:www\.)?(?:foursquare|swarmapp)\.com\/(?:[^?#]*\/)?checkin\/([0-9a-f]{24})/i

/** Dedupe keys of a record's own page and of what it links to: records at other services, and pages. */
export function dedupeKeysOf(page: string | undefined, links: (string | undefined)[]): string[] {
  return linkKeys([page], links, recordAt)
}

function recordAt(link: string): string | undefined {
  const photo = INSTAGRAM.exec(link)?.[1]
  if (photo !== undefined) return `guid:instagram/#${photo}`
  const checkin = CHECKIN.exec(link)?.[1]
  return checkin === undefined ? undefined : `guid:foursquare/#${checkin}`
}
