import './page.css'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Account } from '@tributary-hub/client/generated/api.ts'
import { type Page, pagedByLink } from '@tributary-hub/client/pages.ts'
import { app } from '../../../api/core.ts'
import { formatCount } from '../../../ui/amounts.ts'
import { QueryView } from '../../../ui/query-view.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useAddress } from '../../address.ts'
import { useCurrentApp } from '../../current-app.ts'
import { PageLink } from '../../page-link.tsx'
import { PageTitle } from '../../page-title.tsx'
import { ProfileState } from '../../profile-state.tsx'
import { Filters } from './filters.tsx'

const PAGE_SIZE = '50'

/** Accounts of the app in view that match the address. */
function useAccounts(clientId: string | undefined) {
  const [{ q, service, state, reason, failing, cursor }] = useAddress()
  const query = { q, service, state, reason, failing, cursor, count: 'true', limit: PAGE_SIZE }
  return useQuery({
    queryKey: [clientId, 'GET /accounts', query],
    queryFn: ({ signal }): Promise<Page<Account>> =>
      pagedByLink<Account>(app(clientId ?? '').core, 'GET /accounts', { query, options: { signal } }).first(),
    enabled: clientId !== undefined,
    placeholderData: keepPreviousData,
  })
}

export default function AccountsPage() {
  const clientId = useCurrentApp()
  const accounts = useAccounts(clientId)
  const [address] = useAddress()
  return (
    <div className="stack">
      <PageTitle title="Accounts">
        <PageLink to="/accounts/faults" className="button quiet">
          Faults and quarantine
        </PageLink>
      </PageTitle>
      {address['erased'] !== undefined && (
        <p className="notice" role="status">
          Account <code>{address['erased']}</code> is erased. Its tokens at the services are revoked, and destinations
          delete its rows.
        </p>
      )}
      <Filters />
      <section className="card" aria-label="Accounts">
        <QueryView query={accounts}>{(page) => <AccountTable page={page} />}</QueryView>
      </section>
    </div>
  )
}

function AccountTable({ page: { items, total, next } }: { page: Page<Account> }) {
  const [{ q, service, state, reason, failing, cursor }] = useAddress()
  const isFiltered = [q, service, state, reason, failing].some((each) => each !== undefined)
  return (
    <>
      <p className="soft" role="status">
        {total === 1 ? '1 account' : `${formatCount(total ?? items.length)} accounts`}
        {isFiltered ? ' match' : ''}
      </p>
      <Table
        label="Accounts"
        rows={items}
        rowKey={({ id }) => id}
        empty={isFiltered ? 'Nobody matches. Remove a filter.' : 'Nobody has connected a service to this app yet.'}
        columns={[
          {
            title: 'Person',
            cell: (account) => (
              <PageLink to={`/accounts/${account.id}`} className="accounts-person">
                <strong>{nameOf(account)}</strong>
                <code>{account.id}</code>
              </PageLink>
            ),
          },
          {
            title: 'Profiles',
            cell: ({ profiles }) => (
              <ul className="accounts-profiles">
                {profiles.map(({ profile, service: its, state: current, error }) => (
                  <li key={profile}>
                    <span title={profile}>{its}</span> <ProfileState state={current} />
                    {error !== undefined && <span className="soft accounts-error">{error}</span>}
                  </li>
                ))}
                {profiles.length === 0 && <li className="soft">none</li>}
              </ul>
            ),
          },
          { title: 'Last sync', cell: ({ profiles }) => <Time at={lastSync(profiles)} /> },
          { title: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
      />
      <div className="row">
        {cursor !== undefined && (
          <PageLink to="/accounts" search={{ q, service, state, reason, failing }} className="button quiet">
            First page
          </PageLink>
        )}
        {next !== undefined && (
          <PageLink
            to="/accounts"
            search={{ q, service, state, reason, failing, cursor: next['cursor'] }}
            className="button quiet"
          >
            Next page
          </PageLink>
        )}
      </div>
    </>
  )
}

export const nameOf = ({ profiles }: Pick<Account, 'profiles'>): string => {
  const named = profiles.find(({ name }) => name !== undefined && name !== '')
  return named?.name ?? profiles.find(({ handle }) => handle !== undefined)?.handle ?? 'Unnamed'
}

function lastSync(profiles: Account['profiles']): number | undefined {
  const times = profiles.flatMap(({ synced_at: at }) => at ?? [])
  return times.length === 0 ? undefined : Math.max(...times)
}
