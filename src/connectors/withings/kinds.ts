import { kind, timeOf } from '#kit/read/kind.ts'

interface Value {
  value?: number
  type?: number
  /** A power of ten. */
  unit?: number
}

export interface MeasureGroup {
  grpid: number
  date?: number
  modified?: number
  measures?: Value[]
  comment?: string
}

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

const METRICS = new Map<number, [metric: string, unit: string]>([
  [1, ['weight', 'kg']],
  [4, ['height', 'm']],
  [5, ['fat_free_mass', 'kg']],
  [6, ['fat_ratio', '%']],
  [8, ['fat_mass', 'kg']],
  [9, ['diastolic_blood_pressure', 'mmHg']],
  [10, ['systolic_blood_pressure', 'mmHg']],
  [11, ['heart_rate', 'bpm']],
  [12, ['temperature', '°C']],
  [54, ['oxygen_saturation', '%']],
  [71, ['body_temperature', '°C']],
  [73, ['skin_temperature', '°C']],
  [76, ['muscle_mass', 'kg']],
  [77, ['hydration', 'kg']],
  [88, ['bone_mass', 'kg']],
  [91, ['pulse_wave_velocity', 'm/s']],
  [123, ['vo2_max', 'ml/min/kg']],
])

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

/** The measure that names the group: the first one of a known type. */
function mainOf({ measures }: MeasureGroup): { metric: string; unit: string; value: number | undefined } | undefined {
  for (const one of measures ?? []) {
    const known = METRICS.get(one.type ?? -1)
    if (known !== undefined) return { metric: known[0], unit: known[1], value: realValue(one) }
  }
  return undefined
}

/** Parsed as a decimal text, because multiplying would turn 71.25 into 71.25000000000001. */
function realValue({ value, unit }: Value): number | undefined {
  return value === undefined ? undefined : Number(`${value}e${unit ?? 0}`)
}

export const measureGroup = kind<MeasureGroup>({
  name: 'measure',
  id: ({ grpid }) => grpid,
  at: ({ date }) => ms(date),
  map: {
    metric: (group) => mainOf(group)?.metric,
    value: (group) => mainOf(group)?.value,
    unit: (group) => mainOf(group)?.unit,
    text: ({ comment }) => comment,
  },
  card: {
    title: (group) => mainOf(group)?.metric.replaceAll('_', ' '),
    description: ({ measures }) =>
      (measures ?? [])
        .map((one) => [
          METRICS.get(one.type ?? -1)?.[0].replaceAll('_', ' '),
          realValue(one),
          METRICS.get(one.type ?? -1)?.[1],
        ])
        .filter(([name]) => name !== undefined)
        .map((parts) => parts.join(' '))
        .join(', '),
  },
})

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
