import { elementAt, elementsIn, textIn, type XmlElement } from '#model/xml/element.ts'

/** One result of a multistatus response (RFC 4918 14.24). */
export interface DavResponse {
  href: string
  /** Of the resource itself, e.g. 404 for one that was deleted. Missing where it has properties. */
  status: number | undefined
  /** Properties that the server returned, and those that it could not return. */
  found: XmlElement
  missing: XmlElement
}

/** The results; undefined for any other response. */
export function responsesIn(body: unknown): DavResponse[] | undefined {
  const root = body as XmlElement | null
  if (root?.name !== 'multistatus') return undefined
  return elementsIn(root, 'response').flatMap((response) => {
    const href = textIn(response, 'href')
    if (href === undefined || href === '') return []
    const parts = elementsIn(response, 'propstat')
    const props = (isFound: boolean): XmlElement => ({
      name: 'prop',
      content: parts
        .filter((part) => (statusOf(part) === 200) === isFound)
        .flatMap((part) => elementsIn(elementAt(part, 'prop'))),
    })
    return [{ href, status: statusOf(response), found: props(true), missing: props(false) }]
  })
}

/** `HTTP/1.1 404 Not Found` is 404. */
function statusOf(element: XmlElement): number | undefined {
  const [, code] = /^HTTP\/[\d.]{1,3} (\d{3})\b/.exec(textIn(element, 'status') ?? '') ?? []
  return code === undefined ? undefined : Number(code)
}

/** The path of an address: servers write both full addresses and paths. */
export function pathOf(href: string): string | undefined {
  return URL.parse(href, 'https://server.invalid/')?.pathname
}

/** The decoded last part of a path, with or without a slash at its end: the name of a resource in its collection. */
export function nameIn(href: string): string | undefined {
  const segment = pathOf(href)
    ?.split('/')
    .findLast((part) => part !== '')
  if (segment === undefined) return undefined
  try {
    return decodeURIComponent(segment)
  } catch {
    // A percent sign that encodes nothing: the name is the part itself.
    return segment
  }
}
