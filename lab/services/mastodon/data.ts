import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { createItemStore, type ItemStore, type StoredItem } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { type Acquaintance, acquaintances, sentences, titles } from '../../data/vocabulary.ts'

/** An account as this server knows it: of its own people, or of another server. */
export interface LabAccount extends Acquaintance {
  /** Undefined for people of this server. */
  host?: string
  bio?: string
}

export const VISIBILITIES = ['public', 'unlisted', 'private', 'direct'] as const
export type Visibility = (typeof VISIBILITIES)[number]

export interface LabMedia {
  type: 'image' | 'video' | 'gifv'
  width: number
  height: number
  hue: number
  description: string | null
  /** Of a file that a person sent; others are drawn. */
  upload?: { id: string; type: string }
}

/** The stored form of a status. */
export interface StatusFields extends Record<string, unknown> {
  text: string
  spoiler: string
  media: LabMedia[]
  /** Default: public. */
  visibility?: Visibility
  card?: { url: string; title: string } | undefined
  mentions: LabAccount[]
  replyTo?: { id: string; account: string } | undefined
  reblogOf?: { owner: string; id: string } | undefined
  language: string
}

export interface MastodonData {
  store: ItemStore
  accounts: LabAccount[]
  account(username: string): LabAccount | undefined
  accountById(id: string): LabAccount | undefined
  following(username: string): LabAccount[]
  followers(username: string): LabAccount[]
  nextId: () => string
}

export const blankStatus = (text = ''): StatusFields => ({ text, spoiler: '', media: [], mentions: [], language: 'en' })

// Ids of the API are text, and sort by time.
const idOf = (ms: number, sequence: number): string =>
  String((BigInt(Math.max(0, ms)) << 16n) | BigInt(sequence & 0xffff))

export function createMastodonData(parts: {
  people: Person[]
  random: Random
  nowMs: number
  now(): number
}): MastodonData {
  const { people, random, nowMs } = parts
  const store = createItemStore()
  const local: LabAccount[] = people.map(({ id, username, name, bio }) => ({ id, username, name, bio }))
  const remote: LabAccount[] = acquaintances(60, (at) => String(109_500_000_000_000_000n + BigInt(at) * 97n)).map(
    (one, at) => ({ ...one, host: at % 2 === 0 ? 'elsewhere.test' : 'far.test' }),
  )
  const accounts = [...local, ...remote]
  let sequence = 0
  const newId = (ms: number) => idOf(ms, (sequence += 1))
  for (const author of accounts) {
    const own = random.fork(author.username)
    const count = people.find(({ id }) => id === author.id)?.activity ?? 6
    for (const createdAtMs of momentsBack(own, count, nowMs, 700))
      store.put(author.username, 'statuses', {
        id: newId(createdAtMs),
        createdAtMs,
        updatedAtMs: own.chance(0.05) ? createdAtMs + 60_000 : createdAtMs,
        fields: statusFields(own, author, accounts, store),
      })
  }
  for (const person of people) {
    if (person.activity === 0) continue
    const own = random.fork(`more ${person.username}`)
    const others = accounts.filter(({ id }) => id !== person.id)
    for (const kind of ['favourites', 'bookmarks'])
      for (const { username } of own.some(others, 50)) {
        const item = store.list(username, 'statuses')[0]
        if (item !== undefined) store.put(person.username, kind, { ...item, fields: { owner: username, id: item.id } })
      }
    for (const createdAtMs of momentsBack(own, 120, nowMs, 60)) {
      const about = own.pick(store.list(person.username, 'statuses'))
      const type = own.pick(['favourite', 'reblog', 'follow', 'mention'])
      store.put(person.username, 'notifications', {
        id: newId(createdAtMs),
        createdAtMs,
        updatedAtMs: createdAtMs,
        fields: { type, account: own.pick(others).username, status: type === 'follow' ? undefined : about.id },
      })
    }
  }
  const isJoined = (username: string) => people.find((one) => one.username === username)?.activity !== 0
  return {
    store,
    accounts,
    account: (username) => accounts.find((one) => one.username === username),
    accountById: (id) => accounts.find((one) => one.id === id),
    following: (username) => (isJoined(username) ? accounts.filter((one) => one.username !== username) : []),
    followers: (username) =>
      isJoined(username) ? accounts.filter((one, at) => one.username !== username && at % 2 === 0) : [],
    nextId: () => newId(parts.now()),
  }
}

function statusFields(random: Random, author: LabAccount, accounts: LabAccount[], store: ItemStore): StatusFields {
  const others = accounts.filter(({ id }) => id !== author.id)
  const fields = { ...blankStatus(random.pick(sentences)), language: random.pick(['en', 'pt', 'de']) }
  if (random.chance(0.08)) {
    const other = random.pick(others)
    const boosted = store.list(other.username, 'statuses')[0]
    if (boosted !== undefined) return { ...blankStatus(), reblogOf: { owner: other.username, id: boosted.id } }
  }
  if (random.chance(0.25)) fields.mentions = random.some(others, 2)
  if (random.chance(0.1)) fields.spoiler = 'Food'
  if (random.chance(0.3))
    fields.media = [
      {
        type: random.chance(0.8) ? 'image' : 'video',
        width: 1200,
        height: 800,
        hue: random.int(0, 359),
        description: random.chance(0.6) ? 'A door' : null,
      },
    ]
  else if (random.chance(0.2))
    fields.card = { url: `https://reading.test/${random.int(1, 9999)}`, title: random.pick(titles) }
  return fields
}

/** The status that a stored item shows. */
export const fieldsOf = (item: StoredItem): StatusFields => item.fields as StatusFields
