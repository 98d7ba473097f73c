import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { app as asApp, request } from '../../../api/core.ts'
import { QueryView } from '../../../ui/query-view.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { useAddress } from '../../address.ts'
import { useCurrentApp } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { destinationSearch } from '../../search.ts'
import { DeadLetters } from './dead-letters.tsx'
import { Deliveries } from './deliveries.tsx'
import { DestinationSettings } from './destination-settings.tsx'
import { DestinationState } from './destination-state.tsx'
import { History } from './history.tsx'
import { KINDS } from './kinds.ts'
import { Repair } from './repair.tsx'
import './page.css'

const REFRESH_MS = 3000
const TABS = [
  { name: 'now', title: 'Now' },
  { name: 'deliveries', title: 'Deliveries' },
  { name: 'dead', title: 'Dead letters' },
  { name: 'repair', title: 'Replay and verify' },
  { name: 'settings', title: 'Settings' },
] as const

export default function DestinationPage() {
  const app = useCurrentApp()
  const { destination: id } = useParams({ from: '/framed/push/$destination' })
  return app === undefined ? <p role="status">Loading…</p> : <OneDestination key={`${app} ${id}`} app={app} id={id} />
}

function OneDestination({ app, id }: { app: string; id: string }) {
  const [{ tab = 'now' }, change] = useAddress(destinationSearch)
  const found = useQuery({ ...request(asApp(app), 'GET /push/{id}', { path: { id } }), refetchInterval: REFRESH_MS })
  return (
    <div className="stack">
      <QueryView query={found}>
        {(destination) => (
          <>
            <PageTitle title={destination.name}>
              <span className="soft">
                {KINDS[destination.kind].title} · <code>{destination.url}</code>
              </span>
            </PageTitle>
            <DestinationState app={app} destination={destination} />
            <Tabs
              label="Parts of the destination"
              tabs={TABS}
              current={tab}
              onChoose={(name) => change({ tab: name === 'now' ? undefined : name })}
            />
            {tab === 'now' && <History app={app} id={id} lagMs={destination.lag_ms} />}
            {tab === 'deliveries' && <Deliveries app={app} id={id} />}
            {tab === 'dead' && <DeadLetters app={app} destination={destination} />}
            {tab === 'repair' && <Repair app={app} destination={destination} />}
            {tab === 'settings' && <DestinationSettings app={app} destination={destination} />}
          </>
        )}
      </QueryView>
      <p>
        <Link to="/push" search={{ app }}>
          All destinations
        </Link>
      </p>
    </div>
  )
}
