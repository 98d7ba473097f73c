import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import type { Kept } from '../../base/service-parts.ts'
import { createItemStore, type ItemStore } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { type Acquaintance, acquaintances } from '../../data/vocabulary.ts'
import { freshId, momentsIn, type Span, touchOlder } from '../../data/week.ts'
import { photoFields, postFields } from './generate.ts'

export interface SocialData {
  store: ItemStore
  friendsOf(person: Person): (Acquaintance & { sinceMs: number })[]
  nameOf(username: string): string
  nextId: () => string
  kept: Kept
  later: (span: Span) => void
}

/** Enough hidden posts to make a page of the maximum size empty. */
const hiddenRun = 100

/** Posts and photos of all people and their acquaintances, generated from one seed. */
export function createSocialData(parts: {
  people: Person[]
  random: Random
  nowMs: number
  url: () => string
}): SocialData {
  const { people, random, nowMs } = parts
  const store = createItemStore()
  const others = acquaintances(60, (at) => String(90_000 + at))
  const known: Acquaintance[] = [...people, ...others]
  let counter = 10_157_000_000
  const nextId = () => String((counter += random.int(1, 900)))
  const friends = new Map(
    people.map((person) => [
      person.username,
      person.activity === 0
        ? []
        : random
            .fork(`friends ${person.username}`)
            .some(
              known.filter((one) => one.id !== person.id),
              45,
            )
            .map((one, at) => ({ ...one, sinceMs: nowMs - (at + 1) * 20 * 86_400_000 })),
    ]),
  )
  type Kind = 'posts' | 'photos'
  const makeFields = (kind: Kind, input: Parameters<typeof postFields>[0]) =>
    kind === 'posts' ? postFields(input) : photoFields(input)
  const circleOf = (author: Acquaintance, own: Random) => friends.get(author.username) ?? own.some(known, 12)
  const fill = (author: Acquaintance, kind: Kind, count: number) => {
    const own = random.fork(`${kind} ${author.username}`)
    const circle = circleOf(author, own)
    for (const [at, createdAtMs] of momentsBack(own, count, nowMs, 1400).entries()) {
      const id = nextId()
      const fields = makeFields(kind, { id, author, circle, random: own, createdAtMs, nowMs, url: parts.url })
      const edited = own.chance(0.08) ? Math.min(nowMs, createdAtMs + own.int(60, 90_000) * 1000) : createdAtMs
      const hidden = kind === 'posts' && count > 200 && at >= 80 && at < 80 + hiddenRun
      const item = store.put(author.username, kind, { id, createdAtMs, updatedAtMs: edited, hidden, fields })
      if (!hidden && own.chance(0.04)) item.deletedAtMs = item.updatedAtMs = Math.min(nowMs, createdAtMs + 3_600_000)
    }
  }
  for (const person of people) {
    fill(person, 'posts', person.activity)
    fill(person, 'photos', Math.round(person.activity * 0.6))
  }
  for (const other of others) {
    fill(other, 'posts', 8)
    fill(other, 'photos', 4)
  }
  const kept = store.keepChanges()
  const addIn = (author: Acquaintance, kind: Kind, count: number, span: Span) => {
    const own = random.fork(`${kind} ${author.username} ${span.untilMs}`)
    const circle = circleOf(author, own)
    for (const createdAtMs of momentsIn(own, count, span)) {
      const id = freshId(store, nextId)
      const fields = makeFields(kind, {
        id,
        author,
        circle,
        random: own,
        createdAtMs,
        nowMs: span.untilMs,
        url: parts.url,
      })
      store.put(author.username, kind, { id, createdAtMs, updatedAtMs: createdAtMs, fields })
    }
  }
  const later = (span: Span) => {
    for (const person of people.filter(({ activity }) => activity > 0)) {
      addIn(person, 'posts', 5, span)
      addIn(person, 'photos', 4, span)
      touchOlder(store, { owner: person.username, kind: 'posts', span }, ({ text }) => ({
        text: `${String(text)} (edited)`,
      }))
    }
    for (const other of others.filter((_other, at) => at % 3 === 0)) addIn(other, 'posts', 1, span)
  }
  return {
    store,
    nameOf: (username) => known.find((one) => one.username === username)?.name ?? username,
    kept,
    later,
    nextId: () => freshId(store, nextId),
    friendsOf: (person) => friends.get(person.username) ?? [],
  }
}
