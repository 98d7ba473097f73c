import type { Overview } from '@tributary-hub/client/generated/api.ts'
import { formatBytes, formatCount } from '../../../ui/amounts.ts'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { Table } from '../../../ui/table.tsx'

const TONES: Record<string, Tone> = { running: 'good', starting: 'plain', idle: 'plain', down: 'bad' }

/** Whether the installation is ready, and its worker processes. */
export function Health({ health: { ready, checks, version, workers } }: { health: NonNullable<Overview['health']> }) {
  return (
    <section className="card" aria-labelledby="health">
      <div className="row apart">
        <h2 id="health">Health</h2>
        <span className="soft">version {version}</span>
      </div>
      <p className="row">
        <Badge tone={ready ? 'good' : 'bad'}>{ready ? 'ready' : 'not ready'}</Badge>
        {Object.entries(checks).map(([name, { ok, detail }]) => (
          <span key={name} className={ok ? 'soft' : 'overview-failed'}>
            {ok ? '✓' : '✗'} {name}: {detail}
          </span>
        ))}
      </p>
      {workers.length > 0 && (
        <Table
          label="Worker processes of the process that answered"
          rows={workers}
          rowKey={({ lane }) => lane}
          columns={[
            { title: 'Worker process', cell: ({ lane }) => lane },
            { title: 'State', cell: ({ state }) => <Badge tone={TONES[state] ?? 'plain'}>{state}</Badge> },
            { title: 'Jobs', isNumber: true, cell: ({ jobs }) => formatCount(jobs) },
            {
              title: 'Memory',
              isNumber: true,
              cell: ({ state, memory_bytes: bytes }) => (state === 'idle' ? '–' : formatBytes(bytes)),
            },
            { title: 'Unexpected ends', isNumber: true, cell: ({ deaths }) => formatCount(deaths) },
          ]}
        />
      )}
    </section>
  )
}
