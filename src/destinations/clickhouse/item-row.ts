import type { DeleteRow, DeliveryRow, PutRow } from '#model/apps/destination.ts'
import { allColumns } from '../view-columns.ts'
import { isRecord, type Row } from './client.ts'

const COLUMNS = allColumns()

/** A row of tributary_items. A deleted item keeps its ids; everything else is empty. */
export function itemRow(row: DeliveryRow): Row {
  return row.op === 'put' ? putRow(row) : deletedRow(row)
}

function putRow(row: PutRow): Row {
  const documents = { oembed: objectIn(row.oembed), map: objectIn(row.map) }
  const { oembed, map } = documents
  return {
    ...keysOf(row),
    idr: row.idr,
    service: row.service,
    at: row.at,
    updated_at: row.updatedAt,
    types: row.types,
    guid: row.guid.map(wellFormed),
    author: textOf(row.author),
    participants: row.participants.map(wellFormed),
    lat: row.lat ?? null,
    lng: row.lng ?? null,
    title: textOf(oembed['title']),
    text: textOf(map['text']) ?? textOf(oembed['description']),
    url: textOf(oembed['url']),
    thumbnail_url: textOf(oembed['thumbnail_url']),
    author_name: textOf(oembed['author_name']),
    ...Object.fromEntries(
      COLUMNS.map(({ name, document, field, as }) => {
        const value = documents[document][field]
        return [name, as === 'text' ? textOf(value) : numberOf(value, as === 'time')]
      }),
    ),
    oembed: wellFormed(row.oembed),
    map: wellFormed(row.map),
    data: wellFormed(row.data),
    deleted_at: null,
  }
}

function deletedRow(row: DeleteRow): Row {
  return {
    ...keysOf(row),
    idr: '',
    service: '',
    at: 0,
    updated_at: row.deletedAt,
    types: [],
    guid: [],
    author: null,
    participants: [],
    lat: null,
    lng: null,
    title: null,
    text: null,
    url: null,
    thumbnail_url: null,
    author_name: null,
    ...Object.fromEntries(COLUMNS.map(({ name }) => [name, null])),
    oembed: '',
    map: '',
    data: '',
    deleted_at: row.deletedAt,
  }
}

function keysOf({ profile, id, endpoint, nativeId, seq }: DeliveryRow): Row {
  return { profile_id: profile, id, endpoint, native_id: wellFormed(nativeId), seq }
}

/** A lone surrogate cannot be written as UTF-8. */
export function wellFormed(text: string): string {
  return text.toWellFormed()
}

function objectIn(document: string): Row {
  const value: unknown = JSON.parse(document)
  return isRecord(value) ? value : {}
}

/** Null for a missing value; what is not a text is shown as JSON. */
export function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return wellFormed(typeof value === 'string' ? value : JSON.stringify(value))
}

/** A value of an unexpected type is null. */
function numberOf(value: unknown, isTime: boolean): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  if (!isTime) return value
  return Number.isSafeInteger(Math.trunc(value)) ? Math.trunc(value) : null
}
