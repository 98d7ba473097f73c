import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { createItemStore, type ItemStore } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'

export const kinds = ['measures', 'activities', 'sleep', 'workouts'] as const

export interface WithingsData {
  store: ItemStore
  nextId: () => string
}

const DAY_MS = 86_400_000

export function createWithingsData(parts: { people: Person[]; random: Random; nowMs: number }): WithingsData {
  const store = createItemStore()
  let sequence = 3_000_000_000
  const nextId = () => String((sequence += 3))
  for (const person of parts.people) {
    if (person.activity === 0) continue
    const random = parts.random.fork(person.username)
    const put = (kind: string, atMs: number, fields: Record<string, unknown>) =>
      store.put(person.username, kind, { id: nextId(), createdAtMs: atMs, updatedAtMs: atMs + 60_000, fields })
    const moments = (share: number) =>
      momentsBack(random, Math.round(person.activity * share), parts.nowMs - DAY_MS, 700)
    // Value, type, exponent and position: weight with fat ratio and the fat of each leg, or blood pressure with heart rate.
    for (const atMs of moments(1))
      put('measures', atMs, {
        values: random.chance(0.6)
          ? [
              [random.int(5000, 9500), 1, -2],
              [random.int(100, 350), 6, -1],
              [random.int(200, 500), 174, -2, 10],
              [random.int(200, 500), 174, -2, 11],
            ]
          : [
              [random.int(60, 90), 9, 0],
              [random.int(100, 140), 10, 0],
              [random.int(48, 90), 11, 0],
            ],
      })
    const lastDay = Math.floor(parts.nowMs / DAY_MS) * DAY_MS - DAY_MS
    for (let day = 0; day < Math.min(250, person.activity); day += 1) {
      const atMs = lastDay - day * DAY_MS
      put('activities', atMs, {
        steps: random.int(200, 20_000),
        calories: random.int(100, 900),
        distance: random.int(150, 15_000),
      })
      put('sleep', atMs - 2 * 3_600_000, {
        seconds: random.int(18_000, 32_000),
        score: random.int(30, 95),
        heartRate: random.int(45, 75),
      })
    }
    for (const atMs of moments(0.2))
      put('workouts', atMs, {
        category: random.pick([1, 2, 6, 7, 999]),
        seconds: random.int(600, 7200),
        calories: random.int(50, 900),
        distance: random.int(0, 20_000),
        heartRate: random.int(90, 170),
      })
  }
  return { store, nextId }
}
