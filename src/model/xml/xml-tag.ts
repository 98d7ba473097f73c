import { FormatError } from '../format-error.ts'
import { decodeEntities } from './xml-text.ts'

export interface Tag {
  /** With its prefix. */
  name: string
  attributes: [name: string, value: string][]
  isEmpty: boolean
  /** The position after the tag. */
  end: number
}

/** Limit: attributes of one XML element; a document with more is refused. */
const MAX_XML_ATTRIBUTES = 100
/** Limit: characters of the name of an XML element or attribute; a document with a longer one is refused. */
const MAX_XML_NAME = 300

/** Reads a start tag, from its `<`. Every character is looked at once. */
export function readTag(text: string, start: number): Tag {
  let at = start + 1
  const name = readName()
  const attributes: Tag['attributes'] = []
  const seen = new Set<string>()
  for (;;) {
    const hadSpace = skipSpace()
    if (text.startsWith('/>', at)) return { name, attributes, isEmpty: true, end: at + 2 }
    if (text[at] === '>') return { name, attributes, isEmpty: false, end: at + 1 }
    if (!hadSpace) throw invalid('a tag is not closed')
    const attribute = readName()
    skipSpace()
    if (text[at] !== '=') throw invalid('an attribute has no value')
    at += 1
    skipSpace()
    const quote = text[at]
    if (quote !== '"' && quote !== "'") throw invalid('the value of an attribute is not quoted')
    const close = text.indexOf(quote, at + 1)
    if (close < 0) throw invalid('the value of an attribute has no end')
    const value = text.slice(at + 1, close)
    if (value.includes('<')) throw invalid('the value of an attribute has a “<”')
    if (seen.has(attribute)) throw invalid('an attribute is repeated')
    seen.add(attribute)
    attributes.push([attribute, decodeEntities(value)])
    if (attributes.length > MAX_XML_ATTRIBUTES)
      throw new FormatError('xml_too_large', 'An XML element has too many attributes')
    at = close + 1
  }

  function readName(): string {
    const from = at
    while (at < text.length && !isNameEnd(text.charCodeAt(at))) {
      at += 1
      if (at - from > MAX_XML_NAME) throw new FormatError('xml_too_large', 'An XML name is too long')
    }
    if (at === from) throw invalid('a name is missing')
    return text.slice(from, at)
  }

  function skipSpace(): boolean {
    const from = at
    while (isSpace(text.charCodeAt(at))) at += 1
    return at > from
  }
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** Space, `/`, `>`, `=`, `<`, quotes and the end of the text. */
const isNameEnd = (code: number): boolean =>
  isSpace(code) || code === 0x2f || code === 0x3e || code === 0x3d || code === 0x3c || code === 0x22 || code === 0x27

const invalid = (what: string): FormatError => new FormatError('xml_invalid', `The text is not XML: ${what}`)
