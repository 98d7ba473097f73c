import { ApiError } from '#model/errors.ts'
import type { ItemKey, ParticipantRule, Query, Selection } from '#model/items/query.ts'
import { typeBits } from '#model/items/types.ts'
import type { ReadableProfile } from '../identity/readable-profiles.ts'
import { hashOf, PLACES, unestimated } from './key-index.ts'
import { buildExclusion, buildSearchQuery } from './search-terms.ts'

/** Limit: values of one statement, which PostgreSQL numbers with 16 bits; a request that needs more gets 400. */
const MAX_VALUES = 65_535

/** Collects the values of a composed statement; the text holds only their placeholders. */
export class Values {
  readonly list: unknown[] = []
  /** The statement names its shard also where a plain server finds rows faster without. Matters only to searches for words. */
  readonly isSharded: boolean

  constructor(isSharded = false) {
    this.isSharded = isSharded
  }

  add(value: unknown): string {
    if (this.list.length >= MAX_VALUES)
      throw new ApiError(
        'bad_parameter',
        'This request needs more values than one database statement can have. Ask for fewer profiles or rules.',
      )
    this.list.push(value)
    return `$${this.list.length}`
  }
}

/** Which items of a profile are wanted, as predicates on `i`. */
export interface Match {
  where: readonly string[]
  /** What one index looks up first. */
  lookup?: readonly string[] | undefined
}

const EARTH_KM = 6371.0088
/** Tolerance for rounding at the edges of the box. */
const MARGIN_DEGREES = 1e-9
/** Tolerance for rounding of distances: a millimetre. */
const MARGIN_KM = 1e-6

/** Predicates of the ordered scan of a profile: endpoint or type, and time. An index returns them in reading order. */
export function scanPredicates(values: Values, profile: ReadableProfile, selection: Selection, query: Query): string[] {
  return [
    selectionPredicate(values, profile.selection ?? selection),
    `i.at >= ${values.add(query.since)}`,
    `i.at <= ${values.add(query.until)}`,
    ...keysetPredicate(values, query),
  ]
}

/** Predicates that the ordered scan does not cover. */
export function matchPredicates(values: Values, profile: ReadableProfile, query: Query): string[] {
  const search = searchPredicate(values, profile, query)
  return [...(search === undefined ? [] : [search]), ...matchPredicatesWithoutSearch(values, profile, query)]
}

/** Like `matchPredicates`, for rows that the search index returned, which need no second comparison of words. */
export function matchPredicatesWithoutSearch(values: Values, profile: ReadableProfile, query: Query): string[] {
  return [
    ...exclusionPredicates(values, profile, query),
    ...participantPredicates(values, profile, query),
    ...(query.near === undefined ? [] : distancePredicates(values, query.near)),
    ...(query.updatedSince === undefined ? [] : [`i.updated_at >= ${values.add(query.updatedSince)}`]),
    ...(query.link === undefined ? [] : [`i.guid && ${values.add(query.link)}::text[]`]),
  ]
}

/** All predicates that select a profile's items for a query. */
export function allPredicates(values: Values, profile: ReadableProfile, selection: Selection, query: Query): string[] {
  return [...scanPredicates(values, profile, selection, query), ...matchPredicates(values, profile, query)]
}

/** What the index of words and people, of keys, of places, or of changes can look up; undefined when none applies. */
export function indexPredicate(values: Values, profile: ReadableProfile, query: Query): string[] | undefined {
  const search = searchPredicate(values, profile, query)
  if (search !== undefined) return [...shardOfWords(values, profile), search]
  const { near, updatedSince, link } = query
  if (near === undefined && updatedSince === undefined && link === undefined) return undefined
  const [shard, profileId] = [values.add(profile.shard), values.add(profile.profileId)]
  const own = [`i.shard = ${shard}`, `i.profile_id = ${profileId}`]
  if (link !== undefined) return [...own, keyPredicate(values, shard, profileId, link)]
  return [
    ...own,
    ...(near === undefined ? changedPredicates(values, shard, profileId, updatedSince!) : boxPredicates(values, near)),
  ]
}

/**
 * Indexed words start with a scope of their profile, so the shard adds nothing. On a plain server the planner would combine a
 * second index with that of the words, which takes longer; a sharded server would ask every node without it.
 */
export function shardOfWords(values: Values, { shard }: ReadableProfile): string[] {
  return values.isSharded ? [`i.shard = ${values.add(shard)}`] : []
}

/** Items with one of these dedupe keys. One subquery for each index, so that the planner uses them and nothing else. */
function keyPredicate(values: Values, shard: string, profileId: string, dedupeKeys: readonly string[]): string {
  const list = unestimated(`${values.add(dedupeKeys)}::text[]`)
  const found = PLACES.map(
    (place) => `select k.id from item k where k.shard = ${shard} and k.profile_id = ${profileId}
      and k.guid[${place}] is not null and ${hashOf(`k.guid[${place}]`, 'k.profile_id')}
        = any(array(select ${hashOf('wanted', profileId)} from unnest(${list}) wanted))`,
  )
  return `i.id = any(array(${found.join(' union all ')}))`
}

/** By how much the clocks of processes that write items of one profile may differ. */
const CLOCK_TOLERANCE_MS = 60 * 60_000

/** Seqs and times grow together, so the newest change before a time gives the seq from which the later ones follow. */
function changedPredicates(values: Values, shard: string, profileId: string, sinceMs: number): string[] {
  const before = values.add(sinceMs - CLOCK_TOLERANCE_MS)
  return [
    `i.seq > coalesce((select c.seq from item c where c.shard = ${shard} and c.profile_id = ${profileId}
      and c.updated_at < ${before} order by c.seq desc limit 1), -1)`,
  ]
}

