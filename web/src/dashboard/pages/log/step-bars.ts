interface Step {
  at: number
  ms: number
}

export interface Range {
  from: number
  to: number
}

/** Of the whole bar. */
export const WIDTH = 1000
/** What took no time is shown nevertheless. */
const MIN_WIDTH = 4

/** From the beginning of the first step to the end of the last one. */
export function rangeOf(steps: readonly (Step & { steps: readonly Step[] })[]): Range {
  const all = steps.flatMap((step) => [step, ...step.steps])
  return {
    from: Math.min(...all.map(({ at }) => at)),
    to: Math.max(...all.map(({ at, ms }) => at + ms)),
  }
}

/** When a step ran within the whole operation. */
export function barOf({ at, ms }: Step, { from, to }: Range): { x: number; width: number } {
  const span = Math.max(1, to - from)
  const width = Math.max(MIN_WIDTH, (ms / span) * WIDTH)
  return { x: Math.min(WIDTH - width, ((at - from) / span) * WIDTH), width }
}
