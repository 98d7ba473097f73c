import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { crossPosts } from '../../data/cross-posts.ts'
import { createItemStore } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { acquaintances, sentences } from '../../data/vocabulary.ts'
import { collectionOf } from '../../declare/collection.ts'
import { postFields, sharedFields } from './generate.ts'
import { compareIds, snowflakeAt } from './ids.ts'
import type { DmFields, PostFields, PostItem, XUser } from './model.ts'

export type XData = ReturnType<typeof createXData>

const dayMs = 86_400_000
/** Enough hidden posts to make two pages empty. */
const hiddenRun = 200

interface DataParts {
  people: Person[]
  random: Random
  nowMs: number
  now: () => number
}

export function createXData({ people, random, nowMs, now }: DataParts) {
  const store = createItemStore()
  const posts = collectionOf<PostFields>(store, 'posts')
  /** Their ids are those of posts. */
  const [likes, bookmarks] = [collectionOf(store, 'likes'), collectionOf(store, 'bookmarks')]
  const messages = collectionOf<DmFields>(store, 'messages')
  const byId = new Map<string, PostItem>()
  const users = makeUsers(people, nowMs)
  const activity = new Map(people.map((person) => [person.id, person.activity]))
  let sequence = 0
  const idAt = (ms: number) => snowflakeAt(ms, (sequence += 1))
  const remember = (item: PostItem) => {
    byId.set(item.id, item)
    return item
  }
  /** A post, or the next version of one. */
  const publish = (username: string, ms: number, fields: PostFields) => {
    const id = idAt(ms)
    const whole = { ...fields, history: [...fields.history, id], conversationId: fields.conversationId ?? id }
    return remember(posts.add(username, id, ms, whole))
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
    const known = [...byId.values()].filter(({ fields }) => fields.repostOf === undefined)
    for (const { ms, cross } of moments) {
      const older = own.some(known, 3).filter(({ createdAtMs }) => createdAtMs < ms)
      const mediaId = () => idAt(ms)
      const fields = cross
        ? sharedFields(author, cross)
        : postFields({ author, others, friends, random: own, older, mediaId })
      const item = publish(author.username, ms, fields)
      const fate = cross ? 1 : own.float()
      if (fate < 0.04) item.deletedAtMs = nowMs
      else if (fate < 0.08) revise(author.username, item)
    }
  }

  /** An edit creates a new post with a new id. The older version can be fetched by id but is in no list. */
  function revise(username: string, old: PostItem): void {
    old.hidden = true
    const ms = Math.min(nowMs, old.createdAtMs + 600_000)
    publish(username, ms, { ...old.fields, text: `${old.fields.text} (edited)` })
  }

  const following = new Map(
    users.map(({ id, username }) => {
      const others = users.filter((one) => one.id !== id)
      return [id, activity.get(id) === 0 ? [] : random.fork(`follows ${username}`).some(others, 38)]
    }),
  )
  const everything = [...byId.values()].filter((item) => item.hidden !== true)
  for (const person of people) {
    if (person.activity === 0) continue
    const own = random.fork(`more ${person.username}`)
    const note = (kind: typeof likes, { id }: PostItem, at: number, hidden: boolean) =>
      kind.add(person.username, id, nowMs - at * 3_600_000, {}, { updatedAtMs: nowMs, hidden })
    for (const [at, item] of own.some(everything, person.activity + hiddenRun).entries())
      note(likes, item, at, at >= 100 && at < 100 + hiddenRun)
    for (const [at, item] of own.some(everything, 160).entries()) note(bookmarks, item, at, false)
    fillMessages(person, own)
  }

  function fillMessages(person: Person, own: Random): void {
    const others = following.get(person.id) ?? []
    const group = idAt(nowMs - 40 * dayMs)
    for (const ms of momentsBack(own, 150, nowMs, 32)) {
      const other = own.pick(others)
      const pair = [person.id, other.id].sort(compareIds).join('-')
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
      messages.add(person.username, idAt(ms), ms, fields)
    }
  }

  return {
    store,
    posts,
    likes,
    bookmarks,
    messages,
    users,
    user: (id: string) => users.find((one) => one.id === id),
    byName: (username: string) => users.find((one) => one.username.toLowerCase() === username.toLowerCase()),
    following: (id: string) => following.get(id) ?? [],
    followers: (id: string) => users.filter((one) => following.get(one.id)?.some((followed) => followed.id === id)),
    /** Any version of any post, except deleted ones. */
    post(id: string) {
      const item = byId.get(id)
      return item?.deletedAtMs === undefined ? item : undefined
    },
    remember,
    publish,
    nextId: () => idAt(now()),
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
    ...others.map(({ id, username, name }, at): XUser => {
      const description = at % 3 === 0 ? '' : `${name.split(' ')[0]} writes here. ✍️`
      const user = { id, username, name, description, createdAtMs: nowMs - (at + 1) * 100 * dayMs }
      return { ...user, protected: at % 13 === 5, verified: at % 7 === 0 }
    }),
  ]
}
