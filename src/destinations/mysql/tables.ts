import { ITEM_TYPES } from '#model/items/types.ts'
import { columnsOf, type ViewColumn } from '../view-columns.ts'

// Documents are text, not `json`: MySQL rounds large numbers in that type, and MariaDB refuses deeply nested documents. JSON functions accept text.
const DOCUMENT = 'longtext not null'
const TABLE = 'engine=InnoDB default charset=utf8mb4 collate=utf8mb4_bin'

/** A field as text; SQL null for JSON null. */
function field(document: string, name: string): string {
  const found = `json_extract(${document}, '$.${name}')`
  return `if(json_type(${found}) = 'NULL', null, json_unquote(${found}))`
}

/** A value of an unexpected type is null: one such item must not break the view for all. */
function column({ name, document, field: key, as }: ViewColumn): string {
  const found = `json_extract(i.${document}, '$.${key}')`
  if (as === 'text') return `${field(`i.${document}`, key)} as ${name}`
  // Unquoted first: a document stored as text has no native numbers.
  const number = `cast(json_unquote(${found}) as double)`
  const value = as === 'number' ? number : `timestampadd(microsecond, ${number} * 1000, '1970-01-01')`
  return `case when json_type(${found}) in ('INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL') then ${value} end as ${name}`
}

/** The published schema, version by version. Every statement may run again. Times are UTC. docs/push.md shows it. */
export const VERSIONS: string[][] = [
  [
    `create table if not exists tributary_profiles (
  id varchar(64) primary key, account_id varchar(64) not null, service varchar(64) not null, native_id text not null, name text, handle text,
  state varchar(32) not null, connected_at datetime(3) not null, seq bigint not null, deleted_at datetime(3)) ${TABLE}`,
    `create table if not exists tributary_items (
  profile_id varchar(64) not null, id varchar(191) not null, idr text not null, service varchar(64) not null, endpoint varchar(191) not null,
  native_id text not null, at datetime(3) not null, updated_at datetime(3) not null, types varchar(500) not null, guid ${DOCUMENT}, author text,
  lat double, lng double, oembed ${DOCUMENT}, map ${DOCUMENT}, data ${DOCUMENT}, seq bigint not null, deleted_at datetime(3),
  primary key (profile_id, id), index tributary_items_id (id), index tributary_items_at (profile_id, at)) ${TABLE}`,
    `create table if not exists tributary_participants (
  profile_id varchar(64) not null, item_id varchar(191) not null, position smallint not null, participant text not null, is_author boolean not null,
  primary key (profile_id, item_id, position), index tributary_participants_participant (participant(191))) ${TABLE}`,
    `create table if not exists tributary_checkpoint (
  destination_id varchar(64) not null, profile_id varchar(64) not null, seq bigint not null, epoch bigint not null, updated_at datetime(3) not null,
  primary key (destination_id, profile_id)) ${TABLE}`,
    ...ITEM_TYPES.map(
      (type) => `create or replace sql security invoker view tributary_${type} as
  select i.id, p.account_id, i.profile_id, i.service, i.native_id, i.at, i.updated_at, i.author, i.lat, i.lng,
    ${field('i.oembed', 'title')} as title, coalesce(${field('i.map', 'text')}, ${field('i.oembed', 'description')}) as text,
    ${field('i.oembed', 'url')} as url, ${field('i.oembed', 'thumbnail_url')} as thumbnail_url,
    ${field('i.oembed', 'author_name')} as author_name,
    ${columnsOf(type).map(column).join(',\n    ')},
    i.map, i.data
  from tributary_items i join tributary_profiles p on p.id = i.profile_id
  where i.deleted_at is null and p.deleted_at is null and json_contains(i.types, '"${type}"')`,
    ),
  ],
]

export const TABLES = [
  'tributary_items',
  'tributary_profiles',
  'tributary_participants',
  'tributary_checkpoint',
  'tributary_schema',
]
export const VIEWS = ITEM_TYPES.map((type) => `tributary_${type}`)

