import { kind, timeOf } from '#kit/read/kind.ts'

interface Daily {
  id: string
  day?: string
  timestamp?: string
  score?: number | null
}

export interface DailyActivity extends Daily {
  steps?: number
  active_calories?: number
  equivalent_walking_distance?: number
}

export type DailyScore = Daily

export interface Sleep {
  id: string
  day?: string
  bedtime_start?: string
  bedtime_end?: string
  total_sleep_duration?: number | null
  average_heart_rate?: number | null
}

export interface Workout {
  id: string
  day?: string
  activity?: string
  label?: string | null
  calories?: number | null
  distance?: number | null
  start_datetime?: string
  end_datetime?: string
}

export interface Session {
  id: string
  day?: string
  type?: string
  start_datetime?: string
  end_datetime?: string
}

export interface HeartRate {
  bpm?: number
  source?: string
  timestamp: string
}

const lasting = (start: string | undefined, end: string | undefined): number | undefined => {
  const [from, until] = [timeOf(start), timeOf(end)]
  return from === undefined || until === undefined ? undefined : Math.round((until - from) / 1000)
}

export const dailyActivity = kind<DailyActivity>({
  name: 'day',
  id: ({ id }) => id,
  at: ({ timestamp, day }) => timeOf(timestamp ?? day),
  map: {
    metric: () => 'steps',
    value: ({ steps }) => steps,
    unit: () => 'steps',
    meters: ({ equivalent_walking_distance }) => equivalent_walking_distance,
    calories: ({ active_calories }) => active_calories,
  },
  card: { title: ({ steps }) => (steps === undefined ? undefined : `${steps} steps`) },
})

const score = (name: string, metric: string) =>
  kind<DailyScore>({
    name,
    id: ({ id }) => id,
    at: ({ timestamp, day }) => timeOf(timestamp ?? day),
    map: { metric: () => metric, value: (record) => record.score, unit: () => 'score' },
    card: {
      title: (record) =>
        record.score === null || record.score === undefined
          ? undefined
          : `${metric.replaceAll('_', ' ')} ${record.score}`,
    },
  })

export const dailySleep = score('sleep-score', 'sleep_score')
export const dailyReadiness = score('readiness', 'readiness_score')

export const sleep = kind<Sleep>({
  name: 'sleep',
  id: ({ id }) => id,
  at: ({ bedtime_start, day }) => timeOf(bedtime_start ?? day),
  map: {
    metric: () => 'sleep',
    value: ({ total_sleep_duration }) => total_sleep_duration,
    unit: () => 's',
    starts: ({ bedtime_start }) => timeOf(bedtime_start),
    ends: ({ bedtime_end }) => timeOf(bedtime_end),
    heart_rate: ({ average_heart_rate }) => average_heart_rate,
  },
  card: { title: () => 'sleep' },
})

export const workout = kind<Workout>({
  name: 'workout',
  id: ({ id }) => id,
  at: ({ start_datetime, day }) => timeOf(start_datetime ?? day),
  map: {
    name: ({ label }) => label,
    sport: ({ activity }) => activity,
    starts: ({ start_datetime }) => timeOf(start_datetime),
    ends: ({ end_datetime }) => timeOf(end_datetime),
    seconds: ({ start_datetime, end_datetime }) => lasting(start_datetime, end_datetime),
    meters: ({ distance }) => distance,
    calories: ({ calories }) => calories,
  },
})

export const session = kind<Session>({
  name: 'session',
  id: ({ id }) => id,
  at: ({ start_datetime, day }) => timeOf(start_datetime ?? day),
  map: {
    sport: ({ type }) => type,
    starts: ({ start_datetime }) => timeOf(start_datetime),
    ends: ({ end_datetime }) => timeOf(end_datetime),
    seconds: ({ start_datetime, end_datetime }) => lasting(start_datetime, end_datetime),
  },
})

/** The service gives these no id. */
export const heartRate = kind<HeartRate>({
  name: 'heart-rate',
  id: ({ timestamp }) => timestamp,
  at: ({ timestamp }) => timeOf(timestamp),
  map: { metric: () => 'heart_rate', value: ({ bpm }) => bpm, unit: () => 'bpm', heart_rate: ({ bpm }) => bpm },
  card: { title: ({ bpm }) => (bpm === undefined ? undefined : `${bpm} bpm`), description: ({ source }) => source },
})
