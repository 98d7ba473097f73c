import { lazy, Suspense, useState } from 'react'
import { type Placed, type View, WORLD, xOf, yOf } from '../../../demo/map/view.ts'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { type Shown, serviceOf, titleOf } from './item-words.ts'

const WorldMap = lazy(() => import('../../../demo/map/world-map.tsx'))

export const VIEWS = [
  { name: 'grid', title: 'Grid' },
  { name: 'list', title: 'List' },
  { name: 'map', title: 'Map' },
  { name: 'json', title: 'JSON' },
]

export function ItemView({ view, items, onOpen }: { view: string; items: Shown[]; onOpen: (id: string) => void }) {
  if (view === 'json') return <CodeBlock label="Items as JSON" text={JSON.stringify(items, undefined, 2)} />
  if (items.length === 0) return <p className="soft">No item matches.</p>
  if (view === 'list') return <ItemList items={items} onOpen={onOpen} />
  if (view === 'map') return <ItemMap items={items} onOpen={onOpen} />
  return <ItemGrid items={items} onOpen={onOpen} />
}

type ViewProps = { items: Shown[]; onOpen: (id: string) => void }

function ItemGrid({ items, onOpen }: ViewProps) {
  return (
    <ul className="items-grid">
      {items.map((item, index) => (
        <li key={item.id ?? index} className="card">
          {item.oembed?.thumbnail_url !== undefined && (
            <img src={item.oembed.thumbnail_url} alt="" loading="lazy" className="items-picture" />
          )}
          <OpenButton item={item} onOpen={onOpen} />
          <p className="items-text">{item.oembed?.text ?? item.oembed?.description ?? ''}</p>
          <p className="soft">
            {serviceOf(item)} {item.at !== undefined && <Time at={item.at} />}
          </p>
        </li>
      ))}
    </ul>
  )
}

function ItemList({ items, onOpen }: ViewProps) {
  return (
    <Table
      label="Items"
      rows={items.map((item, index) => ({ item, key: item.id ?? String(index) }))}
      rowKey={({ key }) => key}
      columns={[
        { title: 'When', cell: ({ item }) => (item.at === undefined ? '' : <Time at={item.at} />) },
        { title: 'Item', cell: ({ item }) => <OpenButton item={item} onOpen={onOpen} /> },
        { title: 'Service', cell: ({ item }) => serviceOf(item) },
        { title: 'Types', cell: ({ item }) => Object.keys(item.types ?? {}).join(', ') },
      ]}
    />
  )
}

type Place = Placed & { title: string }

function ItemMap({ items, onOpen }: ViewProps) {
  const [view, setView] = useState<View>(WORLD)
  const [chosen, setChosen] = useState<Place[]>([])
  const places = items.flatMap((item): Place[] => {
    const { lat, lng } = item.oembed ?? {}
    if (typeof lat !== 'number' || typeof lng !== 'number' || item.id === undefined) return []
    return [{ id: item.id, x: xOf(lng), y: yOf(lat), title: titleOf(item) }]
  })
  return (
    <div className="stack">
      <Suspense fallback={<div className="map map-world" />}>
        <WorldMap
          items={places}
          view={view}
          onView={setView}
          onChoose={(found) => (found.length === 1 ? onOpen(found[0]!.id) : setChosen(found))}
        />
      </Suspense>
      <p className="soft">
        {places.length} of {items.length} items of this page have a place.
      </p>
      {chosen.length > 0 && (
        <ul>
          {chosen.map(({ id, title }) => (
            <li key={id}>
              <button type="button" className="quiet" onClick={() => onOpen(id)}>
                {title}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function OpenButton({ item, onOpen }: { item: Shown; onOpen: (id: string) => void }) {
  const { id } = item
  if (id === undefined) return <code>{JSON.stringify(item).slice(0, 200)}</code>
  return (
    <button type="button" className="items-open" onClick={() => onOpen(id)}>
      {titleOf(item)}
    </button>
  )
}
