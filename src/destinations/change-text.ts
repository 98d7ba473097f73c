import type { DeliveryRow } from '#model/destination.ts'

/** One change as JSON. Documents pass as the text they are, so that no number loses a digit. */
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

/** About how many bytes of text a change becomes. */
export function changeSize(row: DeliveryRow): number {
  return row.op === 'put' ? row.data.length + row.map.length + row.oembed.length + 500 : 200
}

/** Rows in order, in parts of about so many bytes; a row that is larger stands alone. */
export function* partsOf<Row extends DeliveryRow>(rows: Row[], mostBytes: number): Generator<Row[]> {
  let part: Row[] = []
  let bytes = 0
  for (const row of rows) {
    if (part.length > 0 && bytes + changeSize(row) > mostBytes) {
      yield part
      part = []
      bytes = 0
    }
    part.push(row)
    bytes += changeSize(row)
  }
  if (part.length > 0) yield part
}
