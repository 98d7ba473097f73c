import { FormatError } from '../format-error.ts'
import type { XmlElement } from './element.ts'
import type { Tag } from './xml-tag.ts'

/** Limit: namespace prefixes that an XML document declares; one with more is refused. */
const MAX_XML_PREFIXES = 50
/** Limit: characters of the name of an XML namespace; a document with a longer one is refused. */
const MAX_XML_NAMESPACE = 300
/** Limit: characters of all namespaces that the elements of one XML document repeat; one with more is refused. */
const MAX_XML_NAMESPACE_TOTAL = 5 * 1024 * 1024

export interface Scopes {
  push(attributes: Tag['attributes']): void
  pop(): void
  resolve(tag: Tag): XmlElement
}

/** The namespaces in effect: by prefix, the default one under the empty prefix. */
export function createScopes(): Scopes {
  const declared = new Map<string, string[]>([['xml', ['http://www.w3.org/XML/1998/namespace']]])
  const levels: string[][] = []
  let total = 0
  return {
    push(attributes) {
      const prefixes: string[] = []
      for (const [name, value] of attributes) {
        const prefix = name === 'xmlns' ? '' : name.startsWith('xmlns:') ? name.slice(6) : undefined
        if (prefix === undefined) continue
        if (value.length > MAX_XML_NAMESPACE) throw tooLarge()
        const stack = declared.get(prefix)
        if (stack === undefined) declared.set(prefix, [value])
        else stack.push(value)
        if (declared.size > MAX_XML_PREFIXES) throw tooLarge()
        prefixes.push(prefix)
      }
      levels.push(prefixes)
    },
    pop() {
      for (const prefix of levels.pop() ?? []) declared.get(prefix)?.pop()
    },
    resolve({ name, attributes }) {
      const colon = name.indexOf(':')
      const prefix = colon < 0 ? '' : name.slice(0, colon)
      const ns = declared.get(prefix)?.at(-1)
      if (prefix !== '' && ns === undefined)
        throw new FormatError('xml_invalid', 'The text is not XML: a prefix is not declared')
      total += ns?.length ?? 0
      if (total > MAX_XML_NAMESPACE_TOTAL) throw tooLarge()
      const own = attributes.filter(([one]) => one !== 'xmlns' && !one.startsWith('xmlns:'))
      return {
        name: colon < 0 ? name : name.slice(colon + 1),
        ...(ns === undefined || ns === '' ? {} : { ns }),
        ...(own.length === 0 ? {} : { attributes: Object.fromEntries(own) }),
      }
    },
  }
}

const tooLarge = (): FormatError => new FormatError('xml_too_large', 'The XML has too many or too long namespaces')
