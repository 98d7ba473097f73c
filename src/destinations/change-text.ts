import type { DeliveryRow } from '#model/apps/destination.ts'

/** One change as JSON. Documents are inserted as text, so that large numbers keep all digits. */
export function changeText(row: DeliveryRow): string {
  const { op, seq, id, profile, endpoint } = row
  const head = { op, seq, id, profile, endpoint, native_id: row.nativeId }
  if (row.op === 'delete') return JSON.stringify({ ...head, at: row.deletedAt })
  const fields = JSON.stringify({
    ...head,
    idr: row.idr,
    service: row.service,
    at: row.at,
    updated: row.updatedAt,
    types: row.types,
    guid: row.guid.length > 0 ? row.guid.join(' ') : undefined,
    author: row.author,
    participants: row.participants.length > 0 ? row.participants : undefined,
    lat: row.lat,
    lng: row.lng,
  })
  return `${fields.slice(0, -1)},"oembed":${row.oembed},"map":${row.map},"data":${row.data}}`
}

/** The approximate size of a change as text. */
export function changeSize(row: DeliveryRow): number {
  return row.op === 'put' ? row.data.length + row.map.length + row.oembed.length + 500 : 200
}

/** Splits rows, in order, into chunks of about `maxBytes`; a larger row is a chunk of its own. */
export function* chunksOf<Row extends DeliveryRow>(rows: Row[], maxBytes: number): Generator<Row[]> {
  let chunk: Row[] = []
  let bytes = 0
  for (const row of rows) {
    if (chunk.length > 0 && bytes + changeSize(row) > maxBytes) {
      yield chunk
      chunk = []
      bytes = 0
    }
    chunk.push(row)
    bytes += changeSize(row)
  }
  if (chunk.length > 0) yield chunk
}
