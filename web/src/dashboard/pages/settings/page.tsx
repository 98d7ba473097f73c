import { useQuery } from '@tanstack/react-query'
import type { ResponseOf } from '@tributary-hub/client/core.ts'
import type { ReactNode } from 'react'
import { operator, request } from '../../../api/core.ts'
import { Badge } from '../../../ui/badge.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Table } from '../../../ui/table.tsx'
import { PageTitle } from '../../page-title.tsx'
import { LastBackup } from './last-backup.tsx'
import { Maintenance } from './maintenance.tsx'

type Settings = ResponseOf<'GET /admin/settings'>

const number = new Intl.NumberFormat('en')

/** How the installation is set up. What changes it is set where the server starts, so the page shows the commands. */
export default function SettingsPage() {
  const settings = useQuery(request(operator, 'GET /admin/settings'))
  return (
    <div className="stack">
      <PageTitle title="Settings" />
      <QueryView query={settings}>
        {(found) => (
          <>
            <Installation {...found} />
            <Keys keys={found.keys} />
            <Section title="Backups">
              <LastBackup {...found.backups} />
              <p>Run these where the server runs; they work while it runs.</p>
              <CodeBlock text={found.backups.commands.join('\n')} label="Commands for backups" />
            </Section>
            <Workers workers={found.workers} />
            <Section title="Maintenance">
              <Maintenance tasks={found.maintenance} />
            </Section>
            <Section title="Retention">
              <Table
                label="Retention"
                rows={found.retention}
                rowKey={({ what }) => what}
                columns={[
                  { title: 'What', cell: ({ what }) => what.replaceAll('_', ' ') },
                  { title: 'Days', isNumber: true, cell: ({ days }) => number.format(days) },
                ]}
              />
              <p className="soft">Items are kept until they are erased.</p>
            </Section>
            <Section title="Default quotas">
              <Table
                label="Default quotas"
                rows={found.quotas}
                rowKey={({ name }) => name}
                columns={[
                  { title: 'Variable', cell: ({ name }) => <code>{name}</code> },
                  {
                    title: 'Limit',
                    isNumber: true,
                    cell: ({ limit }) => (limit === null ? 'none' : number.format(limit)),
                  },
                  { title: 'Meaning', cell: ({ meaning }) => meaning },
                ]}
              />
            </Section>
          </>
        )}
      </QueryView>
    </div>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = `settings-${title.replaceAll(/\W/g, '-')}`
  return (
    <section className="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

function Installation({ version, base_url: url, database, sessions, trusted_proxies: proxies }: Settings) {
  const facts: [string, ReactNode][] = [
    ['Version', version],
    ['Address', <code key="url">{url}</code>],
    [
      'Database',
      `${database.version}, ${database.kind}${database.sharded ? ', sharded' : ''}${database.replica ? ', with a replica for reading' : ''}`,
    ],
    [
      'Migrations',
      database.pending_migrations === 0 ? (
        <Badge key="migrations" tone="good">
          up to date
        </Badge>
      ) : (
        <Badge key="migrations" tone="warn">{`${database.pending_migrations} pending`}</Badge>
      ),
    ],
    ['Trusted proxies', String(proxies)],
    ['Sessions', `end after ${sessions.idle_hours} hours without use, and after ${sessions.days} days`],
  ]
  return (
    <Section title="Installation">
      <Table
        label="Installation"
        rows={facts}
        rowKey={([name]) => name}
        columns={[
          { title: 'Setting', cell: ([name]) => name },
          { title: 'Value', cell: ([, value]) => value },
        ]}
      />
    </Section>
  )
}

function Keys({ keys }: { keys: Settings['keys'] }) {
  return (
    <Section title="Sealing keys">
      <p>
        {keys.source === 'file' ? 'The keys are in the key file.' : 'The keys come from the variable TRIBUTARY_KEY.'}{' '}
        The key <code>{keys.newest}</code> seals{keys.old === 0 ? '.' : `; ${keys.old} older ones still open values.`}
      </p>
      <p>
        Keys are rotated on the command line only: the new key is written to a file that has to be backed up, and a
        stolen session must not be able to change it.
      </p>
      <CodeBlock text={keys.commands.join('\n')} label="Commands for keys" />
    </Section>
  )
}

const WORKER_TONES = { running: 'good', starting: 'plain', idle: 'plain', down: 'bad' } as const

function Workers({ workers }: { workers: Settings['workers'] }) {
  return (
    <Section title="Worker processes">
      <Table
        label="Worker processes"
        rows={workers}
        rowKey={({ lane }) => lane}
        empty="The work runs in the server's own process."
        columns={[
          { title: 'Work', cell: ({ lane }) => lane },
          {
            title: 'State',
            cell: ({ state }) => <Badge tone={WORKER_TONES[state]}>{state}</Badge>,
          },
          { title: 'Process', isNumber: true, cell: ({ pid }) => pid },
          {
            title: 'Memory, MB',
            isNumber: true,
            cell: ({ pid, memory_bytes: bytes }) => (pid === undefined ? '–' : number.format(Math.round(bytes / 1e6))),
          },
          { title: 'Restarts', isNumber: true, cell: ({ deaths }) => deaths },
        ]}
      />
    </Section>
  )
}
