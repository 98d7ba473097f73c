import './page.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { operator, request } from '../../../api/core.ts'
import { formatCount } from '../../../ui/amounts.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { useAddress } from '../../address.ts'
import { quarantineRetried } from '../../changes.ts'
import { useCurrentApp, useNamedApp } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { faultsSearch } from '../../search.ts'

/** What could not be read or stored, of all accounts of the app in view. */
export default function FaultsPage() {
  const clientId = useCurrentApp()
  const named = useNamedApp()
  return (
    <div className="stack">
      <p className="accounts-back">
        <Link to="/accounts" search={{ app: named }}>
          Accounts
        </Link>
      </p>
      <PageTitle title="Faults and quarantine" />
      {clientId !== undefined && <Quarantine clientId={clientId} />}
      {clientId !== undefined && <Faults clientId={clientId} />}
    </div>
  )
}

function Where({ profile, service, endpoint }: { profile: string; service: string; endpoint: string }) {
  const app = useNamedApp()
  return (
    <Link to="/accounts" search={{ app, q: profile }}>
      {service} <code>{endpoint}</code>
    </Link>
  )
}

function Quarantine({ clientId }: { clientId: string }) {
  const [{ quarantine_after: after }, change] = useAddress(faultsSearch)
  const [done, setDone] = useState<string>()
  const { run, error } = useAction()
  const path = { client_id: clientId }
  const found = useQuery(request(operator, 'GET /admin/apps/{client_id}/quarantine', { path, query: { after } }))
  const retry = () =>
    run(quarantineRetried(clientId), async () => {
      const { endpoints } = await call(operator.core, 'POST /admin/apps/{client_id}/quarantine/retry', { path })
      setDone(`The next run of ${formatCount(endpoints)} endpoints reads their records again.`)
    })
  return (
    <section className="card stack" aria-labelledby="quarantine">
      <div className="row apart">
        <h2 id="quarantine">Records that could not be stored</h2>
        <button type="button" className="quiet" onClick={() => void retry()}>
          Read all of them again
        </button>
      </div>
      {done !== undefined && (
        <p className="notice" role="status">
          {done}
        </p>
      )}
      {error !== undefined && <ErrorNotice error={error} retry={retry} />}
      <QueryView query={found}>
        {({ quarantine, next }) => (
          <>
            <Table
              label="Quarantined records"
              rows={quarantine}
              rowKey={({ profile, endpoint, id }) => `${profile} ${endpoint} ${id}`}
              empty="The quarantine is empty."
              columns={[
                { title: 'Where', cell: (row) => <Where {...row} /> },
                { title: 'Reason', cell: ({ reason }) => reason },
                { title: 'Record', cell: ({ sample }) => <code className="accounts-sample">{sample}</code> },
                { title: 'Times', isNumber: true, cell: ({ times }) => formatCount(times) },
                { title: 'Last', cell: ({ at }) => <Time at={at} /> },
              ]}
            />
            {next !== undefined && (
              <button type="button" className="quiet" onClick={() => change({ quarantine_after: next })}>
                More records
              </button>
            )}
          </>
        )}
      </QueryView>
    </section>
  )
}

function Faults({ clientId }: { clientId: string }) {
  const [{ faults_after: after }, change] = useAddress(faultsSearch)
  const found = useQuery(
    request(operator, 'GET /admin/apps/{client_id}/faults', { path: { client_id: clientId }, query: { after } }),
  )
  return (
    <section className="card stack" aria-labelledby="faults">
      <h2 id="faults">Fields that could not be read</h2>
      <QueryView query={found}>
        {({ faults, next }) => (
          <>
            <Table
              label="Fields that could not be read"
              rows={faults}
              rowKey={({ profile, endpoint, record, field }) => `${profile} ${endpoint} ${record} ${field}`}
              empty="Every field was read."
              columns={[
                { title: 'Where', cell: (row) => <Where {...row} /> },
                {
                  title: 'Field',
                  cell: ({ kind, field }) => (
                    <code>
                      {kind}.{field}
                    </code>
                  ),
                },
                { title: 'Record', cell: ({ record }) => <code>{record}</code> },
                { title: 'Error', cell: ({ message }) => message },
                { title: 'Last', cell: ({ at }) => <Time at={at} /> },
              ]}
            />
            {next !== undefined && (
              <button type="button" className="quiet" onClick={() => change({ faults_after: next })}>
                More fields
              </button>
            )}
          </>
        )}
      </QueryView>
    </section>
  )
}
