import { textIn, type XmlElement } from '#model/xml/element.ts'
import { GEO, GEORSS, GML, named } from './xml-names.ts'

/** `georss:point`, a point of GML, or `geo:lat` and `geo:long`. */
export function placeIn(entry: XmlElement): { lat: number; lng: number } | undefined {
  const where = named(entry, GEORSS, 'where')[0]
  const position = named(named(where, GML, 'Point')[0], GML, 'pos')[0]
  const pair = textIn(named(entry, GEORSS, 'point')[0]) ?? textIn(position)
  if (pair !== undefined) return placeOf(...twoOf(pair))
  const point = named(entry, GEO, 'Point')[0] ?? entry
  return placeOf(textIn(named(point, GEO, 'lat')[0]), textIn(named(point, GEO, 'long')[0]))
}

function twoOf(pair: string): [string | undefined, string | undefined] {
  const [lat, lng] = pair.slice(0, 100).split(/[\s,]+/)
  return [lat, lng]
}

function placeOf(lat: string | undefined, lng: string | undefined): { lat: number; lng: number } | undefined {
  if (!isNumber(lat) || !isNumber(lng)) return undefined
  return { lat: Number(lat), lng: Number(lng) }
}

const isNumber = (text: string | undefined): text is string =>
  text !== undefined && /^[+-]?\d{1,3}(?:\.\d{1,20})?$/.test(text)
