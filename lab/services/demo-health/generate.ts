import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import type { Acquaintance } from '../../data/vocabulary.ts'

interface GenerateInput {
  person: Person
  circle: readonly Acquaintance[]
  random: Random
  createdAtMs: number
}

const sports = [
  { sport: 'run', metersPerSecond: 2.9, caloriesPerMinute: 11 },
  { sport: 'ride', metersPerSecond: 6.8, caloriesPerMinute: 9 },
  { sport: 'walk', metersPerSecond: 1.4, caloriesPerMinute: 4 },
  { sport: 'swim', metersPerSecond: 0.8, caloriesPerMinute: 10 },
  { sport: 'yoga', metersPerSecond: 0, caloriesPerMinute: 3 },
] as const

const names = ['Morning loop', 'Lunch escape', 'Rain again ☔️', 'Long one', 'Recovery', 'With the dog 🐕', 'Intervals']

export function activityFields({ person, circle, random, createdAtMs }: GenerateInput): Record<string, unknown> {
  const { sport, metersPerSecond, caloriesPerMinute } = random.pick(sports)
  const seconds = random.int(600, 9000)
  const meters = Math.round(seconds * metersPerSecond * (0.85 + random.float() * 0.3))
  const indoors = sport === 'yoga' || random.chance(0.15)
  const heart = random.int(98, 168)
  const point = (spread: number) => ({
    lat: Number((person.lat + (random.float() - 0.5) * spread).toFixed(5)),
    lng: Number((person.lng + (random.float() - 0.5) * spread).toFixed(5)),
  })
  return {
    sport,
    name: random.pick(names),
    note: random.chance(0.15) ? 'Felt strong. See https://reading.test/training-plan' : null,
    start_time: localIso(createdAtMs, person.timezone),
    timezone: person.timezone,
    elapsed_seconds: seconds + random.int(0, 400),
    moving_seconds: seconds,
    distance_m: meters,
    elevation_gain_m: metersPerSecond === 0 ? 0 : random.int(0, 600),
    calories: Math.round((seconds / 60) * caloriesPerMinute),
    heart_rate: random.chance(0.8) ? { average: heart, max: heart + random.int(5, 25) } : null,
    start_point: indoors ? null : point(0.2),
    end_point: indoors ? null : point(0.2),
    companions: random.chance(0.25) ? random.some(circle, random.int(1, 3)).map(named) : [],
    cheers: random.some(circle, random.int(0, 6)).map(named),
  }
}

const named = ({ id, username, name }: Acquaintance) => ({ id, username, name })

/** Values are integers with a power of ten: 71.25 kg is 71250 and -3. */
export function measureFields(random: Random, daysAgo: number): Record<string, unknown> {
  const drift = Math.round(daysAgo * 6)
  return random.pick([
    { metric: 'weight', value: 71_000 + drift + random.int(-400, 400), exponent: -3, unit: 'kg', device: 'scale-2' },
    { metric: 'steps', value: random.int(900, 21_000), exponent: 0, unit: 'count', device: 'band-1' },
    { metric: 'resting_heart_rate', value: random.int(48, 64), exponent: 0, unit: 'bpm', device: 'band-1' },
    { metric: 'sleep', value: random.int(17_000, 33_000), exponent: 0, unit: 's', device: 'band-1' },
    { metric: 'blood_pressure_systolic', value: random.int(105, 135), exponent: 0, unit: 'mmHg', device: 'cuff-1' },
    { metric: 'body_temperature', value: random.int(361, 374), exponent: -1, unit: '°C', device: 'manual' },
  ])
}

/** Making one takes a hundred times as long as asking it. */
const zones = new Map<string, Intl.DateTimeFormat>()

function offsets(timeZone: string): Intl.DateTimeFormat {
  const known = zones.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  zones.set(timeZone, made)
  return made
}

/** Local time with its UTC offset, as watches record it. */
function localIso(ms: number, timezone: string): string {
  const offset =
    offsets(timezone)
      .formatToParts(ms)
      .find(({ type }) => type === 'timeZoneName')
      ?.value.slice(3) || '+00:00'
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number)
  const shift = (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
  return `${new Date(ms + shift).toISOString().slice(0, 19)}${offset}`
}
