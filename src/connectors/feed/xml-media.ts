import { textIn, type XmlElement } from '#model/xml/element.ts'
import type { Medium } from './shapes.ts'
import { addressIn, countIn, durationIn, shared } from './texts.ts'
import { ATOM, attribute, ITUNES, MEDIA, named, own } from './xml-names.ts'

/** Limit: enclosures and media of one entry of a feed; further ones are left out. */
const MAX_MEDIA = 50

const MIME_OF_MEDIUM: Record<string, string> = { image: 'image/*', video: 'video/*', audio: 'audio/*' }

/** The enclosures of RSS and Atom, and Media RSS, each address once. */
export function mediaIn(entry: XmlElement, base: string | undefined): Medium[] {
  const seconds = durationIn(textIn(named(entry, ITUNES, 'duration')[0]))
  const groups = [entry, ...named(entry, MEDIA, 'group')]
  const atomLinks = named(entry, ATOM, 'link').filter((one) => attribute(one, 'rel') === 'enclosure')
  const found = [
    ...own(entry, 'enclosure').map((one) => mediumOf(one, 'url', 'length', seconds)),
    ...atomLinks.map((one) => mediumOf(one, 'href', 'length', seconds)),
    ...groups
      .flatMap((group) => named(group, MEDIA, 'content'))
      .map((one) => mediumOf(one, 'url', 'fileSize', durationIn(attribute(one, 'duration')))),
  ]
  const byUrl = new Map<string, Medium>()
  for (const medium of found) if (medium !== undefined && !byUrl.has(medium.url)) byUrl.set(medium.url, medium)
  return [...byUrl.values()].slice(0, MAX_MEDIA)

  function mediumOf(element: XmlElement, where: string, size: string, lasts: number | undefined): Medium | undefined {
    const url = addressIn(attribute(element, where), base)
    const mime = shared(attribute(element, 'type')) ?? MIME_OF_MEDIUM[attribute(element, 'medium') ?? '']
    return url === undefined ? undefined : { url, mime, bytes: countIn(attribute(element, size)), seconds: lasts }
  }
}

/** The small picture of an entry. */
export function imageIn(entry: XmlElement, base: string | undefined): string | undefined {
  const groups = [entry, ...named(entry, MEDIA, 'group'), ...named(entry, MEDIA, 'content')]
  const [thumbnail] = groups.flatMap((group) => named(group, MEDIA, 'thumbnail'))
  const [cover] = named(entry, ITUNES, 'image')
  return addressIn(attribute(thumbnail, 'url'), base) ?? addressIn(attribute(cover, 'href'), base)
}
