import type { ResponseOf } from '@tributary-hub/client/core.ts'
import type { Series } from '../../../ui/chart.tsx'

export type Periods = ResponseOf<'GET /push/{id}/history'>

/** A point for each period; periods without deliveries are zero rows and no lag. */
export function seriesOf(
  periods: Periods,
  { since, step, now }: { since: number; step: number; now: number },
): { times: number[]; lag: Series[]; rows: Series[] } {
  const byTime = new Map(periods.map((each) => [each.at, each]))
  const times: number[] = []
  for (let at = since; at <= now; at += step) times.push(at)
  const found = times.map((at) => byTime.get(at))
  return {
    times,
    lag: [
      {
        label: 'Lag',
        color: '--warn',
        values: found.map((each) => (each?.lag_ms === undefined ? null : each.lag_ms / 1000)),
      },
    ],
    rows: [
      { label: 'Rows', color: '--brand', values: found.map((each) => each?.rows ?? 0) },
      { label: 'Failed attempts', color: '--bad', values: found.map((each) => each?.failed ?? 0) },
    ],
  }
}
