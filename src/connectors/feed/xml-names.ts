import { elementsIn, type XmlElement } from '#model/xml/element.ts'

/** Namespaces of feeds, in lower case: feeds write some of them in several ways. */
export const ATOM = 'http://www.w3.org/2005/atom'
export const CONTENT = 'http://purl.org/rss/1.0/modules/content/'
export const DC = 'http://purl.org/dc/elements/1.1/'
export const MEDIA = 'http://search.yahoo.com/mrss'
export const ITUNES = 'http://www.itunes.com/dtds/podcast-1.0.dtd'
export const GEORSS = 'http://www.georss.org/georss'
export const GML = 'http://www.opengis.net/gml'
export const GEO = 'http://www.w3.org/2003/01/geo/wgs84_pos#'

const plainName = (ns: string | undefined): string => (ns ?? '').toLowerCase().replace(/\/$/, '')

/** The elements of a name and namespace directly inside. */
export function named(element: XmlElement | undefined, ns: string | undefined, name: string): XmlElement[] {
  return elementsIn(element, name).filter((one) => plainName(one.ns) === plainName(ns))
}

/** Those of the element's own namespace: RSS has none, one of several, or that of RDF. */
export const own = (element: XmlElement | undefined, name: string): XmlElement[] => named(element, element?.ns, name)

export const attribute = (element: XmlElement | undefined, name: string): string | undefined =>
  element?.attributes !== undefined && Object.hasOwn(element.attributes, name) ? element.attributes[name] : undefined
