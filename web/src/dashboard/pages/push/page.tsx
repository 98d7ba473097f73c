import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { app as asApp, request } from '../../../api/core.ts'
import { formatCount } from '../../../ui/amounts.ts'
import { QueryView } from '../../../ui/query-view.tsx'
import { Table } from '../../../ui/table.tsx'
import { useAddress } from '../../address.ts'
import { useCurrentApp } from '../../current-app.ts'
import { PageLink } from '../../page-link.tsx'
import { PageTitle } from '../../page-title.tsx'
import { KINDS } from './kinds.ts'
import { lagText, StateBadge } from './state-badge.tsx'
import './page.css'

const REFRESH_MS = 5000

export default function PushPage() {
  const app = useCurrentApp()
  const [{ destination, app: named }] = useAddress()
  const navigate = useNavigate()
  // Other pages link to a destination by its id.
  useEffect(() => {
    if (destination !== undefined)
      void navigate({ to: `/push/${destination}`, search: { app: named }, replace: true } as never)
  }, [destination, named, navigate])
  return (
    <div className="stack">
      <PageTitle title="Push">
        {app !== undefined && (
          <PageLink className="button" to="/push/new" search={{ app }}>
            Add a destination
          </PageLink>
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
                  <PageLink to={`/push/${id}`} search={{ app }}>
                    {name}
                  </PageLink>
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
