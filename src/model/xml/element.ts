/** An element of an XML response. Plain data: a record of it is stored as it is. */
export interface XmlElement {
  /** Without prefix. */
  name: string
  /** The namespace, e.g. `DAV:`; missing where there is none. */
  ns?: string
  /** By name, with the prefix that the response has. Missing where there are none. */
  attributes?: Record<string, string>
  /** Texts and elements in their order. Missing where it is empty. */
  content?: (string | XmlElement)[]
}

/** The elements directly inside, of one name if given. */
export function elementsIn(element: XmlElement | undefined, name?: string): XmlElement[] {
  return (element?.content ?? []).filter(
    (one): one is XmlElement => typeof one !== 'string' && (name === undefined || one.name === name),
  )
}

/** The first element at a path of names: `elementAt(response, 'propstat', 'prop', 'getetag')`. */
export function elementAt(element: XmlElement | undefined, ...names: string[]): XmlElement | undefined {
  return names.reduce<XmlElement | undefined>((found, name) => elementsIn(found, name)[0], element)
}

/** All text inside, without spaces at both ends; undefined for a missing element. */
export function textIn(element: XmlElement | undefined, ...names: string[]): string | undefined {
  const found = names.length === 0 ? element : elementAt(element, ...names)
  return found === undefined ? undefined : joined(found).trim()
}

function joined({ content = [] }: XmlElement): string {
  return content.map((one) => (typeof one === 'string' ? one : joined(one))).join('')
}
