import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { createItemStore, type ItemStore, isShown } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { type Acquaintance, acquaintances, comments, places, sentences, titles } from '../../data/vocabulary.ts'
import type { AlbumFields, CommentFields, PhotoFields } from './model.ts'

export interface FlickrData {
  store: ItemStore
  user(id: string): Acquaintance | undefined
  /** The people whom a person follows. */
  contacts(username: string): Acquaintance[]
  nextId: () => string
}

const hourMs = 3_600_000

export function createFlickrData(parts: { people: Person[]; random: Random; nowMs: number }): FlickrData {
  const { people, random, nowMs } = parts
  const store = createItemStore()
  const others = acquaintances(30, (at) => `${40_000_000 + at * 7919}@N0${at % 8}`)
  const all: Acquaintance[] = [...people, ...others]
  let sequence = 52_000_000_000
  const nextId = () => String((sequence += 37))

  for (const owner of all) {
    const own = random.fork(owner.username)
    const count = people.find(({ id }) => id === owner.id)?.activity ?? 12
    for (const createdAtMs of momentsBack(own, count, nowMs, 900).reverse()) {
      const item = { id: nextId(), createdAtMs, updatedAtMs: createdAtMs, fields: photoFields(own, createdAtMs) }
      store.put(owner.username, 'photos', item)
    }
  }
  for (const person of people) {
    if (person.activity === 0) continue
    const own = random.fork(`more ${person.username}`)
    const mine = store.list(person.username, 'photos').filter(isShown)
    for (let at = 0; at < 6; at += 1) {
      const inside = own.some(mine, own.int(3, 20))
      const createdAtMs = nowMs - (at + 1) * 30 * 24 * hourMs
      const fields: AlbumFields = {
        title: own.pick(titles),
        description: own.chance(0.5) ? own.pick(sentences) : '',
        primary: inside[0]?.id ?? '',
        photos: inside.map(({ id }) => id),
      }
      store.put(person.username, 'albums', { id: nextId(), createdAtMs, updatedAtMs: createdAtMs, fields })
    }
    for (const author of own.some(others, 20))
      for (const photo of store.list(author.username, 'photos').slice(0, 4)) {
        const createdAtMs = Math.min(nowMs - own.int(60, 9_000_000) * 1000, nowMs)
        store.put(person.username, 'favorites', { ...photo, createdAtMs, fields: { photo, owner: author.id } })
      }
    for (const createdAtMs of momentsBack(own, 12, nowMs, 6)) {
      const fields: CommentFields = {
        photoId: own.pick(mine)?.id ?? '',
        authorId: own.pick(others).id,
        text: own.pick(comments),
      }
      store.put(person.username, 'comments', { id: nextId(), createdAtMs, updatedAtMs: createdAtMs, fields })
    }
  }
  return {
    store,
    user: (id) => all.find((one) => one.id === id),
    contacts: (username) => {
      const isNew = people.some((one) => one.username === username && one.activity === 0)
      return isNew ? [] : all.filter((one) => one.username !== username)
    },
    nextId,
  }
}

function photoFields(random: Random, createdAtMs: number): PhotoFields {
  const place = random.pick(places)
  return {
    title: random.chance(0.9) ? random.pick(titles) : '',
    description: random.chance(0.4) ? random.pick(sentences) : '',
    tags: random.chance(0.5) ? random.some(['bread', 'doors', 'straße', '東京'], 2).join(' ') : '',
    media: random.chance(0.08) ? 'video' : 'photo',
    secret: random.int(0x100000, 0xffffff).toString(16),
    server: '65535',
    takenAtMs: createdAtMs - random.int(1, 900) * hourMs,
    ...(random.chance(0.4) ? { place: { lat: place.lat, lng: place.lng, accuracy: random.int(3, 16) } } : {}),
    hasOriginal: random.chance(0.7),
  }
}
