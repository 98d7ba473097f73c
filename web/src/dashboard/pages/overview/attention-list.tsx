import { Link } from '@tanstack/react-router'
import type { Attention } from '@tributary-hub/client/generated/api.ts'
import type { ReactNode } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { useApps } from '../../current-app.ts'
import { targetOf } from './attention-target.ts'

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
        <Link {...target.link}>
          {target.text}
          <span className="hidden-text">: {entry.text}</span>
        </Link>
      )}
    </li>
  )
}