/** Inserts the row or locks it: a second transaction waits here for the end of the first. */
export const CLAIM_CHECKPOINT = `insert into tributary_checkpoint (destination_id, profile_id, seq, epoch, updated_at) values (?, ?, 0, 0, ?)
on duplicate key update destination_id = values(destination_id)`

export const FIND_CHECKPOINT = `select seq, epoch, cast(unix_timestamp(updated_at) * 1000 as signed) as at from tributary_checkpoint
where destination_id = ? and profile_id = ? for update`

export const PUT_CHECKPOINT =
  'update tributary_checkpoint set seq = ?, epoch = ?, updated_at = ? where destination_id = ? and profile_id = ?'

export const FIND_OTHERS =
  'select distinct destination_id as id from tributary_checkpoint where destination_id <> ? limit 5'

export const PUT_PROFILE = upsert(
  'tributary_profiles',
  ['id'],
  'id account_id service native_id name handle state connected_at deleted_at seq',
)

/** The same or a greater `seq` wins. Two accounts may have the same service user, so a row is identified by profile and id. */
export const PUT_ITEMS = upsert(
  'tributary_items',
  ['profile_id', 'id'],
  'id profile_id idr service endpoint native_id at updated_at types guid author lat lng oembed map data deleted_at seq',
)

export const PUT_PARTICIPANTS =
  'insert into tributary_participants (profile_id, item_id, position, participant, is_author) values ?'

export function deleteItems(count: number): string {
  return `update tributary_items t join (${deleted(count)}) g on t.id = g.id set t.deleted_at = g.gone_at, t.seq = g.seq
where t.profile_id = ? and t.seq <= g.seq`
}

/** The hard variant: removes the rows. */
export function removeItems(count: number): string {
  return `delete t, p from tributary_items t join (${deleted(count)}) g on t.id = g.id
left join tributary_participants p on p.profile_id = t.profile_id and p.item_id = t.id
where t.profile_id = ? and t.seq <= g.seq`
}

function deleted(count: number): string {
  return Array(count).fill('select ? as id, ? as seq, ? as gone_at').join(' union all ')
}

/** The columns are in the order in which rows are written. */
export const FIND_ROWS = `select id, profile_id, idr, service, endpoint, native_id, left(cast(at as char), 23) as at, left(cast(updated_at as char), 23) as updated_at,
  types, guid, author, lat, lng, oembed, map, data, cast(deleted_at as char) as deleted_at, seq
from tributary_items where profile_id = ? and id > ? and id <= ?`

export const FIND_PEOPLE = `select item_id, participant from tributary_participants
where profile_id = ? and item_id > ? and item_id <= ? order by item_id, position`

export const REMOVE_FOUND = `delete t, p from tributary_items t
left join tributary_participants p on p.profile_id = t.profile_id and p.item_id = t.id
where t.profile_id = ? and (t.id, t.seq) in (?)`

export const ERASE = [
  'delete from tributary_participants where profile_id = ?',
  'delete from tributary_items where profile_id = ?',
  'delete from tributary_profiles where id = ?',
]

/**
 * `seq` is set last, because every other column is compared with its old value. The key is compared too: otherwise a unique
 * index that the app added would make one item overwrite another.
 */
function upsert(table: string, key: string[], names: string): string {
  const columns = names.split(' ')
  const same = key.map((column) => `${column} = values(${column})`).join(' and ')
  const set = columns
    .filter((column) => !key.includes(column))
    .map((column) => `${column} = if(${same} and seq <= values(seq), values(${column}), ${column})`)
  return `insert into ${table} (${columns.join(', ')}) values ? on duplicate key update\n${set.join(',\n')}`
}

/** The least privileges that a role needs. The app's administrator runs it once. */
export function leastPrivilegeScript(database: string): string {
  return `create database if not exists ${database} character set utf8mb4;
create user tributary@'%' identified by 'choose one' require ssl with max_user_connections 10;
grant select, insert, update, delete, create, alter, index, drop, create view, show view on ${database}.* to tributary@'%';`
}
