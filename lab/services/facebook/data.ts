import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { crossPosts } from '../../data/cross-posts.ts'
import { createItemStore } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { type Acquaintance, acquaintances } from '../../data/vocabulary.ts'
import { collectionOf } from '../../declare/collection.ts'
import { albums, eventFields, pageFields, photoFields, videoFields } from './generate-media.ts'
import { blankPost, crossPostFields, postFields, reactionsOf } from './generate-posts.ts'

export const kinds = ['posts', 'photos', 'tagged', 'albums', 'videos', 'events', 'likes'] as const
export type Kind = (typeof kinds)[number]

export type FacebookData = ReturnType<typeof createFacebookData>

/** A run of hidden posts longer than the largest page, so that a page is empty and still has a next link. */
const hiddenRun = 210
const hiddenDaysAgo = 101

interface DataParts {
  people: Person[]
  random: Random
  nowMs: number
}

export function createFacebookData({ people, random, nowMs }: DataParts) {
  const store = createItemStore()
  const acquainted = acquaintances(70, (at) => String(10_160_000_000_000_000n + BigInt(at) * 1_000_037n))
  const known: Acquaintance[] = [...people, ...acquainted]
  const appUsers = new Set(acquainted.filter((_, at) => at % 2 === 0).map(({ id }) => id))
  let counter = 10_159_000_000_000_000n
  const nextId = () => String((counter += BigInt(random.int(1, 90_000))))
  const friends = new Map(
    people.map(({ id, username, activity }) => {
      const others = known.filter((one) => one.id !== id)
      return [username, activity === 0 ? [] : random.fork(`friends ${username}`).some(others, 50)]
    }),
  )
  for (const person of people) if (person.activity > 0) fillPerson(person)

  function fillPerson(person: Person): void {
    const own = random.fork(person.username)
    const circle = friends.get(person.username) ?? []
    const put = (kind: Kind, id: string, createdAtMs: number, fields: object, hidden = false) => {
      const updatedAtMs = own.chance(0.08) ? Math.min(nowMs, createdAtMs + own.int(60, 90_000) * 1000) : createdAtMs
      const item = collectionOf(store, kind).add(person.username, id, createdAtMs, fields, { updatedAtMs, hidden })
      if (!hidden && kind !== 'albums' && own.chance(0.03)) item.deletedAtMs = item.updatedAtMs = nowMs
    }
    const inputFor = (id: string, createdAtMs: number) => ({
      id,
      owner: person,
      circle,
      random: own,
      createdAtMs,
      nowMs,
      photoIds: visiblePhotos(person),
    })
    const albumIds = albums.map((fields, at) => {
      const id = nextId()
      put('albums', id, nowMs - (1500 - at * 200) * 86_400_000, { ...fields })
      return id
    })
    const share = (part: number) => Math.round(person.activity * part)
    for (const atMs of momentsBack(own, share(0.7), nowMs, 1500)) {
      const id = nextId()
      const tags = own.chance(0.3) ? own.some([person, ...circle], own.int(1, 3)) : []
      const fields = { ...photoFields(own, person, tags, atMs), ...reactionsOf(inputFor(id, atMs)) }
      put('photos', id, atMs, { ...fields, albumId: own.pick(albumIds) })
    }
    for (const atMs of momentsBack(own, share(0.2), nowMs, 1500)) {
      const id = nextId()
      const fields = photoFields(own, own.pick(circle), [person, ...own.some(circle, own.int(0, 2))], atMs)
      put('tagged', id, atMs, { ...fields, ...reactionsOf(inputFor(id, atMs)) })
    }
    for (const atMs of momentsBack(own, person.activity, nowMs, 1500)) {
      const id = `${person.id}_${nextId()}`
      put('posts', id, atMs, postFields(inputFor(id, atMs)))
    }
    for (let at = 0; person.activity > 300 && at < hiddenRun; at++) {
      const atMs = nowMs - hiddenDaysAgo * 86_400_000 - at * 30_000
      put('posts', `${person.id}_${nextId()}`, atMs, blankPost(person), true)
    }
    for (const cross of crossPosts(person.username, nowMs)) {
      const id = `${person.id}_${nextId()}`
      const atMs = cross.createdAtMs + 2000
      collectionOf(store, 'posts').add(person.username, id, atMs, crossPostFields(inputFor(id, atMs), cross))
    }
    for (const atMs of momentsBack(own, share(0.12), nowMs, 1200)) {
      const id = nextId()
      put('videos', id, atMs, { ...videoFields(own, person), ...reactionsOf(inputFor(id, atMs)) })
    }
    for (const atMs of momentsBack(own, share(0.15), nowMs + 60 * 86_400_000, 900))
      put('events', nextId(), atMs, eventFields(own, atMs, [person, ...circle]))
    for (const [at, atMs] of momentsBack(own, share(0.4), nowMs, 2000).entries()) {
      const id = nextId()
      put('likes', id, atMs, pageFields(own, id, at))
    }
  }

  function visiblePhotos(person: Person): string[] {
    return store
      .list(person.username, 'photos')
      .filter(({ deletedAtMs }) => deletedAtMs === undefined)
      .map(({ id }) => id)
  }

  return {
    store,
    nextId,
    friendsOf: (username: string): readonly Acquaintance[] => friends.get(username) ?? [],
    /** Whether a generated person uses every app. Apps see the names of such friends only. */
    usesApps: (id: string) => appUsers.has(id),
    find(id: string) {
      for (const kind of kinds) {
        const found = store.find(kind, id)
        if (found) return { kind, ...found }
      }
      return undefined
    },
  }
}
