import type { Overview } from '@tributary-hub/client/generated/api.ts'
import { useMemo } from 'react'
import { formatCount } from '../../../ui/amounts.ts'
import { Chart } from '../../../ui/chart.tsx'
import { useAddress } from '../../address.ts'
import { overviewSearch } from '../../search.ts'
import { lastDay } from './figures.ts'

/** Items per hour of the last 24 hours, or of seven days. */
export function ItemsChart({ hours }: { hours: Overview['items_per_hour'] }) {
  const [{ period }, change] = useAddress(overviewSearch)
  const isWeek = period === '7d'
  const shown = useMemo(() => (isWeek ? hours : lastDay(hours)), [hours, isWeek])
  const times = useMemo(() => shown.map(({ at }) => at), [shown])
  const series = useMemo(
    () => [
      { label: 'Added', color: '--brand', values: shown.map(({ added }) => added) },
      { label: 'Updated', color: '--good', values: shown.map(({ updated }) => updated) },
    ],
    [shown],
  )
  const sum = shown.reduce((total, { added, updated }) => total + added + updated, 0)
  const busiest = shown.reduce((most, { added, updated }) => Math.max(most, added + updated), 0)
  const span = isWeek ? 'the last seven days' : 'the last 24 hours'
  return (
    <section className="card" aria-labelledby="items-per-hour">
      <div className="row apart">
        <h2 id="items-per-hour">Items per hour</h2>
        <div className="overview-scope" role="group" aria-label="Period">
          <button
            type="button"
            className="quiet"
            aria-pressed={!isWeek}
            onClick={() => change({ period: undefined }, { replace: true })}
          >
            24 hours
          </button>
          <button
            type="button"
            className="quiet"
            aria-pressed={isWeek}
            onClick={() => change({ period: '7d' }, { replace: true })}
          >
            7 days
          </button>
        </div>
      </div>
      <Chart
        label={`Items per hour in ${span}: ${formatCount(sum)} in all, at most ${formatCount(busiest)} in an hour.`}
        times={times}
        series={series}
      />
    </section>
  )
}
