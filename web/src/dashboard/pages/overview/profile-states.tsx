import { Link } from '@tanstack/react-router'
import type { Overview } from '@tributary-hub/client/generated/api.ts'
import { formatCount } from '../../../ui/amounts.ts'
import { Table } from '../../../ui/table.tsx'
import { useNamedApp } from '../../current-app.ts'
import { ProfileState, stateText } from '../../profile-state.tsx'
import { partsOf, WIDTH } from './figures.ts'

type Counted = Overview['profiles'][number]

/** Profiles by state, as a bar and by service. */
export function ProfileStates({ profiles }: { profiles: Counted[] }) {
  const app = useNamedApp()
  const parts = partsOf(profiles)
  return (
    <section className="card" aria-labelledby="profiles-by-state">
      <h2 id="profiles-by-state">Profiles by state</h2>
      {parts.length > 0 && <Bar parts={parts} />}
      <ul className="overview-legend">
        {parts.map(({ state, n }) => (
          <li key={state}>
            <Link to="/accounts" search={{ app, state }}>
              <span className={`overview-key overview-${state}`} aria-hidden="true" />
              {stateText(state)} {formatCount(n)}
            </Link>
          </li>
        ))}
      </ul>
      <Table
        label="Profiles by service and state"
        rows={profiles}
        rowKey={({ service, state }) => `${service} ${state}`}
        empty="Nobody has connected a service yet."
        columns={[
          {
            title: 'Service',
            cell: ({ service, state }) => (
              <Link to="/accounts" search={{ app, service, state }}>
                {service}
              </Link>
            ),
          },
          { title: 'State', cell: ({ state }) => <ProfileState state={state} /> },
          { title: 'Profiles', isNumber: true, cell: ({ n }) => formatCount(n) },
        ]}
      />
    </section>
  )
}

function Bar({ parts }: { parts: ReturnType<typeof partsOf> }) {
  const label = parts.map(({ state, n }) => `${stateText(state)} ${formatCount(n)}`).join(', ')
  return (
    <svg className="overview-bar" viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" role="img" aria-label={label}>
      {parts.map(({ state, x, width }) => (
        <rect key={state} className={`overview-${state}`} x={x} y="0" width={width} height="10" />
      ))}
    </svg>
  )
}
