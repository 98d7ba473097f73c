/** A part of the world in tenths of a degree: x from 180° W, y from 90° N. */
export interface View {
  x: number
  y: number
  width: number
}

/** Without the poles, where nobody checks in. */
export const WORLD: View = { x: 0, y: 40, width: 3600 }
const WORLD_BOTTOM = 1500
/** Limit: the narrowest view, 40 km at the equator. */
const MIN_WIDTH = 4
/** Height by width, as the panel shows it. */
export const RATIO = 0.4
/** Half the circumference of the earth: everything is nearer. */
const FARTHEST_KM = 20_038
const KM_PER_TENTH = 11.12

export const xOf = (lng: number): number => (lng + 180) * 10
export const yOf = (lat: number): number => (90 - lat) * 10

/** Zooms so that the point stays where it is. A factor below 1 goes nearer. */
export function zoom(view: View, factor: number, at = centreOf(view)): View {
  const width = Math.min(WORLD.width, Math.max(MIN_WIDTH, view.width * factor))
  const scale = width / view.width
  return kept({ x: at.x - (at.x - view.x) * scale, y: at.y - (at.y - view.y) * scale, width })
}

export const pan = (view: View, dx: number, dy: number): View => kept({ ...view, x: view.x + dx, y: view.y + dy })

/** Keeps the view on the map. */
function kept({ x, y, width }: View): View {
  const bottom = Math.max(WORLD.y, WORLD_BOTTOM - width * RATIO)
  return { x: Math.min(3600 - width, Math.max(0, x)), y: Math.min(bottom, Math.max(WORLD.y, y)), width }
}

export const centreOf = ({ x, y, width }: View) => ({ x: x + width / 2, y: y + (width * RATIO) / 2 })

/** `near` and `within` of the API for what the view shows; the whole world for a wide one. */
export function nearOf(view: View): { near: string; within: number } {
  if (view.width > 1200) return { near: '0,0', within: FARTHEST_KM }
  const { x, y } = centreOf(view)
  const digits = view.width > 100 ? 1 : 3
  const radius = (Math.hypot(view.width, view.width * RATIO) / 2) * KM_PER_TENTH
  return {
    near: `${(90 - y / 10).toFixed(digits)},${(x / 10 - 180).toFixed(digits)}`,
    within: Math.max(1, Math.ceil(radius)),
  }
}

export interface Placed {
  id: string
  x: number
  y: number
}

export interface Cluster<T extends Placed> {
  key: string
  x: number
  y: number
  items: T[]
}

/** Joins what would overlap: items in one cell of a grid are one point, in their middle. */
export function clustersOf<T extends Placed>(items: readonly T[], cell: number): Cluster<T>[] {
  const cells = new Map<string, T[]>()
  for (const item of items) {
    const key = `${Math.floor(item.x / cell)} ${Math.floor(item.y / cell)}`
    const found = cells.get(key)
    if (found === undefined) cells.set(key, [item])
    else found.push(item)
  }
  const middle = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length
  return [...cells].map(([key, inside]) => ({
    key,
    items: inside,
    x: middle(inside.map(({ x }) => x)),
    y: middle(inside.map(({ y }) => y)),
  }))
}
