import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call, type ResponseOf } from '@tributary-hub/client/core.ts'
import { asOperator } from '../../../api/core.ts'
import { keyOf, OPERATOR } from '../../../api/keys.ts'
import { QueryView } from '../../../ui/query-view.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useAddress } from '../../address.ts'
import { useCurrentApp } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { logSearch } from '../../search.ts'
import { Filters } from './filters.tsx'
import './log.css'
import { filtersIn } from './log-filters.ts'
import { duration } from './step-words.ts'
import { KIND_NAMES, OutcomeBadge, ReasonLink } from './words.tsx'

type LogPage = ResponseOf<'GET /admin/apps/{client_id}/log'>

const LIVE_MS = 2000

export default function LogPage() {
  const app = useCurrentApp()
  const [address, change] = useAddress(logSearch)
  const isLive = address.live === '1'
  return (
    <div className="stack">
      <PageTitle title="Log">
        <button
          type="button"
          className={isLive ? undefined : 'quiet'}
          aria-pressed={isLive}
          onClick={() => change({ live: isLive ? undefined : '1' }, { replace: true })}
        >
          Live
        </button>
      </PageTitle>
      <Filters />
      {app === undefined ? <p>There is no app yet.</p> : <Operations app={app} isLive={isLive} />}
    </div>
  )
}

function Operations({ app, isLive }: { app: string; isLive: boolean }) {
  const [address] = useAddress(logSearch)
  const query = filtersIn(address)
  const log = useInfiniteQuery({
    queryKey: keyOf('GET /admin/apps/{client_id}/log', OPERATOR, { client_id: app }, query),
    queryFn: ({ pageParam, signal }): Promise<LogPage> =>
      call(asOperator, 'GET /admin/apps/{client_id}/log', {
        path: { client_id: app },
        query: { ...query, ...(pageParam === '' ? {} : { cursor: pageParam }) },
        options: { signal },
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    refetchInterval: isLive ? LIVE_MS : false,
  })
  return (
    <section className="card" aria-label="Operations" aria-busy={log.isFetching}>
      <QueryView query={log}>
        {({ pages }) => (
          <>
            <Table
              label="Operations"
              rows={pages.flatMap(({ operations }) => operations)}
              rowKey={({ id }) => id}
              empty={log.hasNextPage ? 'Nothing matches among the newest entries.' : 'Nothing is logged that matches.'}
              columns={[
                { title: 'When', cell: ({ at }) => <Time at={at} /> },
                { title: 'What', cell: ({ kind, service }) => [KIND_NAMES[kind], service].filter(Boolean).join(' · ') },
                {
                  title: 'Outcome',
                  cell: ({ outcome, reason }) => (
                    <>
                      <OutcomeBadge outcome={outcome} /> {reason !== undefined && <ReasonLink reason={reason} />}
                    </>
                  ),
                },
                {
                  title: 'Summary',
                  cell: ({ id, summary }) => (
                    <Link to="/log/$id" params={{ id }} search={{ app }}>
                      {summary}
                    </Link>
                  ),
                },
                { title: 'Took', isNumber: true, cell: ({ ms }) => duration(ms) },
              ]}
            />
            {log.hasNextPage && (
              <p className="log-more">
                <button
                  type="button"
                  className="quiet"
                  disabled={log.isFetchingNextPage}
                  onClick={() => void log.fetchNextPage()}
                >
                  {log.isFetchingNextPage ? 'Searching…' : 'Show older'}
                </button>
              </p>
            )}
          </>
        )}
      </QueryView>
    </section>
  )
}
