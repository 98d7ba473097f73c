import { createHash } from 'node:crypto'
import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { createItemStore, type ItemStore } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'

export const kinds = [
  'daily_activity',
  'daily_sleep',
  'daily_readiness',
  'sleep',
  'workout',
  'session',
  'heartrate',
] as const

export interface OuraData {
  store: ItemStore
  nextId: () => string
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const timeText = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00')
const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

export function createOuraData(parts: { people: Person[]; random: Random; nowMs: number }): OuraData {
  const store = createItemStore()
  let sequence = 0
  const nextId = () => {
    const hex = createHash('md5')
      .update(`oura ${(sequence += 1)}`)
      .digest('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }
  for (const person of parts.people) {
    if (person.activity === 0) continue
    const random = parts.random.fork(person.username)
    const put = (kind: string, atMs: number, fields: Record<string, unknown>) =>
      store.put(person.username, kind, { id: nextId(), createdAtMs: atMs, updatedAtMs: atMs, fields })
    const lastDay = Math.floor(parts.nowMs / DAY_MS) * DAY_MS - DAY_MS
    for (let day = 0; day < Math.min(200, person.activity); day += 1) {
      const atMs = lastDay - day * DAY_MS
      const common = { day: dayText(atMs), timestamp: timeText(atMs) }
      put('daily_activity', atMs, {
        ...common,
        score: random.int(30, 99),
        active_calories: random.int(50, 900),
        steps: random.int(200, 20_000),
        equivalent_walking_distance: random.int(100, 16_000),
        total_calories: random.int(1500, 3500),
        contributors: { stay_active: random.int(20, 99) },
      })
      put('daily_sleep', atMs, {
        ...common,
        score: random.int(30, 99),
        contributors: { deep_sleep: random.int(20, 99) },
      })
      put('daily_readiness', atMs, {
        ...common,
        score: random.chance(0.05) ? null : random.int(30, 99),
        temperature_deviation: -0.2,
        contributors: { hrv_balance: random.int(20, 99) },
      })
      const seconds = random.int(18_000, 32_000)
      const bedtimeMs = atMs - 2 * HOUR_MS
      put('sleep', atMs, {
        day: common.day,
        bedtime_start: timeText(bedtimeMs),
        bedtime_end: timeText(bedtimeMs + seconds * 1000 + 1_200_000),
        total_sleep_duration: seconds,
        average_heart_rate: random.int(45, 75) + 0.125,
        lowest_heart_rate: random.int(40, 60),
        efficiency: random.int(60, 98),
        type: 'long_sleep',
      })
    }
    for (const atMs of momentsBack(random, Math.round(person.activity * 0.2), parts.nowMs - DAY_MS, 190))
      put('workout', atMs, {
        day: dayText(atMs),
        activity: random.pick(['cycling', 'running', 'walking', 'yoga']),
        calories: random.int(30, 900) + 0.5,
        distance: random.chance(0.3) ? null : random.int(500, 30_000),
        start_datetime: timeText(atMs),
        end_datetime: timeText(atMs + random.int(600, 7200) * 1000),
        intensity: 'moderate',
        label: null,
        source: 'manual',
      })
    for (const atMs of momentsBack(random, 4, parts.nowMs - DAY_MS, 190))
      put('session', atMs, {
        day: dayText(atMs),
        start_datetime: timeText(atMs),
        end_datetime: timeText(atMs + 600_000),
        type: random.pick(['breathing', 'meditation']),
        mood: null,
      })
    for (let at = 0; at < 200; at += 1)
      put('heartrate', Math.floor(parts.nowMs / HOUR_MS) * HOUR_MS - (at + 1) * 5 * HOUR_MS, {
        bpm: random.int(45, 150),
        source: random.pick(['awake', 'rest', 'sleep']),
      })
  }
  return { store, nextId }
}
