import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { crossPosts } from '../../data/cross-posts.ts'
import { createItemStore, type ItemStore, type StoredItem } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { acquaintances, sentences } from '../../data/vocabulary.ts'
import { postFields, sharedFields } from './generate.ts'
import { snowflakeAt } from './ids.ts'
import type { DmFields, PostFields, XUser } from './model.ts'

export interface XData {
  store: ItemStore
  users: readonly XUser[]
  user(id: string): XUser | undefined
  byName(username: string): XUser | undefined
  following(id: string): XUser[]
  followers(id: string): XUser[]
  /** Any version of any post, except deleted ones. */
  post(id: string): StoredItem | undefined
  remember(item: StoredItem): StoredItem
  nextId: () => string
}

const dayMs = 86_400_000
/** Enough hidden posts to make two pages empty. */
const hiddenRun = 200

export function createXData(parts: { people: Person[]; random: Random; nowMs: number; now: () => number }): XData {
  const { people, random, nowMs } = parts
  const store = createItemStore()
  const posts = new Map<string, StoredItem>()
  const users = makeUsers(people, nowMs)
  const activity = new Map(people.map((person) => [person.id, person.activity]))
  let sequence = 0
  const idAt = (ms: number) => snowflakeAt(ms, (sequence += 1))
  const remember = (item: StoredItem) => {
    posts.set(item.id, item)
    return item
  }
  const put = (owner: XUser, createdAtMs: number, fields: PostFields) => {
    const id = idAt(createdAtMs)
    const whole = { ...fields, history: [id], conversationId: fields.conversationId ?? id }
    return remember(store.put(owner.username, 'posts', { id, createdAtMs, updatedAtMs: createdAtMs, fields: whole }))
  }

  for (const author of [...users].reverse()) {
    const own = random.fork(author.username)
    const count = activity.get(author.id) ?? 30
    const others = users.filter((one) => one.id !== author.id)
    const friends = activity.has(author.id) ? others : users.filter(({ id }) => (activity.get(id) ?? 0) > 0)
    const shared = activity.get(author.id) ? crossPosts(author.username, nowMs) : []
    const moments = [
      ...momentsBack(own, count, nowMs, 900).map((ms) => ({ ms, cross: undefined })),
      ...shared.map((cross) => ({ ms: cross.createdAtMs + 30_000, cross })),
    ].sort((a, b) => a.ms - b.ms)
    const known = [...posts.values()].filter(({ fields }) => (fields as PostFields).repostOf === undefined)
    for (const { ms, cross } of moments) {
      const older = own.some(known, 3).filter(({ createdAtMs }) => createdAtMs < ms)
      const near = older.map(({ id, fields }) => ({ id, fields: fields as PostFields }))
      const mediaId = () => idAt(ms)
      const fields = cross
        ? sharedFields(author, cross)
        : postFields({ author, others, friends, random: own, older: near, mediaId })
      const item = put(author, ms, fields)
      const fate = cross ? 1 : own.float()
      if (fate < 0.04) item.deletedAtMs = nowMs
      else if (fate < 0.08) revise(author, item)
    }
  }

  /** An edit creates a new post with a new id. The older version can be fetched by id but is in no list. */
  function revise(author: XUser, old: StoredItem): void {
    old.hidden = true
    const ms = Math.min(nowMs, old.createdAtMs + 600_000)
    const fields = old.fields as PostFields
    const id = idAt(ms)
    const next = { ...fields, text: `${fields.text} (edited)`, history: [...fields.history, id] }
    remember(store.put(author.username, 'posts', { id, createdAtMs: ms, updatedAtMs: ms, fields: next }))
  }

  const following = new Map(
    users.map((user) => {
      const own = random.fork(`follows ${user.username}`)
      const isNew = activity.get(user.id) === 0
      return [
        user.id,
        isNew
          ? []
          : own.some(
              users.filter((one) => one.id !== user.id),
              38,
            ),
      ]
    }),
  )
  const everything = [...posts.values()].filter((item) => item.hidden !== true)
  for (const person of people) {
    if (person.activity === 0) continue
    const own = random.fork(`more ${person.username}`)
    const note = (kind: string, item: StoredItem, at: number, hidden: boolean) =>
      store.put(person.username, kind, {
        id: item.id,
        createdAtMs: nowMs - at * 3_600_000,
        updatedAtMs: nowMs,
        hidden,
        fields: {},
      })
    for (const [at, item] of own.some(everything, person.activity + hiddenRun).entries())
      note('likes', item, at, at >= 100 && at < 100 + hiddenRun)
    for (const [at, item] of own.some(everything, 160).entries()) note('bookmarks', item, at, false)
    fillMessages(person, own)
  }

  function fillMessages(person: Person, own: Random): void {
    const others = following.get(person.id) ?? []
    const group = idAt(nowMs - 40 * dayMs)
    for (const ms of momentsBack(own, 150, nowMs, 32)) {
      const other = own.pick(others)
      const pair = [person.id, other.id].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)).join('-')
      const inGroup = own.chance(0.3)
      const event: DmFields =
        inGroup && own.chance(0.1)
          ? {
              type: own.pick(['ParticipantsJoin', 'ParticipantsLeave']),
              conversationId: group,
              participantIds: [other.id],
            }
          : {
              type: 'MessageCreate',
              conversationId: inGroup ? group : pair,
              senderId: own.chance(0.5) ? person.id : other.id,
              text: own.pick(sentences),
              ...(own.chance(0.15) ? { postId: own.pick(everything).id } : {}),
            }
      const fields = event.type === 'ParticipantsJoin' ? { ...event, senderId: person.id } : event
      store.put(person.username, 'messages', { id: idAt(ms), createdAtMs: ms, updatedAtMs: ms, fields })
    }
  }

  return {
    store,
    users,
    user: (id) => users.find((one) => one.id === id),
    byName: (username) => users.find((one) => one.username.toLowerCase() === username.toLowerCase()),
    following: (id) => following.get(id) ?? [],
    followers: (id) => users.filter((one) => following.get(one.id)?.some((followed) => followed.id === id)),
    post(id) {
      const item = posts.get(id)
      return item?.deletedAtMs === undefined ? item : undefined
    },
    remember,
    nextId: () => idAt(parts.now()),
  }
}

function makeUsers(people: Person[], nowMs: number): XUser[] {
  const own = people.map(({ id, username, name, bio, city, email }, at): XUser => {
    const user = { id, username, name, description: bio, location: city, createdAtMs: nowMs - (at + 4) * 300 * dayMs }
    return { ...user, protected: at === 3, verified: at === 0, ...(email === undefined ? {} : { email }) }
  })
  // Early accounts have short ids, recent ones 64-bit ids.
  const others = acquaintances(40, (at) =>
    at % 4 === 0 ? String(12 + at * 31) : String(1_400_000_000_000_000_000n + BigInt(at) * 7n),
  )
  return [
    ...own,
    ...others.map(
      ({ id, username, name }, at): XUser => ({
        id,
        username,
        name,
        description: at % 3 === 0 ? '' : `${name.split(' ')[0]} writes here. ✍️`,
        createdAtMs: nowMs - (at + 1) * 100 * dayMs,
        protected: at % 13 === 5,
        verified: at % 7 === 0,
      }),
    ),
  ]
}