// The type's bit is a literal in the SQL: the partial index of that type applies only then.
export function selectionPredicate(values: Values, selection: Selection): string {
  if ('endpoint' in selection) return `i.endpoint = ${values.add(selection.endpoint)}`
  return `(i.types & ${typeBits([selection.type])}) <> 0`
}

function keysetPredicate(values: Values, { before, through, sort }: Query): string[] {
  const compare = (operator: string, { at, id }: ItemKey) =>
    `(i.at, i.id) ${operator} (${values.add(at)}, ${values.add(id)}::uuid)`
  return [
    ...(before === undefined ? [] : [compare(sort === 'asc' ? '>' : '<', before)]),
    ...(through === undefined ? [] : [compare(sort === 'asc' ? '<=' : '>=', through)]),
  ]
}

/** No word is asked for: the index of words has nothing to look up. */
function isOnlyExcluding({ terms = [] }: Pick<Query, 'terms'>): boolean {
  return terms.every(({ isUnwanted }) => isUnwanted)
}

/** Negated outside of the search: the index would answer by reading all entries of all people. */
function exclusionPredicates(values: Values, { profileId }: ReadableProfile, { terms = [] }: Query): string[] {
  if (terms.length === 0 || !isOnlyExcluding({ terms })) return []
  return [`not (i.words @@ (select ${values.add(buildExclusion(profileId, terms))}::tsquery))`]
}

/** Lookup in the index of words and people; undefined when the query has neither. */
function searchPredicate(
  values: Values,
  profile: ReadableProfile,
  { terms = [], participants }: Query,
): string | undefined {
  const [people, authors] = [idsOf('takes_part', participants, profile), idsOf('author', participants, profile)]
  const anyOf = participants.flatMap((rule) => usersOf(rule, profile) ?? [])
  if (isOnlyExcluding({ terms }) && people.length + authors.length + anyOf.length === 0) return undefined
  // In a subquery, hidden from the planner, which would otherwise choose a custom plan every time and take longer to
  // plan than to search.
  return `i.words @@ (select ${values.add(buildSearchQuery(profile.profileId, { terms: isOnlyExcluding({ terms }) ? [] : terms, people, authors, anyOf }))}::tsquery)`
}

/** The index knows people by a hash only; these compare their ids in the row. */
function participantPredicates(values: Values, profile: ReadableProfile, { participants }: Query): string[] {
  const ids = idsOf('takes_part', participants, profile)
  return [
    ...(ids.length === 0 ? [] : [`i.participants @> ${values.add(ids)}::text[]`]),
    ...idsOf('author', participants, profile).map((id) => `i.author = ${values.add(id)}`),
    ...participants.flatMap((rule) =>
      rule.rule === 'at_least' ? [`cardinality(i.participants) >= ${values.add(rule.count)}`] : [],
    ),
    ...participants
      .map((rule) => usersOf(rule, profile))
      .filter((users) => users !== undefined)
      .map((users) => `i.participants && ${values.add(users)}::text[]`),
  ]
}

/** The users of the profile's service that a rule names as one person; undefined for other rules. */
function usersOf(rule: ParticipantRule, { service }: ReadableProfile): readonly string[] | undefined {
  return rule.rule === 'any_of' ? (rule.users.get(service) ?? []) : undefined
}

function idsOf(kind: 'takes_part' | 'author', rules: readonly ParticipantRule[], { owner }: ReadableProfile): string[] {
  return rules.flatMap((each) => (each.rule === kind ? [each.id ?? owner] : []))
}

function distancePredicates(values: Values, near: NonNullable<Query['near']>): string[] {
  const [lat, lng, km] = [values.add(near.lat), values.add(near.lng), values.add(near.km)]
  const haversine = `power(sin(radians(i.lat - ${lat}) / 2), 2)
    + cos(radians(${lat})) * cos(radians(i.lat)) * power(sin(radians(i.lng - ${lng}) / 2), 2)`
  return [
    ...boxPredicates(values, near),
    `2 * ${EARTH_KM} * asin(least(1, sqrt(${haversine}))) <= ${km} + ${MARGIN_KM}`,
  ]
}

/** The bounding box of a circle on the sphere. It wraps at 180° and is open at the poles. */
function boxPredicates(values: Values, { lat, lng, km }: NonNullable<Query['near']>): string[] {
  const radius = Math.min(180, (km / EARTH_KM) * (180 / Math.PI))
  const [south, north] = [lat - radius, lat + radius]
  const box = [`i.lat between ${values.add(south - MARGIN_DEGREES)} and ${values.add(north + MARGIN_DEGREES)}`]
  // Degrees of longitude get shorter towards the poles; a circle around a pole covers every longitude.
  if (Math.max(Math.abs(south), Math.abs(north)) < 90) {
    const ratio = Math.sin((radius * Math.PI) / 180) / Math.cos((lat * Math.PI) / 180)
    const span = Math.asin(Math.min(1, ratio)) * (180 / Math.PI) + MARGIN_DEGREES
    box.push(longitudePredicate(values, lng - span, lng + span))
  }
  return box
}

function longitudePredicate(values: Values, west: number, east: number): string {
  if (west < -180) return `(i.lng >= ${values.add(west + 360)} or i.lng <= ${values.add(east)})`
  if (east > 180) return `(i.lng >= ${values.add(west)} or i.lng <= ${values.add(east - 360)})`
  return `i.lng between ${values.add(west)} and ${values.add(east)}`
}
