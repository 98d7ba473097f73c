import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import type { Kept } from '../../base/service-parts.ts'
import { createItemStore, type ItemStore } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { type Acquaintance, acquaintances, sentences } from '../../data/vocabulary.ts'
import { freshId, momentsIn, type Span, touchOlder } from '../../data/week.ts'
import { statusFields } from './generate.ts'
import { snowflake } from './snowflake.ts'

export interface MicroData {
  store: ItemStore
  /** The accounts a person follows; people who can log in come first. */
  following(username: string): Acquaintance[]
  account(username: string): Acquaintance | undefined
  nextId: () => string
  kept: Kept
  later: (span: Span) => void
}

export function createMicroData(parts: { people: Person[]; random: Random; nowMs: number; now(): number }): MicroData {
  const { people, random, nowMs } = parts
  const store = createItemStore()
  const others = acquaintances(40, (at) => String(9_007_199_254_741_000n + BigInt(at) * 7n))
  const allPeople: Acquaintance[] = [...people, ...others]
  let sequence = 0
  const idAt = (ms: number) => String(snowflake(ms, (sequence += 1)))
  const following = (username: string) => allPeople.filter((one) => one.username !== username)
  for (const author of allPeople) {
    const own = random.fork(author.username)
    const count = people.find((one) => one.id === author.id)?.activity ?? 15
    for (const createdAtMs of momentsBack(own, count, nowMs, 900)) {
      const fields = statusFields({ author, allPeople, random: own, createdAtMs, idAt })
      const item = store.put(author.username, 'statuses', {
        id: idAt(createdAtMs),
        createdAtMs,
        updatedAtMs: createdAtMs,
        fields,
      })
      if (own.chance(0.04)) item.deletedAtMs = nowMs
    }
  }
  for (const person of people) {
    if (person.activity === 0) continue
    const own = random.fork(`more ${person.username}`)
    const liked = own.some(allPeople, 30).flatMap(({ username }) => store.list(username, 'statuses').slice(0, 4))
    for (const item of liked) store.put(person.username, 'favourites', item)
    for (const createdAtMs of momentsBack(own, 60, nowMs, 300)) {
      const other = own.pick(following(person.username))
      const outgoing = own.chance(0.5)
      const fields = {
        sender: outgoing ? person : other,
        recipient: outgoing ? other : person,
        text: own.pick(sentences),
      }
      store.put(person.username, 'messages', { id: idAt(createdAtMs), createdAtMs, updatedAtMs: createdAtMs, fields })
    }
  }
  const kept = store.keepChanges()
  const later = (span: Span) => {
    for (const [at, author] of allPeople.entries()) {
      const person = people.find((one) => one.id === author.id)
      if (person ? person.activity === 0 : at % 2 === 0) continue
      const own = random.fork(`${author.username} ${span.untilMs}`)
      for (const createdAtMs of momentsIn(own, person ? 6 : 1, span)) {
        const fields = statusFields({ author, allPeople, random: own, createdAtMs, idAt })
        const id = freshId(store, () => idAt(createdAtMs))
        store.put(author.username, 'statuses', { id, createdAtMs, updatedAtMs: createdAtMs, fields })
      }
      if (person)
        touchOlder(store, { owner: author.username, kind: 'statuses', span }, ({ text }) => ({
          text: `${String(text)} (edited)`,
        }))
    }
  }
  return {
    store,
    kept,
    later,
    following,
    account: (username) => allPeople.find((one) => one.username === username),
    nextId: () => freshId(store, () => idAt(parts.now())),
  }
}
