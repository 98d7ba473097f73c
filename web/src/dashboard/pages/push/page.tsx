import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { app as asApp, request } from '../../../api/core.ts'
import { formatCount } from '../../../ui/amounts.ts'
import { QueryView } from '../../../ui/query-view.tsx'
import { Table } from '../../../ui/table.tsx'
import { useCurrentApp } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { KINDS } from './kinds.ts'
import { lagText } from './lag-text.ts'
import { StateBadge } from './state-badge.tsx'
import './page.css'

const REFRESH_MS = 5000

export default function PushPage() {
  const app = useCurrentApp()
  return (
    <div className="stack">
      <PageTitle title="Push">
        {app !== undefined && (
          <Link className="button" to="/push/new" search={{ app }}>
            Add a destination
          </Link>
        )}
      </PageTitle>
      {app === undefined ? <p>There is no app yet.</p> : <Destinations key={app} app={app} />}
    </div>
  )
}

function Destinations({ app }: { app: string }) {
  const destinations = useQuery({ ...request(asApp(app), 'GET /push'), refetchInterval: REFRESH_MS })
  return (
    <section className="card" aria-label="Destinations">
      <QueryView query={destinations}>
        {(rows) => (
          <Table
            label="Destinations"
            rows={rows}
            rowKey={({ id }) => id}
            empty="No destination yet. Push delivers everything to your own database, files, stream or webhook, then every change."
            columns={[
              {
                title: 'Name',
                cell: ({ id, name }) => (
                  <Link to="/push/$destination" params={{ destination: id }} search={{ app }}>
                    {name}
                  </Link>
                ),
              },
              { title: 'Kind', cell: ({ kind }) => KINDS[kind].title },
              { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
              { title: 'Rows', isNumber: true, cell: ({ rows: n }) => formatCount(n) },
              { title: 'Behind', isNumber: true, cell: ({ changes_behind: n }) => formatCount(n) },
              { title: 'Lag', isNumber: true, cell: ({ lag_ms: ms }) => lagText(ms) },
              { title: 'Dead letters', isNumber: true, cell: ({ dead_letters: n }) => formatCount(n) },
              {
                title: 'Last error',
                cell: ({ last_error: error }) => <span className="push-error">{error ?? ''}</span>,
              },
            ]}
          />
        )}
      </QueryView>
    </section>
  )
}
