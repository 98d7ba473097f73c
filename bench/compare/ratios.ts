/** The ratios of all rounds: the middle one, and the quarters of them below and above it. */
export interface Spread {
  rounds: number
  median: number
  lower: number
  upper: number
}

export function spreadOf(ratios: readonly number[]): Spread {
  const sorted = ratios.toSorted((a, b) => a - b)
  return { rounds: ratios.length, median: at(sorted, 0.5), lower: at(sorted, 0.25), upper: at(sorted, 0.75) }
}

/** Between two values where the position is between them. */
function at(sorted: readonly number[], fraction: number): number {
  const position = (sorted.length - 1) * fraction
  const [below, above] = [sorted[Math.floor(position)] ?? Number.NaN, sorted[Math.ceil(position)] ?? Number.NaN]
  return below + (above - below) * (position - Math.floor(position))
}

/** Of two measurements in each round: ratios within a round, because the load of the machine changes more slowly than the rounds. */
export function ratiosOf(above: readonly number[], below: readonly number[]): number[] {
  return above.map((value, round) => value / below[round]!)
}

/** Fewer rounds can never be sure enough. */
const MIN_ROUNDS = 8
/** Less than this is not worth a word, however sure it is. */
const SMALLEST = 0.03
/** In standard deviations: two equal programs are further apart in one of eighty comparisons. */
const SURE = 2.5

export type Verdict = 'slower' | 'faster' | 'same' | 'too few rounds'

/** Of ratios new ÷ old. */
export function verdictOf(ratios: readonly number[]): Verdict {
  if (ratios.length < MIN_ROUNDS) return 'too few rounds'
  const { median } = spreadOf(ratios)
  if (Math.abs(median - 1) < SMALLEST || Math.abs(signedRank(ratios)) < SURE) return 'same'
  return median > 1 ? 'slower' : 'faster'
}

/** Wilcoxon's test: a round that says the opposite counts by how far it is from 1, compared with the others. */
function signedRank(ratios: readonly number[]): number {
  const count = ratios.length
  const byDistance = ratios.map((ratio) => Math.log(ratio)).toSorted((a, b) => Math.abs(a) - Math.abs(b))
  const above = byDistance.reduce((sum, log, index) => (log > 0 ? sum + index + 1 : sum), 0)
  return (above - (count * (count + 1)) / 4) / Math.sqrt((count * (count + 1) * (2 * count + 1)) / 24)
}
