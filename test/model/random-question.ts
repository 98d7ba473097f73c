import { ASKED } from './asked.ts'
import { kilometres, type Place } from './distance.ts'
import { type Known, TYPES } from './known-item.ts'
import { pathsIn } from './pick-fields.ts'
import { nameOf, type Question } from './question.ts'
import type { Random } from './random.ts'
import { isUnspaced, spellings, type Term } from './words.ts'

const KM = [0.001, 0.5, 3, 10, 250, 5000, 20_100]
const MISSING_PATHS = ['nothing', 'data.nothing.deeper', 'map.nothing', 'id.deeper', 'data.id.deeper', 'oembed.title']

/** A question about what the account has, so that most find something. */
export function randomQuestion(random: Random, items: readonly Known[]): Question {
  const sample = random.pick(items)
  const other = random.pick(items)
  const maybe = <Value>(share: number, make: () => Value) => (random.chance(share) ? make() : undefined)
  const of = randomList(random, sample)
  const fields = maybe(0.3, () => randomFields(random, sample, 'type' in of))
  const near = maybe(sample.place === undefined ? 0.05 : 0.3, () => randomPlace(random, sample, items))
  // Most times keep the sample, some are just beyond it.
  const moment = (share: number, towards: 1 | -1) =>
    maybe(
      share,
      () => (random.chance(0.2) ? other.at : sample.at) + towards * random.pick([-1, 0, 0, 0, 1, 86_400_000]),
    )
  return {
    of,
    limit: maybe(0.75, () => random.pick([0, 1, 2, 3, 5, 7, 11, 20, 50, 200, 1000, 1_000_000])),
    since: random.chance(sample.at < 0 ? 0.7 : 0.1) ? -8.64e15 : moment(0.2, -1),
    until: random.chance(sample.at > 1_795_000_000_000 ? 0.8 : 0.1) ? 8.64e15 : moment(0.2, 1),
    updatedSince: maybe(0.1, () => random.pick([sample, sample, other]).updated + random.pick([-1, 0, 0, 1])),
    sort: maybe(0.5, () => random.pick(['asc', 'desc'] as const)),
    terms: random.chance(0.3) ? randomTerms(random, sample, other) : [],
    people: random.chance(0.2) ? randomPeople(random, sample) : [],
    near,
    within: near && safeRadius(random, near, items),
    services: 'type' in of ? maybe(0.2, () => randomServices(random, sample, other)) : undefined,
    fields,
    dedup: ASKED.dedup && random.chance(0.2),
    map: fields === undefined ? random.chance(0.3) : random.chance(0.1),
    count: random.chance(0.6),
  }
}

function randomList(random: Random, { service, owner, endpoint, listed }: Known): Question['of'] {
  if (listed.length > 0 && random.chance(0.55)) return { type: random.pick(listed) }
  if (random.chance(0.1)) return { type: random.pick([...TYPES, 'all', 'all_feed']) }
  return { service, owner: service === 'self' || random.chance(0.6) ? undefined : owner, endpoint }
}

function randomFields(random: Random, { data, map, oembed, types }: Known, hasCards: boolean): string[] {
  // Without the switch, below `map` only what an item always has.
  const ofMap = ASKED.missingFields ? pathsIn(map, ['map']) : ['map', 'map.oembed.provider_name']
  const ofCard = hasCards ? pathsIn(oembed, ['oembed']) : []
  const paths = [
    'id',
    'idr',
    'at',
    'updated',
    'guid',
    'data',
    'types',
    ...pathsIn(types, ['types']),
    ...pathsIn(data, ['data']),
  ]
  const missing = ASKED.missingFields
    ? MISSING_PATHS
    : MISSING_PATHS.filter((path) => hasCards || !path.startsWith('oembed'))
  const all = [...paths, ...ofMap, ...ofMap, ...ofCard, ...missing]
  return [...new Set(Array.from({ length: 1 + random.below(5) }, () => random.pick(all)))]
}

