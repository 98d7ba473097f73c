import './page.css'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Account } from '@tributary-hub/client/generated/api.ts'
import { type Page, pagedByLink } from '@tributary-hub/client/pages.ts'
import { app } from '../../../api/core.ts'
import { keyOf } from '../../../api/keys.ts'
import { formatCount } from '../../../ui/amounts.ts'
import { QueryView } from '../../../ui/query-view.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useAddress } from '../../address.ts'
import { useCurrentApp, useNamedApp } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { ProfileState } from '../../profile-state.tsx'
import { accountsSearch } from '../../search.ts'
import { lastSync, nameOf } from './account-words.ts'
import { Filters } from './filters.tsx'

const PAGE_SIZE = '50'

/** Accounts of the app in view that match the address. */
function useAccounts(clientId: string | undefined) {
  const [{ q, service, state, reason, failing, cursor }] = useAddress(accountsSearch)
  const query = { q, service, state, reason, failing, cursor, count: 'true', limit: PAGE_SIZE }
  return useQuery({
    queryKey: keyOf('GET /accounts', clientId ?? '', {}, query),
    queryFn: ({ signal }): Promise<Page<Account>> =>
      pagedByLink<Account>(app(clientId ?? '').core, 'GET /accounts', { query, options: { signal } }).first(),
    enabled: clientId !== undefined,
    placeholderData: keepPreviousData,
  })
}

export default function AccountsPage() {
  const clientId = useCurrentApp()
  const accounts = useAccounts(clientId)
  const named = useNamedApp()
  const [{ erased }] = useAddress(accountsSearch)
  return (
    <div className="stack">
      <PageTitle title="Accounts">
        <Link to="/accounts/faults" search={{ app: named }} className="button quiet">
          Faults and quarantine
        </Link>
      </PageTitle>
      {erased !== undefined && (
        <p className="notice" role="status">
          Account <code>{erased}</code> is erased. Its tokens at the services are revoked, and destinations delete its
          rows.
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
  const [{ q, service, state, reason, failing, cursor }] = useAddress(accountsSearch)
  const app = useNamedApp()
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
              <Link
                to="/accounts/$account"
                params={{ account: account.id }}
                search={{ app }}
                className="accounts-person"
              >
                <strong>{nameOf(account)}</strong>
                <code>{account.id}</code>
              </Link>
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
          <Link to="/accounts" search={{ app, q, service, state, reason, failing }} className="button quiet">
            First page
          </Link>
        )}
        {next !== undefined && (
          <Link
            to="/accounts"
            search={{ app, q, service, state, reason, failing, cursor: next['cursor'] }}
            className="button quiet"
          >
            Next page
          </Link>
        )}
      </div>
    </>
  )
}
