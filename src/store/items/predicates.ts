import { ApiError } from '#model/errors.ts'
import type { ParticipantRule, Query, Selection } from '#model/query.ts'
import { typeBits } from '#model/types.ts'
import type { ReadableProfile } from './readable-profiles.ts'
import { buildSearchQuery } from './search-terms.ts'

/** Limit: values of one statement, which PostgreSQL numbers with 16 bits; a request that needs more is answered with 400. */
const MAX_VALUES = 65_535

/** Collects values while clauses are written, so that no value ever stands in the SQL. */
export class Values {
  readonly list: unknown[] = []

  add(value: unknown): string {
    if (this.list.length >= MAX_VALUES)
      throw new ApiError(
        'bad_parameter',
        'This asks for more at once than the database takes; ask for fewer profiles or rules.',
      )
    this.list.push(value)
    return `$${this.list.length}`
  }
}

const EARTH_KM = 6371.0088
/** Degrees that rounding may cost at the edge of the box. */
const MARGIN = 1e-9
/** A millimetre: what rounding may cost when nothing lies between. */
const MARGIN_KM = 1e-6

/** The items of a profile that a path and its times name: what an index gives in order. */
export function inOrder(values: Values, profile: ReadableProfile, selection: Selection, query: Query): string[] {
  return [
    `i.shard = ${values.add(profile.shard)}`,
    `i.profile_id = ${values.add(profile.profileId)}`,
    selected(values, selection),
    `i.at >= ${values.add(query.since)}`,
    `i.at <= ${values.add(query.until)}`,
    ...keysetPredicate(values, query),
  ]
}

/** What an item must be beside. */
export function matchPredicates(values: Values, profile: ReadableProfile, query: Query): string[] {
  const words = searchPredicate(values, profile, query)
  return [...(words === undefined ? [] : [words]), ...matchPredicatesBesideWords(values, profile, query)]
}

/** The same for what the index of words has given: nobody has to look at the words again. */
export function matchPredicatesBesideWords(values: Values, profile: ReadableProfile, query: Query): string[] {
  return [
    ...people(values, profile, query),
    ...(query.near === undefined ? [] : nearby(values, query.near)),
    ...exceptDuplicates(values, profile.duplicates),
  ]
}

/** Everything that makes an item of a profile part of an answer. */
export function clauses(values: Values, profile: ReadableProfile, selection: Selection, query: Query): string[] {
  return [...inOrder(values, profile, selection, query), ...matchPredicates(values, profile, query)]
}

/** What the index of words and people, or that of places, can be asked; undefined when neither helps. */
export function indexPredicate(values: Values, profile: ReadableProfile, query: Query): string[] | undefined {
  const words = searchPredicate(values, profile, query)
  // Every word begins with a scope of its profile, so that no part is asked for: an index of the part would answer that, and be slow.
  if (words !== undefined) return [words]
  if (query.near === undefined) return undefined
  const { shard, profileId } = profile
  return [`i.shard = ${values.add(shard)}`, `i.profile_id = ${values.add(profileId)}`, ...around(values, query.near)]
}

/** More than there can be; behind a select, where no planner sees how much. */
const ALL = '(select 1000000000000)'

/**
 * What fits one index, asked by itself, so that nothing else can answer it. In a large store the planner believes in thousands of
 * hits, for which it would compile the statement each time at a hundred times its price; of each limit it takes a tenth.
 */
export function indexLookup(clauses: readonly string[]): string {
  return `(select * from (select i.* from item i where ${clauses.join(' and ')} limit ${ALL}) i limit ${ALL})`
}

/** What a merge brought together twice is there once. */
export function exceptDuplicates(values: Values, duplicates: ReadableProfile['duplicates']): string[] {
  return duplicates.map(
    ({ shard, profileId }) =>
      `not exists (select 1 from item t where t.shard = ${values.add(shard)} and t.profile_id = ${values.add(profileId)} and t.id = i.id)`,
  )
}

