import type { Item } from '@tributary-hub/client/generated/api.ts'
import { lazy, Suspense, useContext, useMemo, useState } from 'react'
import type { Series } from '../../ui/chart.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Panel } from '../panel.tsx'
import type { Recorder } from '../requests/recorder.ts'
import { listItems } from '../requests/sdk-calls.ts'
import { useCall, useRecorder } from '../requests/use-call.ts'
import { SessionContext } from '../session-context.ts'
import './health.css'

const Chart = lazy(async () => ({ default: (await import('../../ui/chart.tsx')).Chart }))

const METRICS = ['resting heart rate', 'weight', 'sleep', 'steps', 'body temperature']
const WEEK_MS = 7 * 86_400_000
const WEEKS = 52

/** Heart rate and the other measures, and the distance of each week. */
export function Health() {
  const recorder = useRecorder()
  const [metric, setMetric] = useState(METRICS[0]!)
  return (
    <Panel
      title="Health"
      name="health"
      recorder={recorder}
      actions={
        <select aria-label="Measure" value={metric} onChange={(event) => setMetric(event.target.value)}>
          {METRICS.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      }
    >
      <div className="health">
        <Measures recorder={recorder} metric={metric} />
        <Distances recorder={recorder} />
      </div>
    </Panel>
  )
}

function Measures({ recorder, metric }: { recorder: Recorder; metric: string }) {
  const { until } = useContext(SessionContext)
  const query = { q: `"${metric}"`, limit: 500, sort: 'asc', select: 'at,map', until }
  const measures = useCall(recorder, 'measures', listItems('measures', query))
  return (
    <QueryView query={measures}>
      {({ items }) => {
        const values = items.flatMap(({ at, map }) => (map?.value === undefined ? [] : [{ at, value: map.value }]))
        const unit = items[0]?.map?.unit ?? ''
        return (
          <Lines title={titleOf(metric, unit)} points={unit === 's' ? values.map(inHours) : values} color="--bad" />
        )
      }}
    </QueryView>
  )
}

const titleOf = (metric: string, unit: string) =>
  `${metric.replace(/^./, (first) => first.toUpperCase())}${unit === 'count' || unit === '' ? '' : `, ${unit === 's' ? 'hours' : unit}`}`
const inHours = ({ at, value }: { at: number; value: number }) => ({ at, value: value / 3600 })

function Distances({ recorder }: { recorder: Recorder }) {
  const { until } = useContext(SessionContext)
  const activities = useCall(recorder, 'activities', listItems('activities', { limit: 500, select: 'at,map', until }))
  return (
    <QueryView query={activities}>
      {({ items }) => (
        <Lines title="Distance of each week, km" points={weekly(items, until ?? Date.now())} color="--good" isBars />
      )}
    </QueryView>
  )
}

/** Kilometres of each of the last weeks; a week without an activity counts as 0. */
function weekly(items: readonly Item[], end: number): { at: number; value: number }[] {
  const weeks = Array.from({ length: WEEKS }, (_, index) => ({ at: end - (WEEKS - index) * WEEK_MS, value: 0 }))
  for (const { at, map } of items) {
    const week = weeks[WEEKS - 1 - Math.floor((end - at) / WEEK_MS)]
    if (week !== undefined) week.value += (map?.meters ?? 0) / 1000
  }
  return weeks
}

interface Line {
  title: string
  points: { at: number; value: number }[]
  color: string
  isBars?: boolean
}

function Lines({ title, points, color, isBars = false }: Line) {
  const [times, series] = useMemo<[number[], Series[]]>(
    () => [
      points.map(({ at }) => at),
      [{ label: title, color, values: points.map(({ value }) => value), shape: isBars ? 'bars' : 'area' }],
    ],
    [points, title, color, isBars],
  )
  return (
    <figure className="health-chart">
      <figcaption>{title}</figcaption>
      {points.length === 0 ? (
        <p className="soft">Nothing has arrived yet.</p>
      ) : (
        <Suspense fallback={<div className="health-waiting" />}>
          <Chart label={sentenceOf(title, points)} times={times} series={series} height={280} />
        </Suspense>
      )}
    </figure>
  )
}

function sentenceOf(title: string, points: Line['points']): string {
  const values = points.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(1))
  return `${title}: ${points.length} values from ${low} to ${high}, the latest ${values.at(-1)?.toFixed(1)}`
}
