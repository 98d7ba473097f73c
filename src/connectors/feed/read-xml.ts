import { linksIn, plainText } from '#kit/read/kind.ts'
import { elementsIn, textIn, type XmlElement } from '#model/xml/element.ts'
import { timeIn } from './dates.ts'
import type { EntryReader, XmlRecord } from './shapes.ts'
import { addressIn, shared, textOf } from './texts.ts'
import { imageIn, mediaIn } from './xml-media.ts'
import { ATOM, attribute, CONTENT, DC, ITUNES, named, own } from './xml-names.ts'
import { placeIn } from './xml-place.ts'

/** The element with the feed's own title and links, and its entries; undefined for what is not a feed. */
export function channelOf(
  root: XmlElement,
): { format: 'rss' | 'atom'; channel: XmlElement; entries: XmlElement[] } | undefined {
  if (root.name === 'feed') return { format: 'atom', channel: root, entries: own(root, 'entry') }
  const [channel] = elementsIn(root, 'channel')
  if (channel === undefined || (root.name !== 'rss' && root.name !== 'RDF')) return undefined
  // RSS 0.9 and 1.0 have their items beside the channel.
  return { format: 'rss', channel, entries: [...elementsIn(channel, 'item'), ...elementsIn(root, 'item')] }
}

/** The address in a link with this relation: of Atom, also inside RSS. */
export function linkOf(channel: XmlElement, relation: string, base?: string): string | undefined {
  const links = named(channel, ATOM, 'link').filter((one) => (attribute(one, 'rel') ?? 'alternate') === relation)
  const page = links.find((one) => /html/.test(attribute(one, 'type') ?? 'html')) ?? links[0]
  return addressIn(attribute(page, 'href'), base)
}

export function siteOf(channel: XmlElement, base?: string): string | undefined {
  const plain = own(channel, 'link').find((one) => attribute(one, 'href') === undefined)
  return addressIn(plain && textIn(plain), base) ?? linkOf(channel, 'alternate', base)
}

export function baseOf(root: XmlElement, channel: XmlElement): string | undefined {
  const around = linkOf(channel, 'self') ?? siteOf(channel)
  const outer = addressIn(attribute(root, 'xml:base'), around) ?? around
  return channel === root ? outer : (addressIn(attribute(channel, 'xml:base'), outer) ?? outer)
}

export function xmlRecords(root: XmlElement): XmlRecord[] | undefined {
  const found = channelOf(root)
  if (found === undefined) return undefined
  const { format, channel, entries } = found
  const base = baseOf(root, channel)
  const author = shared(authorIn(channel)?.name)
  const lang = shared(attribute(root, 'xml:lang') ?? textIn(own(channel, 'language')[0]))
  return entries.map((entry) => {
    const ownBase = addressIn(attribute(entry, 'xml:base'), base) ?? base
    return {
      format,
      ...(ownBase !== undefined && { base: ownBase }),
      ...(author !== undefined && authorIn(entry) === undefined && { author }),
      ...(lang !== undefined && { lang }),
      entry,
    }
  })
}

function authorIn(element: XmlElement): { name: string; url?: string | undefined } | undefined {
  const [author] = own(element, 'author')
  const named1 = textIn(own(author, 'name')[0])
  if (textOf(named1) !== undefined) return { name: named1 ?? '', url: addressIn(textIn(own(author, 'uri')[0])) }
  const candidates = [
    textIn(named(element, DC, 'creator')[0]),
    author && elementsIn(author).length === 0 ? mailName(textIn(author) ?? '') : undefined,
    textIn(named(element, ITUNES, 'author')[0]),
  ]
  const name = candidates.map(textOf).find((one) => one !== undefined)
  return name === undefined ? undefined : { name }
}

/** RSS has `ada@blog.example (Ada)`: the address is not a name. */
const mailName = (text: string): string => /^[^\s()]{1,200} \(([^()]{1,200})\)$/.exec(text)?.[1] ?? text

/** The readable text of an element of Atom, by its type; of RSS, HTML. */
function readable(element: XmlElement | undefined, isAtom: boolean): string | undefined {
  const text = textOf(textIn(element))
  const type = isAtom ? (attribute(element, 'type') ?? 'text') : 'html'
  if (type === 'html' || type === 'text/html') return textOf(plainText(text))
  return type === 'text' || type === 'xhtml' || /^text\/|[+/]xml$/.test(type) ? text : undefined
}

/** The addresses in `href` and `src` of elements inside. */
function hrefsIn(element: XmlElement | undefined, base: string | undefined): string[] {
  return elementsIn(element).flatMap((one) => {
    const address = addressIn(attribute(one, 'href'), base)
    return [...(address === undefined ? [] : [address]), ...hrefsIn(one, base)]
  })
}

export function xmlReader({ format, entry, base, author, lang }: XmlRecord): EntryReader {
  const isAtom = format === 'atom'
  const first = (...found: (XmlElement | undefined)[]) => found.find((one) => one !== undefined)
  const ownText = (name: string) => textOf(textIn(own(entry, name)[0]))
  const content = isAtom
    ? own(entry, 'content')[0]
    : first(named(entry, CONTENT, 'encoded')[0], own(entry, 'description')[0])
  const summary = isAtom ? own(entry, 'summary')[0] : own(entry, 'description')[0]
  const guid = own(entry, 'guid')[0]
  const url = () => {
    if (isAtom) return linkOf(entry, 'alternate', base)
    const isPermanent = guid !== undefined && attribute(guid, 'isPermaLink') !== 'false'
    const permanent = isPermanent && /^https?:/i.test(textIn(guid) ?? '') ? addressIn(textIn(guid)) : undefined
    return siteOf(entry, base) ?? permanent
  }
  const time = (...names: string[]) => names.map((name) => timeIn(ownText(name))).find((one) => one !== undefined)
  return {
    id: () => (isAtom ? ownText('id') : textOf(textIn(guid))),
    title: () => readable(own(entry, 'title')[0], isAtom),
    url,
    text: () => readable(content, isAtom) ?? readable(summary, isAtom),
    summary: () => readable(summary, isAtom),
    links: () => [
      ...linksIn(textIn(content)?.replaceAll('&amp;', '&')),
      ...hrefsIn(content, addressIn(attribute(content, 'xml:base'), base) ?? base).slice(0, 200),
    ],
    published: () =>
      isAtom ? time('published', 'issued') : (time('pubDate') ?? timeIn(textIn(named(entry, DC, 'date')[0]))),
    updated: () => (isAtom ? time('updated', 'modified') : timeIn(textIn(named(entry, ATOM, 'updated')[0]))),
    author: () => {
      const found = authorIn(entry)
      if (found !== undefined) return found
      return author === undefined ? undefined : { name: author }
    },
    media: () => mediaIn(entry, base),
    image: () => imageIn(entry, base),
    place: () => placeIn(entry),
    lang: () => shared(attribute(entry, 'xml:lang')) ?? shared(textIn(named(entry, DC, 'language')[0])) ?? lang,
  }
}
