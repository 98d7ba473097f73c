import { useQuery } from '@tanstack/react-query'
import { call } from '@tributary-hub/client/core.ts'
import { asOperator, operator, request } from '../../../api/core.ts'
import { Badge } from '../../../ui/badge.tsx'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useReadAgain } from '../../../ui/use-action.ts'
import { linksChanged, operatorsChanged } from '../../changes.ts'
import { useApps } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { SessionsTable } from '../../sessions-table.tsx'
import { ChangeOperator } from './change-operator.tsx'
import { InviteOperator } from './invite-operator.tsx'
import { LinkButton } from './link-button.tsx'

export default function OperatorsPage() {
  const operators = useQuery(request(operator, 'GET /admin/operators'))
  const links = useQuery(request(operator, 'GET /admin/operators/links'))
  const { data: apps } = useApps()
  const readAgain = useReadAgain()
  const nameOf = (id: string) => apps?.find((app) => app.client_id === id)?.name ?? id
  return (
    <div className="stack">
      <PageTitle title="Operators">
        <InviteOperator />
      </PageTitle>
      <section className="card" aria-labelledby="operators">
        <h2 id="operators">Operators and developers</h2>
        <QueryView query={operators}>
          {(rows) => (
            <Table
              label="Operators and developers"
              rows={rows}
              rowKey={({ id }) => id}
              empty="There is no operator yet. You use the admin token."
              columns={[
                { title: 'Name', cell: ({ name }) => name },
                {
                  title: 'Role',
                  cell: ({ role, apps: own }) => (
                    <>
                      <Badge>{role}</Badge>
                      {role === 'developer' && <div className="soft">{own.map(nameOf).join(', ') || 'no app'}</div>}
                    </>
                  ),
                },
                {
                  title: 'Signs in by',
                  cell: ({ password, passkeys }) =>
                    [password ? 'password' : '', passkeys > 0 ? `${passkeys} passkey${passkeys === 1 ? '' : 's'}` : '']
                      .filter((each) => each !== '')
                      .join(', '),
                },
                { title: 'Last seen', cell: ({ seen_at: at }) => <Time at={at} /> },
                {
                  title: 'Actions',
                  cell: (row) => (
                    <div className="row">
                      <ChangeOperator operator={row} />
                      <LinkButton operator={row} />
                      <ConfirmButton
                        label="Remove"
                        title={`Remove ${row.name}`}
                        onConfirm={async () => {
                          await call(asOperator, 'DELETE /admin/operators/{id}', { path: { id: row.id } })
                          await readAgain(operatorsChanged)
                        }}
                      >
                        They are signed out at once, and their passkeys and links end.
                      </ConfirmButton>
                    </div>
                  ),
                },
              ]}
            />
          )}
        </QueryView>
      </section>
      <section className="card" aria-labelledby="links">
        <h2 id="links">Links that nobody used yet</h2>
        <QueryView query={links}>
          {(rows) => (
            <Table
              label="Links that nobody used yet"
              rows={rows}
              rowKey={({ id }) => id}
              empty="None."
              columns={[
                { title: 'For', cell: ({ name, operator: known }) => `${name ?? 'anyone'}${known ? '' : ' (new)'}` },
                { title: 'Role', cell: ({ role }) => <Badge>{role}</Badge> },
                { title: 'Made by', cell: ({ created_by: by }) => <code>{by}</code> },
                { title: 'Ends', cell: ({ expires_at: at }) => <Time at={at} /> },
                {
                  title: 'Actions',
                  cell: ({ id }) => (
                    <ConfirmButton
                      label="Revoke"
                      title="Revoke this link"
                      onConfirm={async () => {
                        await call(asOperator, 'DELETE /admin/operators/links/{id}', { path: { id } })
                        await readAgain(linksChanged)
                      }}
                    >
                      The link stops working at once.
                    </ConfirmButton>
                  ),
                },
              ]}
            />
          )}
        </QueryView>
      </section>
      <section className="card" aria-labelledby="sessions">
        <h2 id="sessions">Sessions</h2>
        <SessionsTable />
      </section>
    </div>
  )
}
