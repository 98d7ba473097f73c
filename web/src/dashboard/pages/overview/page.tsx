import './page.css'
import { useQuery } from '@tanstack/react-query'
import type { Overview } from '@tributary-hub/client/generated/api.ts'
import { operator, request } from '../../../api/core.ts'
import { formatDuration, formatShort } from '../../../ui/amounts.ts'
import { QueryView } from '../../../ui/query-view.tsx'
import { Time } from '../../../ui/time.tsx'
import { useAddress } from '../../address.ts'
import { useApps, useCurrentApp } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { overviewSearch } from '../../search.ts'
import { useIsOperator } from '../../session.ts'
import { AttentionList } from './attention-list.tsx'
import { figuresOf } from './figures.ts'
import { Health } from './health.tsx'
import { ItemsChart } from './items-chart.tsx'
import { Limits } from './limits.tsx'
import { ProfileStates } from './profile-states.tsx'
import { RecentFailures } from './recent-failures.tsx'
import { Destinations, Failures } from './troubles.tsx'

const REFRESH_MS = 10_000

/** A developer sees one app; an operator sees all of them or one. */
function useOverview() {
  const [{ scope }] = useAddress(overviewSearch)
  const app = useCurrentApp()
  const { data: apps } = useApps()
  const isOperator = useIsOperator()
  const isOneApp = scope === 'app' || isOperator === false
  // While the page is in the background, nothing is asked.
  const all = useQuery({
    ...request(operator, 'GET /admin/overview'),
    refetchInterval: REFRESH_MS,
    enabled: isOperator === true && !isOneApp,
  })
  const one = useQuery({
    ...request(operator, 'GET /admin/apps/{client_id}/overview', { path: { client_id: app ?? '' } }),
    refetchInterval: REFRESH_MS,
    enabled: isOneApp && app !== undefined,
  })
  const lacksApp = isOneApp && app === undefined && apps?.length === 0
  return { query: isOneApp ? one : all, isOneApp, isOperator, lacksApp }
}

export default function OverviewPage() {
  const { query, isOneApp, isOperator, lacksApp } = useOverview()
  const [, change] = useAddress(overviewSearch)
  return (
    <div className="stack">
      <PageTitle title="Overview">
        {isOperator && (
          <div className="overview-scope" role="group" aria-label="Apps">
            <button
              type="button"
              className="quiet"
              aria-pressed={!isOneApp}
              onClick={() => change({ scope: undefined })}
            >
              All apps
            </button>
            <button type="button" className="quiet" aria-pressed={isOneApp} onClick={() => change({ scope: 'app' })}>
              This app
            </button>
          </div>
        )}
      </PageTitle>
      {lacksApp ? (
        <p>{isOperator ? 'There is no app yet.' : 'You have no app yet. An operator decides which apps are yours.'}</p>
      ) : (
        <QueryView query={query}>{(overview) => <Figures overview={overview} />}</QueryView>
      )}
    </div>
  )
}

function Figures({ overview }: { overview: Overview }) {
  return (
    <>
      <AttentionList entries={overview.attention} />
      <Tiles overview={overview} />
      <ItemsChart hours={overview.items_per_hour} />
      <div className="overview-pair">
        <ProfileStates profiles={overview.profiles} />
        <Failures endpoints={overview.sync.endpoints} />
      </div>
      <RecentFailures overview={overview} />
      <Destinations destinations={overview.push} />
      <Limits quotas={overview.quotas} spending={overview.spending} />
      {overview.health !== undefined && <Health health={overview.health} />}
      <p className="soft">
        Read <Time at={overview.at} />. The page refreshes itself.
      </p>
    </>
  )
}

function Tiles({ overview }: { overview: Overview }) {
  const { sync, push } = overview
  const { total, active, added, updated, pushLag, behind } = figuresOf(overview)
  return (
    <dl className="overview-tiles">
      <Tile label="Profiles" value={formatShort(total)} note={`${formatShort(active)} active`} />
      <Tile label="Items, 24 hours" value={formatShort(added)} note={`${formatShort(updated)} updated`} />
      <Tile label="Sync lag" value={formatDuration(sync.lag_ms)} note={`${formatShort(sync.due)} profiles wait`} />
      <Tile
        label="Push lag"
        value={push.length === 0 ? '–' : formatDuration(pushLag)}
        note={push.length === 0 ? 'no destinations' : `${formatShort(behind)} changes wait`}
      />
    </dl>
  )
}

function Tile({ label, value, note }: { label: string; value: string; note: string }) {
  return (
    <div className="card overview-tile">
      <dt>{label}</dt>
      <dd className="overview-value">{value}</dd>
      <dd className="soft">{note}</dd>
    </div>
  )
}
