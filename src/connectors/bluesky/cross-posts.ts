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

/** Dedupe keys of the records at other services that these links refer to. */
export function dedupeKeysOfLinks(links: string[]): string[] {
  return links
    .flatMap((url) => SHARED.map(({ dedupeKey, link }) => [dedupeKey, link.exec(url)?.[1]]))
    .flatMap(([dedupeKey, id]) => (id ? [`${dedupeKey}${id}`] : []))
}
