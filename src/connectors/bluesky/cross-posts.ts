import { linkKeys } from '#kit/read/dedupe-keys.ts'

const SHARED = [
  {
    dedupeKey: 'guid:instagram/#',
    link: /^https?:\/\/(?:www\.)?(?:instagram\.com|instagr\.am)\/(?:[\w.]+\/)?(?:p|reel|tv)\/([\w-]+)/,
  },
  {
    dedupeKey: 'guid:foursquare/#',
    link: /^https?:\/\/(?:www\.)?(?:foursquare|swarmapp)\.com\/(?:[\w/.-]+\/)?(?:checkin|c)\/(\w+)/,
  },
]

/** Dedupe keys of a post's own page and of what it links to: records at other services, and pages. */
export function dedupeKeysOfLinks(page: string | undefined, links: string[]): string[] {
  return linkKeys([page], links, recordAt)
}

function recordAt(url: string): string | undefined {
  for (const { dedupeKey, link } of SHARED) {
    const id = link.exec(url)?.[1]
    if (id) return `${dedupeKey}${id}`
  }
  return undefined
}
