import type { Self } from '#kit/auth/self.ts'
import type { Pages } from '#kit/endpoints/pages.ts'
import { plainText } from '#kit/read/kind.ts'
import { textIn, type XmlElement } from '#model/xml/element.ts'
import { jsonRecords } from './read-json.ts'
import { baseOf, channelOf, linkOf, siteOf, xmlRecords } from './read-xml.ts'
import type { FeedBody, FeedRecord, JsonFeed } from './shapes.ts'
import { addressIn, MAX_SHARED, shared } from './texts.ts'
import { attribute, ITUNES, named, own } from './xml-names.ts'

/** Whether a text is a feed of XML, not a web page. */
export function isXml(text: string): boolean {
  return /<(?:rss|feed|rdf:RDF)[\s>]/.test(text.slice(0, 4000)) || /^\s*\{/.test(text.slice(0, 4000))
}

const isElement = (body: FeedBody): body is XmlElement =>
  'name' in body && typeof body.name === 'string' && !('items' in body)

export function recordsIn(body: FeedBody): FeedRecord[] | undefined {
  return isElement(body) ? xmlRecords(body) : jsonRecords(body)
}

/** What the feed says about itself; throws for what is not a feed. Its id is the address that was given. */
export function sourceOf(body: FeedBody | string): Self {
  if (typeof body === 'string' || recordsIn(body) === undefined) throw new TypeError('the document is not a feed')
  const { name, url, photo, description } = isElement(body) ? xmlSource(body) : jsonSource(body)
  return { id: '', ...present({ name: short(name), url, photo, description: short(description) }) }
}

function jsonSource({ title, home_page_url: home, icon, description, feed_url: own }: JsonFeed) {
  const base = addressIn(own)
  return {
    name: shared(title),
    url: addressIn(home, base),
    photo: addressIn(icon, base),
    description: shared(description),
  }
}

function xmlSource(root: XmlElement) {
  const channel = channelOf(root)?.channel ?? root
  const base = baseOf(root, channel)
  const image = own(channel, 'image')[0] ?? elementBeside(root)
  const photo =
    addressIn(textIn(own(image, 'url')[0]), base) ??
    addressIn(attribute(named(channel, ITUNES, 'image')[0], 'href'), base) ??
    addressIn(textIn(own(channel, 'icon')[0] ?? own(channel, 'logo')[0]), base)
  const description = textIn(own(channel, 'description')[0] ?? own(channel, 'subtitle')[0])
  return {
    name: plainText(textIn(own(channel, 'title')[0])),
    url: siteOf(channel, base),
    photo,
    description: plainText(description),
  }
}

/** RSS 1.0 has its picture beside the channel. */
const elementBeside = (root: XmlElement): XmlElement | undefined =>
  root.content?.find((one): one is XmlElement => typeof one !== 'string' && one.name === 'image')

const short = (text: string | undefined): string | undefined => (text === '' ? undefined : text?.slice(0, MAX_SHARED))

const present = <Fields extends object>(fields: Fields): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: NonNullable<Fields[Key]>
  }

/** RFC 5005: further pages of a feed, or its archives; `next_url` in JSON Feed. A link to the page itself is none. */
export function nextPages(): Pages {
  return {
    first: (request) => request,
    next: ({ request, body, url }) => {
      const address = nextIn(body as FeedBody, url)
      return address === undefined || address === url || address === request.path
        ? undefined
        : { ...request, path: address, query: {} }
    },
  }
}

function nextIn(body: FeedBody, url: string | undefined): string | undefined {
  if (!isElement(body)) return addressIn(body.next_url, url ?? addressIn(body.feed_url))
  const channel = channelOf(body)?.channel
  if (channel === undefined) return undefined
  const base = url ?? baseOf(body, channel)
  return linkOf(channel, 'next', base) ?? linkOf(channel, 'prev-archive', base)
}
