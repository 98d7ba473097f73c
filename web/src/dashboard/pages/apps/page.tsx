import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useApps } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { useIsOperator } from '../../session.ts'
import { CreateApp } from './create-app.tsx'
import './page.css'

const NO_APP =
  'There is no app yet. An app is what connects people to services: create one to get its client id and secret.'
const NO_APP_OF_DEVELOPER = 'You have no app yet. An operator creates apps, and decides which of them are yours.'

export default function AppsPage() {
  const apps = useApps()
  const [isCreating, setCreating] = useState(false)
  const navigate = useNavigate()
  const isOperator = useIsOperator() === true
  return (
    <div className="stack">
      <PageTitle title="Apps and keys">
        {isOperator && (
          <button type="button" onClick={() => setCreating(true)}>
            Create an app
          </button>
        )}
      </PageTitle>
      <section className="card" aria-label="Apps">
        <QueryView query={apps}>
          {(rows) => (
            <Table
              label="Apps"
              rows={rows}
              rowKey={({ client_id: id }) => id}
              empty={isOperator ? NO_APP : NO_APP_OF_DEVELOPER}
              columns={[
                {
                  title: 'Name',
                  cell: ({ name, client_id: id, deleting_at: deletingAt }) => (
                    <>
                      <Link to="/apps/$app" params={{ app: id }}>
                        {name}
                      </Link>{' '}
                      {deletingAt !== undefined && <Badge tone="bad">being deleted</Badge>}
                    </>
                  ),
                },
                { title: 'Client id', cell: ({ client_id: id }) => <code>{id}</code> },
                {
                  title: 'People return to',
                  cell: ({ redirect_uris: uris }) => (
                    <span className="apps-return">
                      {uris[0]}
                      {uris.length > 1 && ` and ${uris.length - 1} more`}
                    </span>
                  ),
                },
                { title: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
              ]}
            />
          )}
        </QueryView>
      </section>
      {isCreating && (
        <CreateApp
          onClose={(created) => {
            setCreating(false)
            if (created !== undefined) void navigate({ to: '/apps/$app', params: { app: created } })
          }}
        />
      )}
    </div>
  )
}
