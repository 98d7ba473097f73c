import { byteaArray, textArray, uuidArray } from '#platform/postgres/binary-arrays.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import { FIRST_ITEM_ID, hexId } from '../keys/item-ids.ts'
import type { ProfileKey } from '../keys/profile-key.ts'
import { buildSearchVector, type SearchableItem } from './search-terms.ts'

/** A profile whose items an older version of the readers has read. */
export interface OutdatedProfile extends ProfileKey {
  service: string
  version: number
}

/** The lease for the next page of a profile. */
export interface RereadLease extends ProfileKey {
  /** The end of the lease; also its fencing token. */
  untilMs: number
  /** Attempts at this page, including this one. */
  attempts: number
  /** Whose records they are: the service user, or the account of own items. */
  owner: string
}

/** An item with everything that was derived from its record. */
export interface StoredItem {
  id: string
  endpoint: string
  nativeId: string
  at: number
  hash: Buffer
  types: number
  author: string | undefined
  participants: string[]
  guid: string[]
  lat: number | undefined
  lng: number | undefined
  oembed: string
  cards: string | undefined
  data: string
}

const findOutdated = statement(
  'reread-find',
  `select p.shard, p.profile_id, p.service, wanted.version
   from unnest($services::text[], $versions::int[]) as wanted (service, version), lateral (
     select shard, profile_id, service from profile_sync
     where service = wanted.service and reader_version < wanted.version and reread_until <= $nowMs
     order by reader_version, shard, profile_id limit $limit) p`,
)
// On a sharded server, where a lateral join over several shards is not possible.
const findOutdatedOf = statement(
  'reread-find-of-service',
  `select shard, profile_id, service, $version::int as version from profile_sync
   where service = $service and reader_version < $version::int and reread_until <= $nowMs
   order by reader_version, shard, profile_id limit $limit`,
)
// Which services to ask for at all. The sub-selects hide their number: with many, the planner would rather read all profiles.
const findOutdatedServices = statement(
  'reread-services',
  `select distinct wanted.service, wanted.version
   from unnest((select $services::text[]), (select $versions::int[])) as wanted (service, version)
   join profile_sync p on p.service = wanted.service and p.reader_version < wanted.version
   where p.reread_until <= $nowMs`,
)
const takeLease = statement(
  'reread-take',
  `update profile_sync s set reread_until = $untilMs, reread_attempts = reread_attempts + 1
   from profile p
   where s.shard = $shard and s.profile_id = $profileId and s.reader_version < $version and s.reread_until <= $nowMs
     and p.shard = $shard and p.id = $profileId
   returning s.reread_attempts as attempts, p.native_id as owner`,
)
// Until the transaction ends, no sync and no request for own items changes an item of this profile.
const lockLeased = statement(
  'reread-lock',
  `select reread_after from profile_sync
   where shard = $shard and profile_id = $profileId and reread_until = $untilMs for update`,
)
// The first item is always returned, however large; the others only while they fit.
const listAfter = statement(
  'reread-items',
  `select ${hexId('id')} as id, endpoint, native_id, at, hash, types, author, participants, guid, lat, lng,
     oembed::text as oembed, cards::text as cards, data::text as data
   from (
     select *, sum(octet_length(data::text)) over (order by id rows unbounded preceding) as bytes,
       row_number() over (order by id) as n
     from (
       select * from item where shard = $shard and profile_id = $profileId and id > $afterId::uuid
       order by id limit $maxRows) next) sized
   where bytes <= $maxBytes or n = 1 order by id`,
)
const storeWords = statement(
  'reread-words',
  `update item i set hash = n.hash, words = n.words::tsvector
   from unnest($ids::uuid[], $hashes::bytea[], $words::text[]) as n (id, hash, words)
   where i.shard = $shard and i.profile_id = $profileId and i.id = n.id`,
)
const storePosition = statement(
  'reread-position',
  `update profile_sync set seq = seq + $count, reread_attempts = $attempts, reread_after = $afterId::uuid,
     reread_until = 0, reader_version = coalesce($doneVersion::int, reader_version)
   where shard = $shard and profile_id = $profileId returning seq`,
)
const countOutdated = statement(
  'reread-count',
  `select count(*)::int as n from profile_sync s
   join unnest($services::text[], $versions::int[]) as wanted (service, version)
     on s.service = wanted.service and s.reader_version < wanted.version`,
)

