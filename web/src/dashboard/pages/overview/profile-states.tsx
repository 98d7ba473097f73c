import type { Overview } from '@tributary-hub/client/generated/api.ts'
import { formatCount } from '../../../ui/amounts.ts'
import { Table } from '../../../ui/table.tsx'
import { PageLink } from '../../page-link.tsx'
import { ProfileState, stateText } from '../../profile-state.tsx'

type Counted = Overview['profiles'][number]

/** In the order in which a bar shows them. */
const STATES = ['active', 'connecting', 'limited', 'paused', 'needs_auth']

/** Profiles by state, as a bar and by service. */
export function ProfileStates({ profiles }: { profiles: Counted[] }) {
  const total = profiles.reduce((sum, { n }) => sum + n, 0)
  const counts = STATES.map((state) => ({
    state,
    n: profiles.filter((each) => each.state === state).reduce((sum, { n }) => sum + n, 0),
  })).filter(({ n }) => n > 0)
  return (
    <section className="card" aria-labelledby="profiles-by-state">
      <h2 id="profiles-by-state">Profiles by state</h2>
      {total > 0 && <Bar counts={counts} total={total} />}
      <ul className="overview-legend">
        {counts.map(({ state, n }) => (
          <li key={state}>
            <PageLink to="/accounts" search={{ state }}>
              <span className={`overview-key overview-${state}`} aria-hidden="true" />
              {stateText(state)} {formatCount(n)}
            </PageLink>
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
              <PageLink to="/accounts" search={{ service, state }}>
                {service}
              </PageLink>
            ),
          },
          { title: 'State', cell: ({ state }) => <ProfileState state={state} /> },
          { title: 'Profiles', isNumber: true, cell: ({ n }) => formatCount(n) },
        ]}
      />
    </section>
  )
}

function Bar({ counts, total }: { counts: { state: string; n: number }[]; total: number }) {
  const label = counts.map(({ state, n }) => `${stateText(state)} ${formatCount(n)}`).join(', ')
  let start = 0
  return (
    <svg className="overview-bar" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label={label}>
      {counts.map(({ state, n }) => {
        const [x, width] = [start, (n / total) * 1000]
        start += width
        return <rect key={state} className={`overview-${state}`} x={x} y="0" width={width} height="10" />
      })}
    </svg>
  )
}
