import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { crossPosts } from '../../data/cross-posts.ts'
import { createItemStore, type ItemStore, type StoredItem } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { type Acquaintance, acquaintances } from '../../data/vocabulary.ts'
import { conversationFields, opaqueId } from './conversations.ts'
import { crossMedia, type MediaFields, mediaFields, storyFields } from './generate.ts'

export const kinds = ['media', 'stories', 'tags'] as const
export type Kind = (typeof kinds)[number]

export interface InstagramData {
  store: ItemStore
  find(username: string, id: string): { kind: Kind; item: StoredItem } | undefined
  nextId: () => string
}

export function createInstagramData(parts: { people: Person[]; random: Random; nowMs: number }): InstagramData {
  const { people, random, nowMs } = parts
  const store = createItemStore()
  const others = acquaintances(50, (at) => String(17_841_470_000_000_000n + BigInt(at) * 31n))
  let counter = 17_850_000_000_000_000n
  const nextId = () => String((counter += BigInt(random.int(1, 9_000_000))))
  for (const person of people) if (person.activity > 0) fillPerson(person)

  function fillPerson(person: Person): void {
    const own = random.fork(person.username)
    const circle: Acquaintance[] = own.some([...people.filter(({ id }) => id !== person.id), ...others], 40)
    const inputFor = (id: string, createdAtMs: number, owner: Acquaintance = person) => ({
      id,
      owner,
      circle,
      random: own,
      createdAtMs,
      nowMs,
      nextId,
    })
    const put = (kind: Kind, id: string, createdAtMs: number, fields: MediaFields) =>
      store.put(person.username, kind, { id, createdAtMs, updatedAtMs: createdAtMs, fields })
    for (const atMs of momentsBack(own, Math.round(person.activity * 0.8), nowMs, 1600)) {
      const id = nextId()
      const item = put('media', id, atMs, mediaFields(inputFor(id, atMs)))
      if (own.chance(0.03)) item.deletedAtMs = nowMs
    }
    for (const cross of crossPosts(person.username, nowMs))
      if (cross.origin === 'instagram')
        put('media', cross.id, cross.createdAtMs, crossMedia(inputFor(cross.id, cross.createdAtMs), cross))
    for (let hoursAgo = 1; hoursAgo < 24; hoursAgo += 4) {
      const id = nextId()
      const atMs = nowMs - hoursAgo * 3_600_000
      put('stories', id, atMs, storyFields(inputFor(id, atMs)))
    }
    for (const atMs of momentsBack(own, Math.round(person.activity * 0.1), nowMs, 900)) {
      const id = nextId()
      const fields = mediaFields(inputFor(id, atMs, own.pick(circle)))
      put('tags', id, atMs, { ...fields, caption: `${fields.caption ?? ''} @${person.username}`.trim() })
    }
    fillConversations(person, circle)
  }

  /** The last two are unanswered message requests: one of this week, one months old. */
  function fillConversations(person: Person, circle: readonly Acquaintance[]): void {
    const own = random.fork(`talks ${person.username}`)
    const partners = own.some(circle, 32)
    for (const [at, lastMs] of momentsBack(own, partners.length, nowMs, 300).entries()) {
      const partner = partners[at]!
      const isRequest = at >= partners.length - 2
      const atMs = at === partners.length - 2 ? nowMs - 5 * 86_400_000 : lastMs
      const fields = conversationFields({ random: own, owner: person, partner, lastMs: atMs, isRequest })
      const id = opaqueId(`talk ${person.id} ${partner.id}`)
      store.put(person.username, 'conversations', { id, createdAtMs: atMs, updatedAtMs: atMs, fields })
    }
  }

  return {
    store,
    nextId,
    find(username, id) {
      for (const kind of kinds) {
        const found = store.find(kind, id)
        if (found?.owner === username) return { kind, item: found.item }
      }
      return undefined
    },
  }
}
