import { call } from '@tributary-hub/client/core.ts'
import type { EndpointProgress, SyncProgress } from '@tributary-hub/client/generated/api.ts'
import { account as forAccount } from '../../../api/core.ts'
import { formatCount } from '../../../ui/amounts.ts'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { profilesChanged } from '../../changes.ts'

const TONES: Record<EndpointProgress['state'], Tone> = {
  waiting: 'plain',
  running: 'plain',
  done: 'good',
  failing: 'bad',
  parked: 'bad',
  off: 'plain',
  paused: 'plain',
}
/** Beyond this an endpoint is not scheduled. */
const NEVER_MS = 100 * 365 * 86_400_000

interface Props {
  clientId: string
  account: string
  profile: string
  progress: SyncProgress
  onRequested: () => void
}

type Named = EndpointProgress & { name: string }

/** The endpoints of a profile: a bar while they are read, and what is wrong with them. */
export function EndpointTable({ clientId, account, profile, progress, onRequested }: Props) {
  const { run, error } = useAction()
  const rows: Named[] = Object.entries(progress).map(([name, each]) => ({ name, ...each }))
  const request = (body: Record<string, boolean>) =>
    run(profilesChanged(clientId, account), async () => {
      await call(forAccount(account).core, 'POST /profiles/{profile}/sync', { path: { profile }, body })
      onRequested()
    })
  return (
    <>
      <Table
        label={`Endpoints of ${profile}`}
        rows={rows}
        rowKey={({ name }) => name}
        empty="No endpoint has been read yet."
        columns={[
          { title: 'Endpoint', cell: ({ name }) => <code>{name}</code> },
          {
            title: 'State',
            cell: (endpoint) => (
              <div className="accounts-endpoint">
                <Badge tone={TONES[endpoint.state]}>{endpoint.state}</Badge>
                {(endpoint.state === 'running' || endpoint.state === 'waiting') && (
                  <progress
                    max={1}
                    value={endpoint.progress}
                    aria-label={`${endpoint.name}: ${Math.round(endpoint.progress * 100)} %`}
                  />
                )}
              </div>
            ),
          },
          { title: 'Items', isNumber: true, cell: ({ items }) => formatCount(items) },
          { title: 'Last run', cell: ({ last_run: at }) => <Time at={at} /> },
          {
            title: 'Next run',
            cell: ({ next_run: at }) => (at > Date.now() + NEVER_MS ? '–' : <Time at={Math.max(at, Date.now())} />),
          },
          { title: 'Notes', cell: (endpoint) => <Notes endpoint={endpoint} request={request} /> },
        ]}
      />
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  )
}

function Notes({
  endpoint,
  request,
}: {
  endpoint: Named
  request: (body: Record<string, boolean>) => Promise<boolean>
}) {
  const { name, faults, quarantined = 0, quarantine = [], suspect_deletes: suspects = 0 } = endpoint
  return (
    <div className="accounts-notes">
      {endpoint.last_reason !== undefined && (
        <span>
          <code>{endpoint.last_reason}</code> {endpoint.last_error}
        </span>
      )}
      {endpoint.state === 'parked' && (
        <button type="button" className="quiet" onClick={() => void request({ retry_parked: true })}>
          Try {name} again
        </button>
      )}
      {suspects > 0 && (
        <span>
          {formatCount(suspects)} items are missing at the service, more than is plausible.{' '}
          <button type="button" className="quiet" onClick={() => void request({ confirm_deletes: true })}>
            Accept as deleted
          </button>
        </span>
      )}
      {faults !== undefined && (
        <details>
          <summary>{formatCount(faults.count)} fields could not be read</summary>
          <ul>
            {faults.latest.map(({ field, message, kind, record, at }) => (
              <li key={`${record} ${field}`}>
                <code>
                  {kind}.{field}
                </code>{' '}
                of record <code>{record}</code>: {message} <Time at={at} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {quarantined > 0 && (
        <details>
          <summary>{formatCount(quarantined)} records could not be stored</summary>
          <ul>
            {quarantine.map(({ reason, sample, at }) => (
              <li key={sample}>
                {reason} <Time at={at} />
                <pre tabIndex={0} aria-label="Record">
                  {sample}
                </pre>
              </li>
            ))}
          </ul>
          <button type="button" className="quiet" onClick={() => void request({ retry_quarantined: true })}>
            Read the records of {name} again
          </button>
        </details>
      )}
    </div>
  )
}
