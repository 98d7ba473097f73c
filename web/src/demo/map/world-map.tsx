import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { LAND } from './land.ts'
import { type Cluster, clustersOf, type Placed, pan, RATIO, type View, WORLD, zoom } from './view.ts'
import './map.css'

/** In pixels of the screen. */
const CELL = 42
const EDGE = 16
const MOVED = 4
const NEARER = 0.5

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-0.2, 0],
  ArrowRight: [0.2, 0],
  ArrowUp: [0, -0.2],
  ArrowDown: [0, 0.2],
}

/** The world with a point for each place: drag or arrows move it, the buttons and a pinch zoom. */
export default function WorldMap<T extends Placed & { title: string }>({
  items,
  view,
  onView,
  onChoose,
}: {
  items: readonly T[]
  view: View
  onView: (view: View) => void
  onChoose: (items: T[]) => void
}) {
  const [pixels, setPixels] = useState(800)
  const svg = useRef<SVGSVGElement>(null)
  const drag = useRef<{ x: number; y: number; view: View; moved: boolean }>(undefined)
  const scale = view.width / pixels
  const clusters = clustersOf(items, CELL * scale).filter((each) => isInside(each, view))

  useEffect(() => {
    const target = svg.current
    if (target === null) return undefined
    const observer = new ResizeObserver(() => setPixels(Math.max(1, target.clientWidth)))
    observer.observe(target)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    const target = svg.current
    if (target === null) return undefined
    // A plain wheel scrolls the page; a pinch arrives as a wheel with Ctrl. React listens passively and could not prevent it.
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      const box = target.getBoundingClientRect()
      const at = { x: view.x + (event.clientX - box.x) * scale, y: view.y + (event.clientY - box.y) * scale }
      onView(zoom(view, event.deltaY > 0 ? 1.25 : 0.8, at))
    }
    target.addEventListener('wheel', onWheel, { passive: false })
    return () => target.removeEventListener('wheel', onWheel)
  })

  const onPointerMove = (event: PointerEvent<SVGSVGElement>) => {
    const from = drag.current
    if (from === undefined) return
    const [dx, dy] = [from.x - event.clientX, from.y - event.clientY]
    if (!from.moved && Math.hypot(dx, dy) < MOVED) return
    if (!from.moved) event.currentTarget.setPointerCapture(event.pointerId)
    from.moved = true
    onView(pan(from.view, dx * scale, dy * scale))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = ARROWS[event.key]
    if (step !== undefined) onView(pan(view, step[0] * view.width, step[1] * view.width))
    else if (event.key === '+' || event.key === '-') onView(zoom(view, event.key === '+' ? NEARER : 1 / NEARER))
    else return
    event.preventDefault()
  }
  const choose = (cluster: Cluster<T>) => {
    if (drag.current?.moved === true) return
    if (cluster.items.length > 1) onView(zoom(centred(view, cluster), 0.25))
    onChoose(cluster.items)
  }

  return (
    <div className="map" onKeyDown={onKeyDown}>
      <svg
        ref={svg}
        className="map-world"
        viewBox={`${view.x} ${view.y} ${view.width} ${view.width * RATIO}`}
        role="group"
        aria-label={`Map with ${items.length} places`}
        onPointerDown={({ clientX: x, clientY: y }) => (drag.current = { x, y, view, moved: false })}
        onPointerMove={onPointerMove}
        onPointerUp={() => setTimeout(() => (drag.current = undefined))}
        onPointerCancel={() => (drag.current = undefined)}
        onDoubleClick={() => onView(zoom(view, NEARER))}
      >
        <path className="map-land" d={LAND} />
        {clusters.map((cluster) => (
          <Point
            key={cluster.key}
            cluster={onMap(cluster, view, scale)}
            scale={scale}
            onClick={() => choose(cluster)}
          />
        ))}
      </svg>
      <div className="map-buttons">
        <button type="button" className="quiet" aria-label="Zoom in" onClick={() => onView(zoom(view, NEARER))}>
          +
        </button>
        <button type="button" className="quiet" aria-label="Zoom out" onClick={() => onView(zoom(view, 1 / NEARER))}>
          −
        </button>
        <button type="button" className="quiet" onClick={() => onView(WORLD)}>
          World
        </button>
      </div>
    </div>
  )
}

function Point<T extends Placed & { title: string }>({
  cluster: { x, y, items },
  scale,
  onClick,
}: {
  cluster: Cluster<T>
  scale: number
  onClick: () => void
}) {
  const count = items.length
  const radius = (count === 1 ? 7 : 10 + Math.log2(count) * 2) * scale
  const place = `${(90 - y / 10).toFixed(1)}, ${(x / 10 - 180).toFixed(1)}`
  return (
    <g
      className={count === 1 ? 'map-point' : 'map-point map-many'}
      role="button"
      tabIndex={0}
      aria-label={count === 1 ? items[0]!.title : `${count} items at ${place}`}
      onClick={onClick}
      onKeyDown={(event) => (event.key === 'Enter' || event.key === ' ') && onClick()}
    >
      <circle cx={x} cy={y} r={radius} />
      {count > 1 && (
        <text x={x} y={y} fontSize={12 * scale} dy={4 * scale}>
          {count}
        </text>
      )}
      <title>{count === 1 ? items[0]!.title : `${count} items`}</title>
    </g>
  )
}

/** A point at the edge is drawn whole. */
function onMap<T extends Placed>(cluster: Cluster<T>, view: View, scale: number): Cluster<T> {
  const margin = EDGE * scale
  return { ...cluster, x: Math.min(view.x + view.width - margin, Math.max(view.x + margin, cluster.x)) }
}

const isInside = ({ x, y }: { x: number; y: number }, view: View) =>
  x >= view.x && x <= view.x + view.width && y >= view.y && y <= view.y + view.width * RATIO

const centred = (view: View, { x, y }: { x: number; y: number }): View => ({
  ...view,
  x: x - view.width / 2,
  y: y - (view.width * RATIO) / 2,
})
