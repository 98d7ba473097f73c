import { kind, timeOf } from '#kit/read/kind.ts'

export interface Activity {
  date: string
  steps?: number
  distance?: number
  calories?: number
  hr_average?: number
  modified?: number
}

export interface Workout {
  id: number
  category?: number
  startdate?: number
  enddate?: number
  modified?: number
  data?: { calories?: number; distance?: number; hr_average?: number; steps?: number }
}

export interface Sleep {
  id: number
  startdate?: number
  enddate?: number
  date?: string
  modified?: number
  data?: { total_sleep_time?: number; sleep_score?: number; hr_average?: number }
}

export interface Device {
  deviceid: string
  type?: string
  model?: string
}

const SPORTS = new Map([
  [1, 'walk'],
  [2, 'run'],
  [3, 'hike'],
  [4, 'skating'],
  [5, 'bmx'],
  [6, 'ride'],
  [7, 'swim'],
  [16, 'row'],
  [18, 'yoga'],
  [187, 'indoor_run'],
])

const ms = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000)

/** One day. */
export const activity = kind<Activity>({
  name: 'day',
  id: ({ date }) => date,
  at: ({ date }) => timeOf(date),
  map: {
    metric: ({ steps }) => (steps === undefined ? undefined : 'steps'),
    value: ({ steps }) => steps,
    unit: ({ steps }) => (steps === undefined ? undefined : 'steps'),
    meters: ({ distance }) => distance,
    calories: ({ calories }) => calories,
    heart_rate: ({ hr_average }) => hr_average,
  },
  card: { title: ({ steps }) => (steps === undefined ? undefined : `${steps} steps`) },
})

export const workout = kind<Workout>({
  name: 'workout',
  id: ({ id }) => id,
  at: ({ startdate }) => ms(startdate),
  map: {
    sport: ({ category }) => SPORTS.get(category ?? -1) ?? 'workout',
    starts: ({ startdate }) => ms(startdate),
    ends: ({ enddate }) => ms(enddate),
    seconds: ({ startdate, enddate }) =>
      startdate === undefined || enddate === undefined ? undefined : enddate - startdate,
    meters: ({ data }) => data?.distance,
    calories: ({ data }) => data?.calories,
    heart_rate: ({ data }) => data?.hr_average,
  },
})

export const sleep = kind<Sleep>({
  name: 'sleep',
  id: ({ id }) => id,
  at: ({ startdate }) => ms(startdate),
  map: {
    metric: () => 'sleep',
    value: ({ data }) => data?.total_sleep_time,
    unit: () => 's',
    starts: ({ startdate }) => ms(startdate),
    ends: ({ enddate }) => ms(enddate),
    heart_rate: ({ data }) => data?.hr_average,
  },
  card: { title: () => 'sleep' },
})

export const device = kind<Device>({
  name: 'device',
  id: ({ deviceid }) => deviceid,
  map: { name: ({ model }) => model },
  card: { description: ({ type }) => type },
})
