import { Link } from '@tanstack/react-router'
import type { Overview } from '@tributary-hub/client/generated/api.ts'
import { formatCount } from '../../../ui/amounts.ts'
import { Table } from '../../../ui/table.tsx'
import { KIND_NAMES, OutcomeBadge } from '../log/words.tsx'

/** Sign-ins and syncs of the last day that did not work. The log is that of one app, so only its own figures lead there. */
export function RecentFailures({ overview: { failures_24h: failures, app } }: { overview: Overview }) {
  return (
    <section className="card" aria-labelledby="recent-failures">
      <h2 id="recent-failures">Failures of the last 24 hours</h2>
      <Table
        label="Sign-ins and syncs of the last 24 hours that failed, by reason"
        rows={failures}
        rowKey={({ kind, service, outcome, reason }) => [kind, service, outcome, reason].join(' ')}
        empty="No sign-in and no sync failed."
        columns={[
          { title: 'What', cell: ({ kind }) => KIND_NAMES[kind] },
          { title: 'Service', cell: ({ service }) => service ?? '–' },
          {
            title: 'Reason',
            cell: ({ kind, service, outcome, reason }) =>
              app === undefined ? (
                <code>{reason ?? '–'}</code>
              ) : (
                <Link to="/log" search={{ app, kind, service, outcome, reason }}>
                  <code>{reason ?? 'in the log'}</code>
                </Link>
              ),
          },
          { title: 'Outcome', cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
          { title: 'Times', isNumber: true, cell: ({ n }) => formatCount(n) },
        ]}
      />
      <p className="overview-more">
        <Link to="/log" search={{ app, outcome: 'failed' }}>
          Failed sign-ins, syncs, calls and deliveries in the log
        </Link>
      </p>
    </section>
  )
}
