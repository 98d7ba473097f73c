import { createRequire } from 'node:module'
import type * as Writer from 'hyparquet-writer'
import type { DeliveryRow, PutRow } from '#model/apps/destination.ts'

const requireModule = createRequire(import.meta.url)
/** Loaded at its first use: few destinations have this format. */
const writer = () => requireModule('hyparquet-writer') as typeof Writer

// The same names and meanings as in JSON changes. Documents are text, because Parquet has no unbounded numbers.
const COLUMNS: {
  name: string
  type: 'STRING' | 'INT64' | 'DOUBLE' | 'TIMESTAMP'
  read: (row: DeliveryRow) => unknown
}[] = [
  { name: 'op', type: 'STRING', read: ({ op }) => op },
  { name: 'seq', type: 'INT64', read: ({ seq }) => BigInt(seq) },
  { name: 'id', type: 'STRING', read: ({ id }) => id },
  { name: 'profile', type: 'STRING', read: ({ profile }) => profile },
  { name: 'endpoint', type: 'STRING', read: ({ endpoint }) => endpoint },
  { name: 'native_id', type: 'STRING', read: ({ nativeId }) => nativeId },
  { name: 'at', type: 'TIMESTAMP', read: (row) => new Date(row.op === 'put' ? row.at : row.deletedAt) },
  { name: 'updated', type: 'TIMESTAMP', read: put(({ updatedAt }) => new Date(updatedAt)) },
  { name: 'idr', type: 'STRING', read: put(({ idr }) => idr) },
  { name: 'service', type: 'STRING', read: put(({ service }) => service) },
  { name: 'types', type: 'STRING', read: put(({ types }) => JSON.stringify(types)) },
  { name: 'guid', type: 'STRING', read: put(({ guid }) => (guid.length > 0 ? guid.join(' ') : undefined)) },
  { name: 'author', type: 'STRING', read: put(({ author }) => author) },
  { name: 'participants', type: 'STRING', read: put(({ participants }) => JSON.stringify(participants)) },
  { name: 'lat', type: 'DOUBLE', read: put(({ lat }) => lat) },
  { name: 'lng', type: 'DOUBLE', read: put(({ lng }) => lng) },
  { name: 'oembed', type: 'STRING', read: put(({ oembed }) => oembed) },
  { name: 'map', type: 'STRING', read: put(({ map }) => map) },
  { name: 'data', type: 'STRING', read: put(({ data }) => data) },
]

function put(read: (row: PutRow) => unknown): (row: DeliveryRow) => unknown {
  return (row) => (row.op === 'put' ? read(row) : undefined)
}

/** Changes as one Parquet file. The same rows always produce the same bytes. */
export function parquetOf(rows: DeliveryRow[]): Uint8Array {
  const columnData = COLUMNS.map(({ name, type, read }) => ({ name, type, data: rows.map((row) => read(row) ?? null) }))
  return new Uint8Array(writer().parquetWriteBuffer({ columnData }))
}
