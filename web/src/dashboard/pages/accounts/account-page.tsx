import './page.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { call } from '@tributary-hub/client/core.ts'
import type { AccountDetail } from '@tributary-hub/client/generated/api.ts'
import { app, request } from '../../../api/core.ts'
import { formatBytes, formatCount } from '../../../ui/amounts.ts'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Time } from '../../../ui/time.tsx'
import { useReadAgain } from '../../../ui/use-action.ts'
import { accountReads, erased } from '../../changes.ts'
import { useCurrentApp, useNamedApp } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { nameOf } from './account-words.ts'
import { Agents } from './agents.tsx'
import { ExportButton } from './export-button.tsx'
import { ProfileCard } from './profile-card.tsx'

const REFRESH_MS = 10_000

/** One account: its profiles with their syncs, what it uses, and what can be done with it. */
export default function AccountPage() {
  const { account: id } = useParams({ from: '/framed/accounts/$account' })
  const named = useNamedApp()
  const clientId = useCurrentApp()
  const account = useQuery({
    ...request(app(clientId ?? ''), 'GET /accounts/{id}', { path: { id } }),
    enabled: clientId !== undefined,
    refetchInterval: REFRESH_MS,
  })
  return (
    <div className="stack">
      <p className="accounts-back">
        <Link to="/accounts" search={{ app: named }}>
          Accounts
        </Link>
      </p>
      <QueryView query={account}>{(shown) => <Shown account={shown} clientId={clientId ?? ''} />}</QueryView>
    </div>
  )
}

function Shown({ account, clientId }: { account: AccountDetail; clientId: string }) {
  const named = useNamedApp()
  const { id } = account
  return (
    <>
      <PageTitle title={nameOf(account)}>
        <Link to="/items" search={{ app: named, account: id }} className="button quiet">
          Items
        </Link>
        <Link to="/log" search={{ app: named, account: id }} className="button quiet">
          Log
        </Link>
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
        <ProfileCard key={profile.profile} clientId={clientId} account={id} profile={profile} />
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
  const readAgain = useReadAgain()
  const erase = async () => {
    await call(app(clientId).core, 'DELETE /accounts/{id}', { path: { id: account.id } })
    // In place of the erased account: Back must not lead to it. Left first, because this page would ask for it again.
    await navigate({ to: '/accounts', search: { app: clientId, erased: account.id }, replace: true })
    // What is remembered of the account must not be shown again.
    for (const queryKey of accountReads(clientId, account.id)) queries.removeQueries({ queryKey })
    await readAgain(erased(clientId, account.id))
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
