import type { Overview } from '@tributary-hub/client/generated/api.ts'
import { formatShare } from '../../../ui/amounts.ts'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { Table } from '../../../ui/table.tsx'
import { useApps } from '../../current-app.ts'

/** Limit: quotas that the page shows, the most used first. */
const MAX_SHOWN = 6
/** Limit: a quota of which less is used is not shown. */
const MIN_SHOWN = 0.01
const NEAR = 0.8

const toneOf = (share: number): Tone => (share >= 1 ? 'bad' : share >= NEAR ? 'warn' : 'good')

/** Quotas that are used most, and what endpoints that cost money have cost this month. */
export function Limits({ quotas, spending }: Pick<Overview, 'quotas' | 'spending'>) {
  const { data: apps } = useApps()
  const nameOf = (id: string) => apps?.find(({ client_id: each }) => each === id)?.name ?? id
  return (
    <div className="overview-pair">
      <section className="card" aria-labelledby="quotas">
        <h2 id="quotas">Quotas</h2>
        <Table
          label="Quotas that are used most"
          rows={quotas.filter(({ share }) => share >= MIN_SHOWN).slice(0, MAX_SHOWN)}
          rowKey={({ app, quota }) => `${app} ${quota}`}
          empty="No quota is used to more than 1 %."
          columns={[
            { title: 'App', cell: ({ app }) => nameOf(app) },
            { title: 'Quota', cell: ({ quota }) => <code>{quota}</code> },
            {
              title: 'Used',
              cell: ({ share }) => <Badge tone={toneOf(share)}>{formatShare(Math.min(share, 9.99))}</Badge>,
            },
          ]}
        />
      </section>
      <section className="card" aria-labelledby="spending">
        <h2 id="spending">Spending this month</h2>
        <Table
          label="Spending by app and service"
          rows={spending}
          rowKey={({ app, service }) => `${app} ${service}`}
          empty="No endpoint that costs money was read."
          columns={[
            { title: 'App', cell: ({ app }) => nameOf(app) },
            { title: 'Service', cell: ({ service }) => service },
            { title: 'Spent', isNumber: true, cell: ({ spent, currency }) => `${spent.toFixed(2)} ${currency}` },
            {
              title: 'Limit',
              isNumber: true,
              cell: ({ limit, spent }) =>
                limit === undefined ? (
                  'none'
                ) : (
                  <Badge tone={toneOf(limit === 0 ? 1 : spent / limit)}>{limit.toFixed(2)}</Badge>
                ),
            },
          ]}
        />
      </section>
    </div>
  )
}
