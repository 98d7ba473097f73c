import { Link } from '@tanstack/react-router'
import type { Overview } from '@tributary-hub/client/generated/api.ts'
import { formatCount, formatDuration } from '../../../ui/amounts.ts'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { Table } from '../../../ui/table.tsx'
import { useNamedApp } from '../../current-app.ts'

/** Endpoints whose last run did not reach its end, by the reason. */
export function Failures({ endpoints }: { endpoints: Overview['sync']['endpoints'] }) {
  const app = useNamedApp()
  return (
    <section className="card" aria-labelledby="failures">
      <h2 id="failures">Endpoints that fail now</h2>
      <Table
        label="Endpoints that fail or are held back now, by reason"
        rows={endpoints}
        rowKey={({ service, reason }) => `${service} ${reason}`}
        empty="Every endpoint was read to its end."
        columns={[
          { title: 'Service', cell: ({ service }) => service },
          {
            title: 'Reason',
            cell: ({ service, reason }) => (
              <Link to="/accounts" search={{ app, service, reason }}>
                <code>{reason}</code>
              </Link>
            ),
          },
          {
            title: 'Kind',
            cell: ({ failing }) => (failing ? <Badge tone="warn">fails</Badge> : <Badge>not read</Badge>),
          },
          { title: 'Endpoints', isNumber: true, cell: ({ n }) => formatCount(n) },
        ]}
      />
    </section>
  )
}

const TONES: Record<string, Tone> = { active: 'good', paused: 'plain', failing: 'warn', parked: 'bad', disabled: 'bad' }

export function Destinations({ destinations }: { destinations: Overview['push'] }) {
  if (destinations.length === 0) return null
  return (
    <section className="card" aria-labelledby="destinations">
      <h2 id="destinations">Destinations</h2>
      <Table
        label="Destinations with their lag and failures"
        rows={destinations}
        rowKey={({ id }) => id}
        columns={[
          {
            title: 'Destination',
            cell: ({ id, app, name, error }) => (
              <>
                <Link to="/push/$destination" params={{ destination: id }} search={{ app }}>
                  {name}
                </Link>
                {error !== undefined && <div className="soft">{error}</div>}
              </>
            ),
          },
          { title: 'Kind', cell: ({ kind }) => kind },
          { title: 'State', cell: ({ state }) => <Badge tone={TONES[state] ?? 'plain'}>{state}</Badge> },
          { title: 'Lag', isNumber: true, cell: ({ behind, lag_ms: ms }) => (behind === 0 ? '–' : formatDuration(ms)) },
          { title: 'Changes waiting', isNumber: true, cell: ({ behind }) => formatCount(behind) },
          { title: 'Failed, 24 h', isNumber: true, cell: ({ failed_24h: failed }) => formatCount(failed) },
          { title: 'Dead letters', isNumber: true, cell: ({ dead_letters: n }) => formatCount(n) },
        ]}
      />
    </section>
  )
}