function randomTerms(random: Random, sample: Known, other: Known): Term[] {
  const terms: Term[] = []
  for (let n = random.pick([1, 1, 1, 2, 3]); n > 0; n -= 1) {
    const words = random.pick([sample, sample, sample, sample, other]).texts
    if (words.length === 0) continue
    const text = random.pick(words)
    if (text.length === 0) continue
    const from = random.below(text.length)
    const isQuoted = random.chance(0.25) && !isUnspaced(text[from]!)
    const length = isQuoted ? 1 + random.below(3) : 1
    let chosen = text.slice(from, from + length).map((word) => oneSpelling(random, word))
    if (isQuoted && chosen.some(isUnspaced)) chosen = chosen.slice(0, 1)
    if (isUnspaced(chosen[0]!)) chosen = [chosen[0]!, ...unspacedRun(text, from + 1)].slice(0, 1 + random.below(3))
    const isLetters = /^\p{sc=Latin}+$/u.test(chosen[0]!)
    const isPrefix = !isQuoted && isLetters && chosen[0]!.length > 2 && random.chance(0.2)
    if (isPrefix) chosen = [chosen[0]!.slice(0, 1 + random.below(chosen[0]!.length - 1))]
    const written = chosen.map((word) => respell(random, word)).join(isQuoted ? ' ' : '')
    terms.push({ words: chosen, written, isExcluded: false, isPrefix, isQuoted })
  }
  // Only the last term of a search may be a prefix.
  const ordered = terms.map((term, i) => (i < terms.length - 1 ? { ...term, isPrefix: false } : term))
  if ((ASKED.symbols || ordered.length > 0) && random.chance(0.2))
    ordered.unshift(without(random.pick(['the', 'and', 'never', 'line', 'вечер'])))
  return ordered
}

const without = (word: string): Term => ({
  words: [word],
  written: word,
  isExcluded: true,
  isPrefix: false,
  isQuoted: false,
})

function oneSpelling(random: Random, word: string): string {
  const all = spellings(word)
  return all.length === 1 ? word : random.pick(all)
}

function unspacedRun(text: readonly string[], from: number): string[] {
  const rest = text.slice(from)
  const end = rest.findIndex((word) => !isUnspaced(word))
  return end === -1 ? rest : rest.slice(0, end)
}

/** Case is ignored. */
function respell(random: Random, word: string): string {
  return random.chance(0.3) && /^[a-zа-я]+$/.test(word) ? word.toUpperCase() : word
}

function randomPeople(random: Random, { people, owner }: Known): string[] {
  const someone = () => (people.length === 0 ? owner : random.pick(people))
  const token = () =>
    random.pick([
      'self',
      '^self',
      `>${1 + random.below(16)}`,
      someone(),
      someone(),
      someone(),
      `^${someone()}`,
      'nobody',
    ])
  return Array.from({ length: 1 + random.below(3) }, token).filter((one) => !one.includes(','))
}

function randomServices(random: Random, sample: Known, other: Known): string[] {
  const name = ({ service, owner }: Known) =>
    service === 'self' || random.chance(0.5) ? service : nameOf({ service, owner })
  return [name(sample), name(other), 'github'].slice(0, 1 + random.below(3))
}

function randomPlace(random: Random, sample: Known, items: readonly Known[]): Place {
  if (random.chance(0.2))
    return random.pick([
      [90, 0],
      [-90, 10],
      [0, 180],
      [0, -180],
      [0, 0],
    ] as const)
  const [lat, lng] = sample.place ?? random.pick(items.filter(({ place }) => place !== undefined)).place!
  return random.chance(0.5) ? [lat, lng] : [Math.max(-90, lat - random.pick([0, 0.01, 1])), lng]
}

/** A radius at whose edge nothing lies: rounding must not decide. Undefined for the default where that is safe. */
function safeRadius(random: Random, near: Place, items: readonly Known[]): number | undefined {
  const distances = items.flatMap(({ place }) => (place === undefined ? [] : [kilometres(place, near)]))
  const isSafe = (km: number) => distances.every((each) => Math.abs(each - km) > 1e-5 * km + 1e-6)
  if (random.chance(0.3) && isSafe(10)) return undefined
  let km = random.pick(KM)
  while (!isSafe(km)) km *= 1.0137
  return km
}
