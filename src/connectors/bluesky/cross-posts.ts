const SHARED = [
  {
    mark: 'guid:instagram/#',
    link: /^https?:\/\/(?:www\.)?(?:instagram\.com|instagr\.am)\/(?:[\w.]+\/)?(?:p|reel|tv)\/([\w-]+)/,
  },
  {
    mark: 'guid:foursquare/#',
    link: /^https?:\/\/(?:www\.)?(?:foursquare|swarmapp)\.com\/(?:[\w/.-]+\/)?(?:checkin|c)\/(\w+)/,
  },
]

/** The marks of things made elsewhere that these links lead to. */
export function marksOfLinks(links: string[]): string[] {
  return links
    .flatMap((url) => SHARED.map(({ mark, link }) => [mark, link.exec(url)?.[1]]))
    .flatMap(([mark, id]) => (id ? [`${mark}${id}`] : []))
}