// The number stands in the SQL itself: only then does the partial index of that type apply.
function selected(values: Values, selection: Selection): string {
  if ('endpoint' in selection) return `i.endpoint = ${values.add(selection.endpoint)}`
  return `(i.types & ${typeBits([selection.type])}) <> 0`
}

function keysetPredicate(values: Values, { before, sort }: Query): string[] {
  if (before === undefined) return []
  return [`(i.at, i.id) ${sort === 'asc' ? '>' : '<'} (${values.add(before.at)}, ${values.add(before.id)}::uuid)`]
}

/** What the index of words and people is asked; undefined when nothing of it was. */
function searchPredicate(
  values: Values,
  profile: ReadableProfile,
  { terms = [], participants }: Query,
): string | undefined {
  const [people, authors] = [idsOf('takes_part', participants, profile), idsOf('author', participants, profile)]
  if (terms.length + people.length + authors.length === 0) return undefined
  // Behind a select, so that no planner can see it: it would believe each search to be worth a plan of its own, and plan longer than it searches.
  return `i.words @@ (select ${values.add(buildSearchQuery(profile.profileId, { terms, people, authors }))}::tsquery)`
}

/** The index knows people by a hash; who they really are stands in the row. */
function people(values: Values, profile: ReadableProfile, { participants }: Query): string[] {
  const ids = idsOf('takes_part', participants, profile)
  return [
    ...(ids.length === 0 ? [] : [`i.participants @> ${values.add(ids)}::text[]`]),
    ...idsOf('author', participants, profile).map((id) => `i.author = ${values.add(id)}`),
    ...participants.flatMap((rule) =>
      rule.rule === 'at_least' ? [`cardinality(i.participants) >= ${values.add(rule.count)}`] : [],
    ),
  ]
}

function idsOf(
  wanted: 'takes_part' | 'author',
  rules: readonly ParticipantRule[],
  { owner }: ReadableProfile,
): string[] {
  return rules.flatMap((each) => (each.rule === wanted ? [each.id ?? owner] : []))
}

function nearby(values: Values, near: NonNullable<Query['near']>): string[] {
  const [lat, lng, km] = [values.add(near.lat), values.add(near.lng), values.add(near.km)]
  const haversine = `power(sin(radians(i.lat - ${lat}) / 2), 2)
    + cos(radians(${lat})) * cos(radians(i.lat)) * power(sin(radians(i.lng - ${lng}) / 2), 2)`
  return [...around(values, near), `2 * ${EARTH_KM} * asin(least(1, sqrt(${haversine}))) <= ${km} + ${MARGIN_KM}`]
}

/** A box around a circle on the sphere. It wraps at 180° and opens at the poles. */
function around(values: Values, { lat, lng, km }: NonNullable<Query['near']>): string[] {
  const reach = Math.min(180, (km / EARTH_KM) * (180 / Math.PI))
  const [south, north] = [lat - reach, lat + reach]
  const box = [`i.lat between ${values.add(south - MARGIN)} and ${values.add(north + MARGIN)}`]
  // Circles of longitude shrink towards the poles; beyond one, every longitude is in reach.
  if (Math.max(Math.abs(south), Math.abs(north)) < 90) {
    const ratio = Math.sin((reach * Math.PI) / 180) / Math.cos((lat * Math.PI) / 180)
    const span = Math.asin(Math.min(1, ratio)) * (180 / Math.PI) + MARGIN
    box.push(longitudes(values, lng - span, lng + span))
  }
  return box
}

function longitudes(values: Values, west: number, east: number): string {
  if (west < -180) return `(i.lng >= ${values.add(west + 360)} or i.lng <= ${values.add(east)})`
  if (east > 180) return `(i.lng >= ${values.add(west)} or i.lng <= ${values.add(east - 360)})`
  return `i.lng between ${values.add(west)} and ${values.add(east)}`
}
