import { useQuery } from '@tanstack/react-query'
import { call } from '@tributary-hub/client/core.ts'
import { asOperator, operator, request } from '../api/core.ts'
import { Badge } from '../ui/badge.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { useReadAgain } from '../ui/use-action.ts'
import { browserName } from './browser-name.ts'
import { sessionsChanged } from './changes.ts'

/** The browsers in which people are signed in; of one operator, or of all. */
export function SessionsTable({ of }: { of?: string | undefined }) {
  const sessions = useQuery(request(operator, 'GET /admin/sessions'))
  const readAgain = useReadAgain()
  return (
    <QueryView query={sessions}>
      {(rows) => (
        <Table
          label="Sessions"
          rows={rows.filter((row) => of === undefined || row.operator === of)}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'Who',
              cell: ({ name, current }) => (
                <>
                  {name} {current && <Badge tone="good">this browser</Badge>}
                </>
              ),
            },
            { title: 'Signed in by', cell: ({ method }) => method },
            { title: 'Browser', cell: ({ browser }) => browserName(browser) },
            { title: 'Address', cell: ({ address }) => <code>{address}</code> },
            { title: 'Last used', cell: ({ seen_at: at }) => <Time at={at} /> },
            {
              title: 'Actions',
              cell: ({ id, name }) => (
                <ConfirmButton
                  label="End"
                  title={`End this session of ${name}`}
                  onConfirm={async () => {
                    await call(asOperator, 'DELETE /admin/sessions/{id}', { path: { id } })
                    await readAgain(sessionsChanged)
                  }}
                >
                  That browser is signed out with its next request.
                </ConfirmButton>
              ),
            },
          ]}
        />
      )}
    </QueryView>
  )
}
