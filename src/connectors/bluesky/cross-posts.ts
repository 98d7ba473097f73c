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

/** The marks of things made elsewhere that these links lead to. */
export function dedupeKeysOfLinks(links: string[]): string[] {
  return links
    .flatMap((url) => SHARED.map(({ dedupeKey, link }) => [dedupeKey, link.exec(url)?.[1]]))
    .flatMap(([dedupeKey, id]) => (id ? [`${dedupeKey}${id}`] : []))
}
