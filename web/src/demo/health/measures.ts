import type { Item } from '@tributary-hub/client/generated/api.ts'

export interface Point {
  at: number
  value: number
}

const WEEK_MS = 7 * 86_400_000
const WEEKS = 52

/** The heading of a chart. What is counted has no unit, and sleep is read in hours. */
export const titleOf = (metric: string, unit: string) =>
  `${metric.replace(/^./, (first) => first.toUpperCase())}${unit === 'count' || unit === '' ? '' : `, ${unit === 's' ? 'hours' : unit}`}`
export const inHours = ({ at, value }: Point): Point => ({ at, value: value / 3600 })

/** Kilometres of each of the last weeks; a week without an activity counts as 0. */
export function weekly(items: readonly Pick<Item, 'at' | 'map'>[], end: number): Point[] {
  const weeks = Array.from({ length: WEEKS }, (_, index) => ({ at: end - (WEEKS - index) * WEEK_MS, value: 0 }))
  for (const { at, map } of items) {
    const week = weeks[WEEKS - 1 - Math.floor((end - at) / WEEK_MS)]
    if (week !== undefined) week.value += (map?.meters ?? 0) / 1000
  }
  return weeks
}

/** What a chart shows, for those who do not see it. */
export function sentenceOf(title: string, points: readonly Point[]): string {
  const values = points.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(1))
  return `${title}: ${points.length} values from ${low} to ${high}, the latest ${values.at(-1)?.toFixed(1)}`
}
