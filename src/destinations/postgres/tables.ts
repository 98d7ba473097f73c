import { ITEM_TYPES } from '#model/items/types.ts'
import { columnsOf, type ViewColumn } from '../view-columns.ts'

/** A value of an unexpected type is null: one such item must not break the view for all. */
function column({ name, document, field, as }: ViewColumn): string {
  const text = `i.${document} ->> '${field}'`
  if (as === 'text') return `${text} as ${name}`
  const number = `(${text})::double precision`
  const value = as === 'number' ? number : `to_timestamp(${number} / 1000)`
  return `case when jsonb_typeof(i.${document} -> '${field}') = 'number' then ${value} end as ${name}`
}

/** The published schema, version by version. Every statement may run again. docs/push.md shows it. */
export const VERSIONS: string[][] = [
  [
    `create table if not exists tributary_profiles (
  id text primary key, account_id text not null, service text not null, native_id text not null, name text, handle text,
  state text not null, connected_at timestamptz not null, seq bigint not null, deleted_at timestamptz)`,
    `create table if not exists tributary_items (
  profile_id text not null, id text not null, idr text not null, service text not null, endpoint text not null, native_id text not null,
  at timestamptz not null, updated_at timestamptz not null, types text[] not null, guid text[] not null, author text,
  lat double precision, lng double precision, oembed jsonb not null, map jsonb not null, data jsonb not null,
  seq bigint not null, deleted_at timestamptz, primary key (profile_id, id))`,
    'create index if not exists tributary_items_id on tributary_items (id)',
    'create index if not exists tributary_items_profile on tributary_items (profile_id, at desc)',
    'create index if not exists tributary_items_types on tributary_items using gin (types)',
    `create table if not exists tributary_participants (
  profile_id text not null, item_id text not null, position smallint not null, participant text not null, is_author boolean not null,
  primary key (profile_id, item_id, position))`,
    'create index if not exists tributary_participants_participant on tributary_participants (participant)',
    `create table if not exists tributary_checkpoint (
  destination_id text not null, profile_id text not null, seq bigint not null, epoch bigint not null, updated_at timestamptz not null,
  primary key (destination_id, profile_id))`,
    ...ITEM_TYPES.map(
      (type) => `create or replace view tributary_${type} as
  select i.id, p.account_id, i.profile_id, i.service, i.native_id, i.at, i.updated_at, i.author, i.lat, i.lng,
    i.oembed ->> 'title' as title, coalesce(i.map ->> 'text', i.oembed ->> 'description') as text, i.oembed ->> 'url' as url,
    i.oembed ->> 'thumbnail_url' as thumbnail_url, i.oembed ->> 'author_name' as author_name,
    ${columnsOf(type).map(column).join(',\n    ')},
    i.map, i.data
  from tributary_items i join tributary_profiles p on p.id = i.profile_id
  where i.deleted_at is null and p.deleted_at is null and i.types @> array['${type}']`,
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

/** One row per profile and destination. An older run finds a greater epoch and changes nothing. */
export const PUT_CHECKPOINT = `insert into tributary_checkpoint as c (destination_id, profile_id, seq, epoch, updated_at)
values ($1, $2, $3, $4, to_timestamp($5 / 1000.0))
on conflict (destination_id, profile_id) do update set seq = excluded.seq, epoch = excluded.epoch, updated_at = excluded.updated_at
where c.epoch <= excluded.epoch`

export const FIND_CHECKPOINT = `select seq::text, epoch::text, floor(extract(epoch from updated_at) * 1000)::text as at from tributary_checkpoint
where destination_id = $1 and profile_id = $2 for update`

export const FIND_OTHERS =
  'select distinct destination_id as id from tributary_checkpoint where destination_id <> $1 limit 5'

export const PUT_PROFILE = `insert into tributary_profiles as p (id, account_id, service, native_id, name, handle, state, connected_at, seq)
values ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8 / 1000.0), $9)
on conflict (id) do update set account_id = excluded.account_id, name = excluded.name, handle = excluded.handle, state = excluded.state,
  connected_at = excluded.connected_at, seq = excluded.seq, deleted_at = null
where p.seq <= excluded.seq`

const ROWS = `$1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::text[], $10::text[],
  $11::text[], $12::float8[], $13::float8[], $14::text[], $15::text[], $16::text[], $17::bigint[]`
const ROW =
  'id, idr, profile_id, service, endpoint, native_id, at, updated_at, types, guid, author, lat, lng, oembed, map, data, seq'

/** The same or a greater `seq` wins. Two accounts may have the same service user, so a row is identified by profile and id. */
export const PUT_ITEMS = `insert into tributary_items as t
  (id, idr, profile_id, service, endpoint, native_id, at, updated_at, types, guid, author, lat, lng, oembed, map, data, seq, deleted_at)
select i.id, i.idr, i.profile_id, i.service, i.endpoint, i.native_id, to_timestamp(i.at / 1000.0), to_timestamp(i.updated_at / 1000.0),
  string_to_array(i.types, ' '), string_to_array(i.guid, ' '), i.author, i.lat, i.lng, i.oembed::jsonb, i.map::jsonb, i.data::jsonb, i.seq, null
from unnest(${ROWS}) as i (${ROW})
on conflict (profile_id, id) do update set idr = excluded.idr, service = excluded.service, endpoint = excluded.endpoint,
  native_id = excluded.native_id, at = excluded.at, updated_at = excluded.updated_at, types = excluded.types, guid = excluded.guid,
  author = excluded.author, lat = excluded.lat, lng = excluded.lng, oembed = excluded.oembed, map = excluded.map, data = excluded.data,
  seq = excluded.seq, deleted_at = null
where t.seq <= excluded.seq
returning t.id`

export const PUT_PARTICIPANTS = `insert into tributary_participants (profile_id, item_id, position, participant, is_author)
select * from unnest($1::text[], $2::text[], $3::smallint[], $4::text[], $5::boolean[])`

export const DELETE_ITEMS = `update tributary_items t set deleted_at = to_timestamp(g.gone_at / 1000.0), seq = g.seq
from unnest($2::text[], $3::bigint[], $4::bigint[]) as g (id, seq, gone_at)
where t.id = g.id and t.profile_id = $1 and t.seq <= g.seq`

/** The hard variant: removes the rows. */
export const REMOVE_ITEMS = `with gone as (
  delete from tributary_items t using unnest($2::text[], $3::bigint[]) as g (id, seq)
  where t.id = g.id and t.profile_id = $1 and t.seq <= g.seq returning t.id)
delete from tributary_participants p using gone where p.profile_id = $1 and p.item_id = gone.id`

/** Rows that are missing or different, with the `seq` that they have. */
export const FIND_WRONG = `select i.id, t.seq::text as seq
from unnest(${ROWS}, $18::text[]) as i (${ROW}, people)
left join tributary_items t on t.profile_id = i.profile_id and t.id = i.id
where t.id is null or t.deleted_at is not null or
  (t.idr, t.service, t.endpoint, t.native_id, t.at, t.updated_at, t.types, t.guid, t.author, t.lat, t.lng, t.oembed, t.map, t.data, t.seq)
  is distinct from (i.idr, i.service, i.endpoint, i.native_id, to_timestamp(i.at / 1000.0), to_timestamp(i.updated_at / 1000.0),
    string_to_array(i.types, ' '), string_to_array(i.guid, ' '), i.author, i.lat, i.lng, i.oembed::jsonb, i.map::jsonb, i.data::jsonb, i.seq)
  or i.people::jsonb is distinct from (select coalesce(jsonb_agg(p.participant order by p.position), '[]') from tributary_participants p
    where p.profile_id = i.profile_id and p.item_id = i.id)`

export const FIND_EXTRA = `select id, seq::text as seq from tributary_items
where profile_id = $1 and id collate "C" > $2 and ($3::text is null or id collate "C" <= $3) and deleted_at is null and not id = any($4)`

export const REMOVE_FOUND = `with found as (
  delete from tributary_items t using unnest($2::text[], $3::bigint[]) as f (id, seq)
  where t.id = f.id and t.profile_id = $1 and t.seq = f.seq returning t.id)
delete from tributary_participants p using found where p.profile_id = $1 and p.item_id = found.id`

export const ERASE = [
  'delete from tributary_participants where profile_id = $1',
  'delete from tributary_items where profile_id = $1',
  'delete from tributary_profiles where id = $1',
]

/** The least privileges that a role needs. The app's administrator runs it once. */
export function leastPrivilegeScript(schema: string): string {
  return `create role tributary login password 'choose one' connection limit 10;
create schema if not exists ${schema} authorization tributary;
alter role tributary set search_path = ${schema};
alter role tributary set statement_timeout = '60s';
alter role tributary set lock_timeout = '10s';
alter role tributary set idle_in_transaction_session_timeout = '60s';`
}
