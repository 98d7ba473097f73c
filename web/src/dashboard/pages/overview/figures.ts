import type { Overview } from '@tributary-hub/client/generated/api.ts'

const DAY_HOURS = 24

const sum = (values: number[]): number => values.reduce((total, each) => total + each, 0)

/** The figures of the tiles. */
export function figuresOf({
  profiles,
  items_per_hour: hours,
  push,
}: Pick<Overview, 'profiles' | 'items_per_hour'> & { push: Pick<Overview['push'][number], 'lag_ms' | 'behind'>[] }) {
  const day = lastDay(hours)
  return {
    total: sum(profiles.map(({ n }) => n)),
    active: countOf(profiles, 'active'),
    added: sum(day.map(({ added }) => added)),
    updated: sum(day.map(({ updated }) => updated)),
    pushLag: Math.max(0, ...push.map(({ lag_ms: ms }) => ms)),
    behind: sum(push.map(({ behind }) => behind)),
  }
}

export const lastDay = <T>(hours: readonly T[]): T[] => hours.slice(-DAY_HOURS)

/** How many profiles are in a state, at all services. */
const countOf = (profiles: Overview['profiles'], state: string): number =>
  sum(profiles.filter((each) => each.state === state).map(({ n }) => n))

/** In the order in which a bar shows them. */
const STATES = ['active', 'connecting', 'limited', 'paused', 'needs_auth']
/** Of the whole bar. */
export const WIDTH = 1000

/** The states that occur, each with its part of a bar. */
export function partsOf(profiles: Overview['profiles']): { state: string; n: number; x: number; width: number }[] {
  const counts = STATES.map((state) => ({ state, n: countOf(profiles, state) })).filter(({ n }) => n > 0)
  const total = sum(counts.map(({ n }) => n))
  return counts.map(({ state, n }, index) => ({
    state,
    n,
    x: (sum(counts.slice(0, index).map((each) => each.n)) / total) * WIDTH,
    width: (n / total) * WIDTH,
  }))
}
