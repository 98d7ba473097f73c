import type { Attention } from '@tributary-hub/client/generated/api.ts'
import type { ReactNode } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import type { Address } from '../../address.ts'
import { useApps } from '../../current-app.ts'
import { PageLink } from '../../page-link.tsx'

type Target = { to: string; search: Address; text: string }

/** Where something can be looked at, and repaired. */
function targetOf({ kind, app, subject, reason }: Attention): Target | undefined {
  switch (kind) {
    case 'destination_stopped':
    case 'destination_failing':
    case 'dead_letters':
      return { to: '/push', search: { app, destination: subject }, text: 'Destination' }
    case 'endpoints_failing':
      return { to: '/accounts', search: { app, service: subject, reason }, text: 'Accounts' }
    case 'needs_auth':
      return { to: '/accounts', search: { app, service: subject, state: 'needs_auth' }, text: 'Accounts' }
    case 'endpoints_parked':
      return { to: '/accounts', search: { app, reason: 'worker_died' }, text: 'Accounts' }
    case 'records_quarantined':
    case 'fields_unreadable':
      return { to: '/accounts/faults', search: { app }, text: 'Records' }
    case 'sync_late':
      return { to: '/accounts', search: { app }, text: 'Accounts' }
    case 'backup_old':
      return { to: '/settings', search: {}, text: 'Backups' }
    case 'not_ready':
    case 'worker_down':
    case 'quota_near':
    case 'quota_reached':
    case 'spending_stopped':
      break
  }
  return undefined
}

/** What somebody should look at first, with a link to where it can be repaired. */
export function AttentionList({ entries }: { entries: Attention[] }) {
  const { data: apps } = useApps()
  const nameOf = (id: string) => apps?.find(({ client_id: each }) => each === id)?.name ?? id
  return (
    <section className="card" aria-labelledby="attention">
      <h2 id="attention">Requires attention</h2>
      {entries.length === 0 ? (
        <p className="row">
          <Badge tone="good">All is well</Badge>
          <span className="soft">Nothing fails, nothing waits for you.</span>
        </p>
      ) : (
        <ul className="overview-attention">
          {entries.map((entry) => (
            <Entry key={[entry.kind, entry.app, entry.subject, entry.reason].join()} entry={entry}>
              {entry.app !== undefined && <span className="soft">{nameOf(entry.app)}</span>}
            </Entry>
          ))}
        </ul>
      )}
    </section>
  )
}

function Entry({ entry, children }: { entry: Attention; children: ReactNode }) {
  const target = targetOf(entry)
  return (
    <li>
      <Badge tone={entry.level}>{entry.level === 'bad' ? 'urgent' : 'check'}</Badge>
      <span className="overview-text">{entry.text}</span>
      {children}
      {target !== undefined && (
        <PageLink to={target.to} search={target.search}>
          {target.text}
          <span className="hidden-text">: {entry.text}</span>
        </PageLink>
      )}
    </li>
  )
}
