import { useQuery } from '@tanstack/react-query'
import { call } from '@tributary-hub/client/core.ts'
import { account as forAccount, request } from '../../../api/core.ts'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useReadAgain } from '../../../ui/use-action.ts'
import { agentsChanged } from '../../changes.ts'

/** Agents to whom the person gave access; nothing where there are none. */
export function Agents({ account }: { account: string }) {
  const agents = useQuery(request(forAccount(account), 'GET /agents'))
  const readAgain = useReadAgain()
  if (agents.data === undefined || agents.data.length === 0) return null
  const end = async (id: string) => {
    await call(forAccount(account).core, 'DELETE /agents/{id}', { path: { id } })
    await readAgain(agentsChanged(account))
  }
  return (
    <section className="card" aria-labelledby="agents">
      <h2 id="agents">Agents</h2>
      <Table
        label="Agents that may act for the person"
        rows={agents.data}
        rowKey={({ id }) => id}
        columns={[
          { title: 'Received at', cell: ({ redirect_uri: uri }) => <code>{uri}</code> },
          { title: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
          { title: 'Allowed', cell: ({ created_at: at }) => <Time at={at} /> },
          { title: 'Ends', cell: ({ expires_at: at }) => <Time at={at} /> },
          {
            title: 'Access',
            cell: ({ id }) => (
              <ConfirmButton label="End access" title="End the access of this agent" onConfirm={() => end(id)}>
                <p>Its tokens stop working at once. The person can allow it again.</p>
              </ConfirmButton>
            ),
          },
        ]}
      />
    </section>
  )
}
