import { call, type ResponseOf } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asApp } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { formatCount } from '../../../ui/amounts.ts'
import { Time } from '../../../ui/time.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { destinationChanged, tried } from '../../changes.ts'
import type { Destination } from './kinds.ts'
import { lagText } from './lag-text.ts'
import { StateBadge } from './state-badge.tsx'
import { TestFindings } from './test-findings.tsx'

/** The state of a destination in figures, and what is done with the whole of it. */
export function DestinationState({ app, destination }: { app: string; destination: Destination }) {
  const [tested, setTested] = useState<ResponseOf<'POST /push/{id}/test'>>()
  const action = useAction()
  const path = { id: destination.id }
  const changes = destinationChanged(app, destination.id)
  const core = asApp(app)
  const isRunning = destination.state === 'active' || destination.state === 'failing'
  const recent = destination.last_5_minutes
  const figures: [string, string][] = [
    ['Rows', formatCount(destination.rows)],
    ['Profiles', formatCount(destination.profiles)],
    ['Changes behind', formatCount(destination.changes_behind)],
    ['Lag', lagText(destination.lag_ms)],
    ['Rows in 5 minutes', formatCount(recent.rows)],
    ['Failed in 5 minutes', formatCount(recent.failed)],
    ['Dead letters', formatCount(destination.dead_letters)],
  ]
  return (
    <section className="card stack" aria-label="State">
      <div className="row apart">
        <span className="row">
          <StateBadge state={destination.state} />
          <span className="soft">
            last delivery <Time at={destination.delivered_at} />
          </span>
        </span>
        <span className="row">
          {isRunning ? (
            <button
              type="button"
              className="quiet"
              disabled={action.isBusy}
              onClick={() => void action.run(changes, () => call(core, 'POST /push/{id}/pause', { path }), 'Paused.')}
            >
              Pause
            </button>
          ) : (
            <button
              type="button"
              disabled={action.isBusy}
              onClick={() => void action.run(changes, () => call(core, 'POST /push/{id}/resume', { path }), 'Resumed.')}
            >
              Resume
            </button>
          )}
          {isRunning && (
            <button
              type="button"
              className="quiet"
              disabled={action.isBusy}
              onClick={() =>
                void action.run(
                  changes,
                  () => call(core, 'POST /push/{id}/run', { path }),
                  'Delivering what is pending.',
                )
              }
            >
              Deliver now
            </button>
          )}
          <button
            type="button"
            className="quiet"
            disabled={action.isBusy}
            onClick={() =>
              void action.run(tried, async () => setTested(await call(core, 'POST /push/{id}/test', { path })))
            }
          >
            Test
          </button>
        </span>
      </div>
      {destination.last_error !== undefined && (
        <div className="notice bad">
          <p>{destination.last_error}</p>
          {destination.next_attempt_at !== undefined && (
            <p className="soft">
              Next attempt <Time at={destination.next_attempt_at} />.
            </p>
          )}
        </div>
      )}
      <dl className="push-figures">
        {figures.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <ActionResult action={action} />
      {tested !== undefined && <TestFindings result={tested} />}
    </section>
  )
}
