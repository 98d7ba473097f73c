import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '@tributary-hub/client/core.ts'
import { asOperator, operator, request } from '../api/core.ts'
import { Badge } from '../ui/badge.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

/** The browsers in which people are signed in; of one operator, or of all. */
export function SessionsTable({ of }: { of?: string | undefined }) {
  const sessions = useQuery(request(operator, 'GET /admin/sessions'))
  const queries = useQueryClient()
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
                    await queries.invalidateQueries({ queryKey: ['operator'] })
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

/** A browser as people call it. */
function browserName(text: string): string {
  const [, name, version] = /(Firefox|Edg|OPR|HeadlessChrome|Chrome|Safari)\/(\d+)/.exec(text) ?? []
  const [, system] = /(Windows|Mac OS|Android|iPhone|iPad|Linux)/.exec(text) ?? []
  if (name === undefined) return text.slice(0, 40)
  return [name === 'Edg' ? 'Edge' : name, version, system && `on ${system}`]
    .filter((part) => part !== undefined)
    .join(' ')
}
