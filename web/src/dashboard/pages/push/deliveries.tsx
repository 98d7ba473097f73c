import { useQuery } from '@tanstack/react-query'
import { app as asApp, request } from '../../../api/core.ts'
import { formatCount } from '../../../ui/amounts.ts'
import { Badge } from '../../../ui/badge.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useAddress } from '../../address.ts'
import { destinationSearch } from '../../search.ts'

const SHOWN = 50

/** Deliveries, newest first, a page at a time; the page is in the address. */
export function Deliveries({ app, id }: { app: string; id: string }) {
  const [{ before }, change] = useAddress(destinationSearch)
  const query = { limit: SHOWN, ...(before === undefined ? {} : { before }) }
  const deliveries = useQuery(request(asApp(app), 'GET /push/{id}/deliveries', { path: { id }, query }))
  return (
    <section className="card stack" aria-label="Deliveries">
      <QueryView query={deliveries}>
        {(rows) => (
          <>
            <Table
              label="Deliveries"
              rows={rows}
              rowKey={(each) => each.id}
              empty="No deliveries yet."
              columns={[
                { title: 'When', cell: ({ at }) => <Time at={at} /> },
                {
                  title: 'Result',
                  cell: ({ ok, error }) =>
                    ok ? (
                      <Badge tone="good">delivered</Badge>
                    ) : (
                      <span className="push-error">
                        <Badge tone="bad">failed</Badge> {error}
                      </span>
                    ),
                },
                { title: 'Rows', isNumber: true, cell: ({ rows: n }) => formatCount(n) },
                { title: 'Time', isNumber: true, cell: ({ ms }) => `${ms} ms` },
                { title: 'Attempt', isNumber: true, cell: ({ attempt }) => attempt },
                { title: 'Profile', cell: ({ profile }) => <code>{profile}</code> },
              ]}
            />
            <div className="row apart">
              {before === undefined ? (
                <span />
              ) : (
                <button type="button" className="quiet" onClick={() => change({ before: undefined })}>
                  Newest
                </button>
              )}
              {rows.length === SHOWN && (
                <button type="button" onClick={() => change({ before: rows.at(-1)?.id })}>
                  Older
                </button>
              )}
            </div>
          </>
        )}
      </QueryView>
    </section>
  )
}
