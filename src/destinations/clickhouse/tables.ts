import { ITEM_TYPES } from '#model/items/types.ts'
import { allColumns, columnsOf, type ViewColumn } from '../view-columns.ts'

// Only what releases from 18.16 on have in common: neither JSON functions nor DateTime64 nor users in SQL. Times are epoch
// milliseconds, which have no limits of range, and fields of documents are columns, which a column store reads fastest.

/** Columns of the views that every type has. */
export const SHARED_COLUMNS = ['title', 'text', 'url', 'thumbnail_url', 'author_name']

const COLUMN_TYPES: Record<ViewColumn['as'], string> = {
  text: 'Nullable(String)',
  number: 'Nullable(Float64)',
  time: 'Nullable(Int64)',
}

/** The published schema, version by version. Every statement may run again. docs/push.md shows it. */
export const VERSIONS: string[][] = [
  [
    `create table if not exists tributary_profiles (
  id String, account_id String, service String, native_id String, name Nullable(String), handle Nullable(String),
  state String, connected_at Int64, epoch UInt64)
engine = ReplacingMergeTree(epoch) order by id`,
    `create table if not exists tributary_items (
  profile_id String, id String, idr String, service String, endpoint String, native_id String,
  at Int64, updated_at Int64, types Array(String), guid Array(String), author Nullable(String), participants Array(String),
  lat Nullable(Float64), lng Nullable(Float64),
  ${lines(SHARED_COLUMNS.map((name) => `${name} Nullable(String)`))},
  ${lines(allColumns().map(({ name, as }) => `${name} ${COLUMN_TYPES[as]}`))},
  oembed String, map String, data String, seq UInt64, deleted_at Nullable(Int64))
engine = ReplacingMergeTree(seq) order by (profile_id, id)`,
    `create table if not exists tributary_checkpoint (
  destination_id String, profile_id String, seq Int64, epoch UInt64, updated_at Int64)
engine = ReplacingMergeTree(epoch) order by (destination_id, profile_id)`,
    ...ITEM_TYPES.map(
      (type) => `create view if not exists tributary_${type} as
  select id, account_id, profile_id, service, native_id, at, updated_at, author, lat, lng,
    ${SHARED_COLUMNS.join(', ')},
    ${columnsOf(type)
      .map(({ name }) => name)
      .join(', ')},
    map, data
  from tributary_items final
  any inner join (select id as profile_id, account_id from tributary_profiles final) as p using (profile_id)
  where deleted_at is null and has(types, '${type}')`,
    ),
  ],
]

export const SCHEMA_TABLE = `create table if not exists tributary_schema (version UInt32, applied_at UInt64)
engine = ReplacingMergeTree(applied_at) order by version`

export const TABLES = ['tributary_items', 'tributary_profiles', 'tributary_checkpoint', 'tributary_schema']
export const VIEWS = ITEM_TYPES.map((type) => `tributary_${type}`)

/** Five columns on a line. */
function lines(columns: string[]): string {
  const texts: string[] = []
  for (let at = 0; at < columns.length; at += 5) texts.push(columns.slice(at, at + 5).join(', '))
  return texts.join(',\n  ')
}