/** Profiles with items to read again, which no process works on. At most `limit` of each service. */
export async function outdatedProfiles(
  queries: Queries,
  current: readonly { service: string; version: number }[],
  limit: number,
  nowMs: number,
): Promise<OutdatedProfile[]> {
  const rows: { shard: number; profile_id: string; service: string; version: number }[] = []
  if (await isSharded(queries)) {
    const outdated = findOutdatedServices.with({ ...columnsOf(current), nowMs })
    for (const { service, version } of await queries.rows<{ service: string; version: number }>(outdated))
      rows.push(...(await queries.rows<(typeof rows)[number]>(findOutdatedOf.with({ service, version, limit, nowMs }))))
  } else
    rows.push(
      ...(await queries.rows<(typeof rows)[number]>(findOutdated.with({ ...columnsOf(current), limit, nowMs }))),
    )
  return rows.map(({ profile_id, ...row }) => ({ ...row, profileId: profile_id }))
}

export async function countOutdatedProfiles(
  queries: Queries,
  current: readonly { service: string; version: number }[],
): Promise<number> {
  return (await queries.rows<{ n: number }>(countOutdated.with(columnsOf(current))))[0]?.n ?? 0
}

function columnsOf(current: readonly { service: string; version: number }[]) {
  return { services: current.map(({ service }) => service), versions: current.map(({ version }) => version) }
}

/** Undefined when another process has the lease, or nothing is left to do. */
export async function takeRereadLease(
  queries: Queries,
  { shard, profileId, version }: OutdatedProfile,
  nowMs: number,
  untilMs: number,
): Promise<RereadLease | undefined> {
  const [row] = await queries.rows<{ attempts: number; owner: string }>(
    takeLease.with({ shard, profileId, version, nowMs, untilMs }),
  )
  return row && { shard, profileId, untilMs, ...row }
}

/** Locks the profile and returns the next items; undefined when the lease was lost or the profile deleted. */
export async function nextStoredItems(
  tx: Queries,
  { shard, profileId, untilMs }: RereadLease,
  limits: { rows: number; bytes: number },
): Promise<StoredItem[] | undefined> {
  const [position] = await tx.rows<{ reread_after: string | null }>(lockLeased.with({ shard, profileId, untilMs }))
  if (position === undefined) return undefined
  const afterId = position.reread_after ?? FIRST_ITEM_ID
  const rows = await tx.rows<StoredRow>(
    listAfter.with({ shard, profileId, afterId, maxRows: limits.rows, maxBytes: limits.bytes }),
  )
  return rows.map(toStored)
}

/** Stores new words and hashes of items that show nothing else than before; this is not a change. */
export async function storeSearchWords(
  tx: Queries,
  { shard, profileId }: ProfileKey,
  items: (SearchableItem & { id: string; hash: Buffer })[],
): Promise<void> {
  if (items.length === 0) return
  await tx.count(
    storeWords.with({
      shard,
      profileId,
      ids: uuidArray(items.map(({ id }) => id)),
      hashes: byteaArray(items.map(({ hash }) => hash)),
      words: textArray(items.map((item) => buildSearchVector(profileId, item))),
    }),
  )
}

/** Stores how far the profile is and assigns `count` seqs. Returns the last. */
export async function storeRereadPosition(
  tx: Queries,
  { shard, profileId }: ProfileKey,
  position: { count: number; afterId: string | null; attempts: number; doneVersion: number | null },
): Promise<number> {
  const [row] = await tx.rows<{ seq: number }>(storePosition.with({ shard, profileId, ...position }))
  return row?.seq ?? 0
}

interface StoredRow extends Omit<StoredItem, 'nativeId' | 'author' | 'lat' | 'lng' | 'cards'> {
  native_id: string
  author: string | null
  lat: number | null
  lng: number | null
  cards: string | null
}

function toStored({ native_id, author, lat, lng, cards, ...row }: StoredRow): StoredItem {
  return {
    ...row,
    nativeId: native_id,
    author: author ?? undefined,
    lat: lat ?? undefined,
    lng: lng ?? undefined,
    cards: cards ?? undefined,
  }
}
