import { FormatError } from '../format-error.ts'
import type { XmlElement } from './element.ts'
import { createScopes } from './xml-namespaces.ts'
import { readTag, type Tag } from './xml-tag.ts'
import { decodeEntities } from './xml-text.ts'

/** Limit: nesting of elements in XML from outside; a deeper document is refused. */
const MAX_XML_DEPTH = 64
/** Limit: elements and texts of one XML document; one with more is refused. */
const MAX_XML_NODES = 200_000

interface Open {
  element: XmlElement
  /** As written, to compare with the end tag. */
  tag: string
}

/**
 * Parses XML in one pass, without a document type: nothing is expanded but the five predefined entities and character numbers,
 * and nothing is fetched. Comments and processing instructions are skipped. Throws FormatError.
 */
export function parseXml(given: string): XmlElement {
  const text = given.charCodeAt(0) === 0xfeff ? given.slice(1) : given
  const scopes = createScopes()
  const open: Open[] = []
  let root: XmlElement | undefined
  let nodes = 0
  let at = 0

  const count = () => {
    nodes += 1
    if (nodes > MAX_XML_NODES) throw tooLarge('nodes')
  }
  const addText = (part: string) => {
    if (part === '') return
    const parent = open.at(-1)?.element
    if (parent === undefined) {
      if (part.trim() !== '') throw invalid('text outside the document element')
      return
    }
    count()
    const content = (parent.content ??= [])
    const last = content.at(-1)
    if (typeof last === 'string') content[content.length - 1] = last + part
    else content.push(part)
  }
  const begin = (tag: Tag) => {
    count()
    scopes.push(tag.attributes)
    const element: XmlElement = scopes.resolve(tag)
    const parent = open.at(-1)?.element
    if (parent !== undefined) (parent.content ??= []).push(element)
    else if (root === undefined) root = element
    else throw invalid('a second document element')
    if (tag.isEmpty) scopes.pop()
    else open.push({ element, tag: tag.name })
    if (open.length > MAX_XML_DEPTH) throw tooLarge('levels')
  }
  const end = (name: string) => {
    const closed = open.pop()
    if (closed?.tag !== name) throw invalid('an end tag that does not match')
    scopes.pop()
    if (closed.element.content !== undefined) closed.element.content = meaningful(closed.element.content)
    if (closed.element.content?.length === 0) delete closed.element.content
  }
  const skipTo = (mark: string, from: number): number => {
    const found = text.indexOf(mark, from)
    if (found < 0) throw invalid(`“${mark}” is missing`)
    return found
  }

  while (at < text.length) {
    const bracket = text.indexOf('<', at)
    addText(decodeEntities(text.slice(at, bracket < 0 ? text.length : bracket)))
    if (bracket < 0) break
    if (text.startsWith('<!--', bracket)) at = skipTo('-->', bracket + 4) + 3
    else if (text.startsWith('<![CDATA[', bracket)) {
      const stop = skipTo(']]>', bracket + 9)
      addText(text.slice(bracket + 9, stop))
      at = stop + 3
    } else if (text.startsWith('<?', bracket)) at = skipTo('?>', bracket + 2) + 2
    else if (text.startsWith('<!', bracket)) at = root === undefined ? afterDocumentType(text, bracket) : notAllowed()
    else if (text.startsWith('</', bracket)) {
      const stop = skipTo('>', bracket + 2)
      end(text.slice(bracket + 2, stop).trim())
      at = stop + 1
    } else {
      const tag = readTag(text, bracket)
      begin(tag)
      at = tag.end
    }
  }
  if (root === undefined || open.length > 0) throw invalid('it ends early')
  return root
}

/** Limit: characters of a document type in XML; a document with a longer one is refused. */
const MAX_XML_DOCUMENT_TYPE = 500

/**
 * Old feeds have a document type that only names a public one. It declares nothing itself and nothing is fetched, so it can be
 * skipped; one with declarations, or at an address of its own, is refused.
 */
function afterDocumentType(text: string, start: number): number {
  const end = text.slice(start, start + MAX_XML_DOCUMENT_TYPE).indexOf('>')
  const declared = text.slice(start, start + end + 1)
  if (!/^<!DOCTYPE\s+[\w:.-]+(?:\s+PUBLIC\s+"[^"<>[]*"(?:\s+"[^"<>[]*")?)?\s*>$/i.test(declared)) return notAllowed()
  return start + end + 1
}

function notAllowed(): never {
  throw invalid('it has a document type')
}

/** Without the spaces between elements that only indent. */
function meaningful(content: (string | XmlElement)[]): (string | XmlElement)[] {
  const hasElements = content.some((one) => typeof one !== 'string')
  return hasElements ? content.filter((one) => typeof one !== 'string' || one.trim() !== '') : content
}

const invalid = (what: string): FormatError => new FormatError('xml_invalid', `The text is not XML: ${what}`)

const tooLarge = (what: string): FormatError => new FormatError('xml_too_large', `The XML has too many ${what}`)
