import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import type { Kept } from '../../base/service-parts.ts'
import { createItemStore, type ItemStore } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { acquaintances } from '../../data/vocabulary.ts'
import { freshId, momentsIn, type Span, touchOlder } from '../../data/week.ts'
import { activityFields, measureFields } from './generate.ts'

export interface HealthData {
  store: ItemStore
  nextId: () => string
  kept: Kept
  later: (span: Span) => void
}

const dayMs = 86_400_000

export function createHealthData(parts: { people: Person[]; random: Random; nowMs: number }): HealthData {
  const { people, random, nowMs } = parts
  const store = createItemStore()
  const others = acquaintances(20, (at) => `friend@H${at + 10}`)
  let counter = 4_100_000
  const nextId = () => String((counter += random.int(1, 50)))
  const circleOf = (person: Person) => [...people.filter((one) => one.id !== person.id), ...others]
  for (const person of people) {
    const own = random.fork(person.username)
    const circle = circleOf(person)
    for (const createdAtMs of momentsBack(own, Math.round(person.activity * 0.8), nowMs, 730)) {
      const fields = activityFields({ person, circle, random: own, createdAtMs })
      const item = store.put(person.username, 'activities', {
        id: nextId(),
        createdAtMs,
        updatedAtMs: createdAtMs,
        fields,
      })
      if (own.chance(0.06)) item.updatedAtMs = Math.min(nowMs, createdAtMs + 7_200_000)
      if (own.chance(0.03)) item.deletedAtMs = item.updatedAtMs = nowMs
    }
    // No measures between day 100 and day 160, so that whole windows are empty.
    const worn = momentsBack(own, Math.round(person.activity * 1.5), nowMs, 730)
    for (const createdAtMs of worn) {
      const daysAgo = (nowMs - createdAtMs) / dayMs
      if (daysAgo > 100 && daysAgo < 160) continue
      const fields = measureFields(own, daysAgo)
      store.put(person.username, 'measures', { id: nextId(), createdAtMs, updatedAtMs: createdAtMs, fields })
    }
  }
  const kept = store.keepChanges()
  const later = (span: Span) => {
    for (const person of people.filter(({ activity }) => activity > 0)) {
      const own = random.fork(`${person.username} ${span.untilMs}`)
      const add = (kind: string, createdAtMs: number, fields: Record<string, unknown>) => {
        const id = freshId(store, nextId)
        store.put(person.username, kind, { id, createdAtMs, updatedAtMs: createdAtMs, fields })
      }
      for (const createdAtMs of momentsIn(own, 5, span))
        add('activities', createdAtMs, activityFields({ person, circle: circleOf(person), random: own, createdAtMs }))
      for (const createdAtMs of momentsIn(own, 20, span)) add('measures', createdAtMs, measureFields(own, 0))
      touchOlder(store, { owner: person.username, kind: 'activities', span }, ({ name }) => ({
        name: `${String(name)} (renamed)`,
      }))
    }
  }
  return { store, kept, later, nextId: () => freshId(store, nextId) }
}
