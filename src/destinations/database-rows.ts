import type { DeliveryRow } from '#model/apps/destination.ts'
import { storableText } from '#platform/formats/storable-text.ts'

/** The newest row of each item, ordered by id, so that concurrent statements take their locks in the same order. */
export function newestById<Row extends DeliveryRow>(rows: Row[]): Row[] {
  const newest = new Map<string, Row>()
  for (const row of rows) {
    const other = newest.get(row.id)
    if (other === undefined || other.seq <= row.seq) newest.set(row.id, row)
  }
  return [...newest.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Databases accept neither NUL nor lone surrogates. Both become U+FFFD there; our own store keeps them. */
export function cleanText<Text extends string | undefined>(text: Text): Text {
  return (text && storableText(text)) as Text
}

/** The same for the escape sequences of a JSON text. */
export function cleanJson(text: string): string {
  if (!/\\u(0000|d[89a-f])/i.test(text)) return text
  return text.replaceAll(
    /(\\\\)|\\u0000|\\ud[89ab][0-9a-f]{2}(?:\\ud[c-f][0-9a-f]{2})?|\\ud[c-f][0-9a-f]{2}/gi,
    (found, escaped: string | undefined) => (escaped !== undefined || found.length === 12 ? found : String.raw`\ufffd`),
  )
}
