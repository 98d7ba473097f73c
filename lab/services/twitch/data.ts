import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { createItemStore, type ItemStore } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { type Acquaintance, acquaintances, titles } from '../../data/vocabulary.ts'

export const kinds = ['videos', 'clips', 'follows', 'followers', 'subscriptions'] as const

export interface TwitchData {
  store: ItemStore
  nextId: () => string
}

export function createTwitchData(parts: { people: Person[]; random: Random; nowMs: number }): TwitchData {
  const store = createItemStore()
  const others = acquaintances(150, (at) => String(200_000_000 + at * 13))
  let sequence = 2_000_000_000
  const nextId = () => String((sequence += 7))
  for (const person of parts.people) {
    if (person.activity === 0) continue
    const random = parts.random.fork(person.username)
    const put = (kind: string, atMs: number, fields: Record<string, unknown>) =>
      store.put(person.username, kind, { id: nextId(), createdAtMs: atMs, updatedAtMs: atMs, fields })
    const some = (share: number, spanDays: number) =>
      momentsBack(random, Math.round(person.activity * share), parts.nowMs, spanDays)
    for (const atMs of some(0.4, 700))
      put('videos', atMs, {
        title: random.pick(titles),
        duration: `${random.int(1, 5)}h${random.int(0, 59)}m${random.int(0, 59)}s`,
        views: random.int(0, 9000),
      })
    for (const atMs of some(0.4, 700))
      put('clips', atMs, {
        title: random.pick(titles),
        seconds: random.int(5, 60),
        creator: random.pick(others),
        views: random.int(0, 9000),
      })
    const listed = (kind: string, who: readonly Acquaintance[]) => {
      for (const [at, other] of who.entries()) put(kind, parts.nowMs - (at + 1) * 3_600_000, { other })
    }
    listed('follows', random.some(others, 120))
    listed('followers', random.some(others, 40))
    listed('subscriptions', random.some(others, 15))
  }
  return { store, nextId }
}
