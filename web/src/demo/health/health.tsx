import { lazy, Suspense, useContext, useMemo, useState } from 'react'
import type { Series } from '../../ui/chart.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Panel } from '../panel.tsx'
import type { Recorder } from '../requests/recorder.ts'
import { listItems } from '../requests/sdk-calls.ts'
import { useCall, useRecorder } from '../requests/use-call.ts'
import { SessionContext } from '../session-context.ts'
import { inHours, type Point, sentenceOf, titleOf, weekly } from './measures.ts'
import './health.css'

const Chart = lazy(async () => ({ default: (await import('../../ui/chart.tsx')).Chart }))

const METRICS = ['resting heart rate', 'weight', 'sleep', 'steps', 'body temperature']

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
        const values = items.flatMap(({ at, map }) =>
          typeof map?.value !== 'number' ? [] : [{ at, value: map.value }],
        )
        const unit = items[0]?.map?.unit ?? ''
        return (
          <Lines title={titleOf(metric, unit)} points={unit === 's' ? values.map(inHours) : values} color="--bad" />
        )
      }}
    </QueryView>
  )
}

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

interface Line {
  title: string
  points: Point[]
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
