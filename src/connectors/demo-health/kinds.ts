import { kind, linksIn, timeOf } from '#kit/read/kind.ts'

interface Someone {
  id: string
  username?: string
}

interface Point {
  lat?: number
  lng?: number
}

export interface Activity {
  id: number
  sport?: string
  name?: string
  note?: string | null
  start_time?: string
  elapsed_seconds?: number
  moving_seconds?: number
  distance_m?: number
  calories?: number
  heart_rate?: { average?: number } | null
  start_point?: Point | null
  end_point?: Point | null
  companions?: Someone[]
  cheers?: Someone[]
  updated_at?: number
}

export interface Measure {
  id: number
  taken_at?: number
  metric?: string
  value?: number
  exponent?: number
  unit?: string
}

export interface Device {
  id: string
  model?: string
  kind?: string
}

/** The record has only the other participants, not the owner. */
export const activity = kind<Activity>({
  name: 'activity',
  id: ({ id }) => id,
  at: ({ start_time }) => timeOf(start_time),
  participants: ({ companions, cheers }) => ({
    others: [...(companions ?? []), ...(cheers ?? [])].map(({ id }) => id),
  }),
  place: ({ start_point, end_point }) => pointOf(start_point) ?? pointOf(end_point),
  map: {
    name: ({ name }) => name,
    text: ({ note }) => note,
    urls: ({ note }) => linksIn(note),
    sport: ({ sport }) => sport,
    seconds: ({ moving_seconds, elapsed_seconds }) => moving_seconds ?? elapsed_seconds,
    meters: ({ distance_m }) => distance_m,
    calories: ({ calories }) => calories,
    heart_rate: ({ heart_rate }) => heart_rate?.average,
    starts: ({ start_time }) => timeOf(start_time),
    ends: ({ start_time, elapsed_seconds }) => {
      const startMs = timeOf(start_time)
      return startMs === undefined || elapsed_seconds === undefined ? undefined : startMs + elapsed_seconds * 1000
    },
    counts: ({ cheers }) => cheers && { likes: cheers.length },
  },
  card: { description: ({ note }) => note },
})

export const measure = kind<Measure>({
  name: 'measure',
  id: ({ id }) => id,
  at: ({ taken_at }) => (taken_at === undefined ? undefined : taken_at * 1000),
  map: {
    metric: ({ metric }) => metric,
    value: realValue,
    unit: ({ unit }) => unit,
  },
  card: {
    title: ({ metric }) => metric?.replaceAll('_', ' '),
    description: (raw) => [realValue(raw), raw.unit].filter((part) => part !== undefined).join(' '),
  },
})

export const device = kind<Device>({
  name: 'device',
  id: ({ id }) => id,
  map: { name: ({ model }) => model },
  card: { description: ({ kind: what }) => what },
})

/**
 * The value is an integer and a power of ten. Parsed as a decimal string, because multiplying would turn 71.25 into
 * 71.25000000000001.
 */
function realValue({ value, exponent }: Measure): number | undefined {
  return value === undefined ? undefined : Number(`${value}e${exponent ?? 0}`)
}

/** Undefined unless both coordinates are present. */
function pointOf(point: Point | null | undefined): { lat: number; lng: number } | undefined {
  return point?.lat === undefined || point.lng === undefined ? undefined : { lat: point.lat, lng: point.lng }
}
