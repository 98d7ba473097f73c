import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { app as asApp, request } from '../../../api/core.ts'
import { formatCount } from '../../../ui/amounts.ts'
import { Chart } from '../../../ui/chart.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { useAddress } from '../../address.ts'
import { destinationSearch } from '../../search.ts'
import { type Periods, seriesOf } from './history-series.ts'
import { lagText } from './lag-text.ts'

const SPANS = [
  { name: 'hour', title: 'Hour', ms: 3_600_000, step: 60_000 },
  { name: 'day', title: 'Day', ms: 86_400_000, step: 900_000 },
  { name: 'week', title: 'Week', ms: 7 * 86_400_000, step: 7_200_000 },
] as const
const REFRESH_MS = 10_000

/** Lag and throughput over time. */
export function History({ app, id, lagMs }: { app: string; id: string; lagMs: number }) {
  const [{ span: chosen = 'day' }, change] = useAddress(destinationSearch)
  const span = SPANS.find(({ name }) => name === chosen) ?? SPANS[1]
  // Rounded, so that the same request is asked for again and not a new one at every drawing.
  const since = Math.floor((Date.now() - span.ms) / span.step) * span.step
  const history = useQuery({
    ...request(asApp(app), 'GET /push/{id}/history', { path: { id }, query: { since, step: span.step } }),
    refetchInterval: REFRESH_MS,
    // With each new period begins another request.
    placeholderData: keepPreviousData,
  })
  return (
    <section className="card stack" aria-label="History">
      <Tabs
        label="Time"
        tabs={SPANS}
        current={span.name}
        onChoose={(name) => change({ span: name === 'day' ? undefined : name })}
      />
      <QueryView query={history}>
        {(periods) => <Charts periods={periods} since={since} step={span.step} lagMs={lagMs} />}
      </QueryView>
    </section>
  )
}

function Charts({ periods, since, step, lagMs }: { periods: Periods; since: number; step: number; lagMs: number }) {
  const { times, lag, rows } = useMemo(
    () => seriesOf(periods, { since, step, now: Date.now() }),
    [periods, since, step],
  )
  const delivered = periods.reduce((sum, each) => sum + each.rows, 0)
  const failed = periods.reduce((sum, each) => sum + each.failed, 0)
  const worst = Math.max(0, ...periods.map((each) => each.lag_ms ?? 0))
  return (
    <div className="push-charts">
      <div>
        <h2>Lag in seconds</h2>
        <Chart label={`Lag over time: at most ${lagText(worst)}, now ${lagText(lagMs)}`} times={times} series={lag} />
        <p className="soft">
          Age of the oldest change when it was delivered: at most {lagText(worst)}. A backfill counts with the age of
          its changes.
        </p>
      </div>
      <div>
        <h2>Rows delivered</h2>
        <Chart
          label={`Rows over time: ${delivered} delivered, ${failed} attempts failed`}
          times={times}
          series={rows}
        />
        <p className="soft">
          {formatCount(delivered)} rows, {formatCount(failed)} failed attempts.
        </p>
      </div>
    </div>
  )
}
