import type { Place } from '#kit/kind.ts'
import type { Author, Counts } from '#model/normal.ts'
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

/** Dedupe keys of the records at other services that these links refer to. */
export function dedupeKeysOf(links: (string | undefined)[]): string[] {
  const dedupeKeys = links.flatMap((link = '') => [
    ...(INSTAGRAM.exec(link)
      ?.slice(1)
      .map((code) => `guid:instagram/#${code}`) ?? []),
    ...(CHECKIN.exec(link)
      ?.slice(1)
      .map((id) => `guid:foursquare/#${id}`) ?? []),
  ])
  return [...new Set(dedupeKeys)]
}
