import './page.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { call } from '@tributary-hub/client/core.ts'
import type { AccountDetail } from '@tributary-hub/client/generated/api.ts'
import { app, request } from '../../../api/core.ts'
import { formatBytes, formatCount } from '../../../ui/amounts.ts'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Time } from '../../../ui/time.tsx'
import { useCurrentApp } from '../../current-app.ts'
import { PageLink } from '../../page-link.tsx'
import { PageTitle } from '../../page-title.tsx'
import { Agents } from './agents.tsx'
import { ExportButton } from './export-button.tsx'
import { nameOf } from './page.tsx'
import { ProfileCard } from './profile-card.tsx'

const REFRESH_MS = 10_000
const requestFor = (clientId: string, id: string) => request(app(clientId), 'GET /accounts/{id}', { path: { id } })

/** One account: its profiles with their syncs, what it uses, and what can be done with it. */
export default function AccountPage() {
  const { account: id = '' } = useParams({ strict: false }) as { account?: string }
  const clientId = useCurrentApp()
  const account = useQuery({
    ...requestFor(clientId ?? '', id),
    enabled: clientId !== undefined,
    refetchInterval: REFRESH_MS,
  })
  return (
    <div className="stack">
      <p className="accounts-back">
        <PageLink to="/accounts">Accounts</PageLink>
      </p>
      <QueryView query={account}>
        {(shown) => <Shown account={shown} clientId={clientId ?? ''} reload={() => account.refetch()} />}
      </QueryView>
    </div>
  )
}

function Shown({
  account,
  clientId,
  reload,
}: {
  account: AccountDetail
  clientId: string
  reload: () => Promise<unknown>
}) {
  const { id } = account
  return (
    <>
      <PageTitle title={nameOf(account)}>
        <PageLink to="/items" search={{ account: id }} className="button quiet">
          Items
        </PageLink>
        <PageLink to="/log" search={{ account: id }} className="button quiet">
          Log
        </PageLink>
        <ExportButton account={id} />
        <EraseButton clientId={clientId} account={account} />
      </PageTitle>
      <p className="row">
        <code>{id}</code>
        <CopyButton text={id} label="Copy id" />
        <span className="soft">
          created <Time at={account.created_at} />
        </span>
      </p>
      <Usage account={account} />
      {account.profiles.map((profile) => (
        <ProfileCard key={profile.profile} clientId={clientId} account={id} profile={profile} reload={reload} />
      ))}
      {account.profiles.length === 0 && <p className="soft">No service is connected.</p>}
      <Agents account={id} />
    </>
  )
}

function Usage({ account: { sync, usage } }: { account: AccountDetail }) {
  const { account_items: items, account_bytes: bytes } = usage.quotas
  return (
    <dl className="accounts-usage">
      <div>
        <dt>Sync</dt>
        <dd>
          {sync.state === 'first_sync'
            ? `first sync: ${sync.endpoints.done} of ${sync.endpoints.of} endpoints`
            : sync.state.replace('_', ' ')}
        </dd>
      </div>
      <div>
        <dt>Items</dt>
        <dd>{formatCount(items?.used ?? sync.items)}</dd>
      </div>
      <div>
        <dt>Stored</dt>
        <dd>{formatBytes(bytes?.used ?? 0)}</dd>
      </div>
    </dl>
  )
}

function EraseButton({ clientId, account }: { clientId: string; account: AccountDetail }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const erase = async () => {
    await call(app(clientId).core, 'DELETE /accounts/{id}', { path: { id: account.id } })
    // In place of the erased account: Back must not lead to it. Left first, because this page would ask for it again.
    await navigate({ to: '/accounts', search: { app: clientId, erased: account.id }, replace: true } as never)
    // What is remembered of the account must not be shown again.
    for (const queryKey of [[account.id], requestFor(clientId, account.id).queryKey])
      queries.removeQueries({ queryKey })
    await queries.invalidateQueries({ queryKey: [clientId] })
  }
  return (
    <ConfirmButton label="Erase" title="Erase this account" typed={account.id} onConfirm={erase}>
      <p>
        Everything stored about {nameOf(account)} is deleted: {account.profiles.length} profiles and{' '}
        {formatCount(account.sync.items)} items, here and at all destinations. Tokens at the services are revoked. This
        cannot be undone.
      </p>
    </ConfirmButton>
  )
}
