import type { Item } from '@tributary-hub/client/generated/api.ts'
import { lazy, Suspense, useContext, useEffect, useState } from 'react'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { openItem } from '../item/item-dialog.tsx'
import { titleOf } from '../item/item-words.ts'
import { Panel } from '../panel.tsx'
import { listItems } from '../requests/sdk-calls.ts'
import { useCall, useRecorder } from '../requests/use-call.ts'
import { SessionContext } from '../session-context.ts'
import { nearOf, type Placed, type View, WORLD, xOf, yOf } from './view.ts'
import './map.css'

const WorldMap = lazy(() => import('./world-map.tsx'))
const STILL_MS = 250
/** Limit: titles below the map. */
const MAX_LISTED = 12

type Place = Placed & { title: string }

/** Check-ins, activities and everything else with coordinates. The request asks for what the map shows. */
export function Places() {
  const recorder = useRecorder()
  const { until } = useContext(SessionContext)
  const [view, setView] = useState<View>(WORLD)
  const [chosen, setChosen] = useState<Place[]>([])
  const still = useStill(view)
  const query = { ...nearOf(still), limit: 500, select: 'id,idr,at,oembed', until }
  const { data, error } = useCall(recorder, 'map', listItems('all', query))
  const places = (data?.items ?? []).flatMap(placeOf)
  return (
    <Panel title="Map" name="map" note={data && `${places.length} places in view`} recorder={recorder}>
      {error !== null && <ErrorNotice error={error} />}
      <Suspense fallback={<div className="map map-world" />}>
        <WorldMap
          items={places}
          view={view}
          onView={setView}
          onChoose={(items) => (items.length === 1 ? openItem(items[0]!.id) : setChosen(items))}
        />
      </Suspense>
      {chosen.length > 0 && (
        <ul className="map-chosen">
          {chosen.slice(0, MAX_LISTED).map(({ id, title }) => (
            <li key={id}>
              <button
                type="button"
                className="quiet"
                onClick={() =>
                  openItem(
                    id,
                    chosen.map((each) => each.id),
                  )
                }
              >
                {title}
              </button>
            </li>
          ))}
          {chosen.length > MAX_LISTED && <li className="soft">and {chosen.length - MAX_LISTED} more</li>}
        </ul>
      )}
    </Panel>
  )
}

function placeOf(item: Item): Place[] {
  const { lat, lng } = item.oembed ?? {}
  return lat === undefined || lng === undefined ? [] : [{ id: item.id, x: xOf(lng), y: yOf(lat), title: titleOf(item) }]
}

/** The view once it rests: a drag must not send a request for each of its steps. */
function useStill(view: View): View {
  const [still, setStill] = useState(view)
  useEffect(() => {
    const timer = setTimeout(() => setStill(view), STILL_MS)
    return () => clearTimeout(timer)
  }, [view])
  return still
}
