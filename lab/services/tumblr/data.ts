import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { crossPosts } from '../../data/cross-posts.ts'
import { createItemStore } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { acquaintances } from '../../data/vocabulary.ts'
import { collectionOf } from '../../declare/collection.ts'
import { postFields, sharedFields } from './generate.ts'
import { blogUuid, postIdAt } from './ids.ts'
import type { Blog, PostFields, PostItem } from './model.ts'

export type TumblrData = ReturnType<typeof createTumblrData>

interface DataParts {
  people: Person[]
  random: Random
  nowMs: number
  now: () => number
}

export function createTumblrData({ people, random, nowMs, now }: DataParts) {
  const store = createItemStore()
  /** By blog. */
  const posts = collectionOf<PostFields>(store, 'posts')
  /** By person; their ids are those of posts. */
  const likes = collectionOf(store, 'likes')
  const byId = new Map<string, PostItem>()
  const blogs = makeBlogs(people)
  const activity = new Map(people.map((person) => [person.username, person.activity]))
  let sequence = 0
  const idAt = (ms: number) => postIdAt(ms, (sequence += 1))
  const remember = (item: PostItem) => {
    byId.set(item.id, item)
    return item
  }
  const published = () =>
    [...byId.values()].filter(({ fields, deletedAtMs }) => fields.state === 'published' && deletedAtMs === undefined)

  for (const blog of [...blogs].reverse()) {
    const own = random.fork(blog.name)
    const others = blogs.filter((one) => one.name !== blog.name)
    const whole = blog.owner === undefined ? 24 : (activity.get(blog.owner) ?? 0)
    const count = blog.primary ? whole : Math.round(whole / 8)
    const shared = blog.primary && blog.owner !== undefined && whole > 0 ? crossPosts(blog.owner, nowMs) : []
    const moments = [
      ...momentsBack(own, count, nowMs, 1100).map((ms) => ({ ms, cross: undefined })),
      ...shared
        .filter(({ origin }) => origin === 'instagram')
        .map((cross) => ({ ms: Math.floor((cross.createdAtMs + 60_000) / 1000) * 1000, cross })),
    ].sort((a, b) => a.ms - b.ms)
    const known = published()
    let lastMs = 0
    for (const { ms: planned, cross } of moments) {
      // At most one post per second: paging by time cannot separate two posts of the same second.
      const ms = Math.max(planned, lastMs + 1000)
      lastMs = ms
      const older = own.some(known, 3).filter(({ createdAtMs }) => createdAtMs < ms)
      const fields = cross
        ? sharedFields(blog, cross)
        : postFields({ blog, others, random: own, createdAtMs: ms, nowMs, older })
      const item = remember(posts.add(blog.name, idAt(ms), ms, fields))
      if (!cross && own.chance(0.04)) item.deletedAtMs = nowMs
    }
  }

  const following = new Map(
    people.map(({ username, activity: busy }) => {
      const others = blogs.filter(({ owner, primary }) => owner !== username && primary)
      return [username, busy === 0 ? [] : random.fork(`follows ${username}`).some(others, 36)]
    }),
  )
  const shown = published()
  for (const { username, activity: busy } of people) {
    const own = random.fork(`likes ${username}`)
    const liked = own.some(shown, busy)
    const moments = momentsBack(own, liked.length, nowMs, 700)
    let earlierMs = nowMs
    for (const [at, item] of liked.entries()) {
      const ms = Math.min(moments[at] ?? nowMs, earlierMs - 1000)
      earlierMs = ms
      likes.add(username, item.id, ms, {})
    }
  }

  const post = (id: string) => {
    const item = byId.get(id)
    return item?.deletedAtMs === undefined ? item : undefined
  }
  const byName = (name: string) => blogs.find((one) => one.name === name)
  /** Most recently followed first. */
  const followedBy = (username: string) => following.get(username) ?? []
  const follows = (username: string, blog: string) => followedBy(username).some(({ name }) => name === blog)
  return {
    store,
    posts,
    likes,
    /** By name, host name or unique identifier. */
    blog: (identifier: string) =>
      byName(identifier.replace(/\.tumblr\.com$/, '')) ?? blogs.find(({ uuid }) => uuid === identifier),
    blogsOf: (username: string) => blogs.filter(({ owner }) => owner === username),
    following: followedBy,
    follows,
    followers: (name: string) =>
      people.flatMap(({ username }) => (follows(username, name) ? (byName(username) ?? []) : [])),
    post,
    /** The existing posts that a person likes, most recently liked first. */
    liked: (username: string) =>
      likes.shown(username).flatMap((like) => {
        const found = post(like.id)
        return found ? [{ like, post: found }] : []
      }),
    remember,
    nextId: () => idAt(now()),
  }
}

function makeBlogs(people: Person[]): Blog[] {
  const own = people.flatMap(({ username, name, bio, activity }): Blog[] => {
    const first = { name: username, title: `${name} writes`, description: bio, owner: username, primary: true }
    const second = { name: `${username}-doors`, title: 'Doors 🚪', description: '', owner: username, primary: false }
    return [first, ...(activity > 200 ? [second] : [])].map((blog) => ({ ...blog, uuid: blogUuid(blog.name) }))
  })
  const others = acquaintances(40, String).map(({ username, name }, at): Blog => {
    const title = at % 5 === 0 ? '' : `${name}’s blog`
    return {
      name: username,
      title,
      description: at % 3 === 0 ? '' : 'مدوّنة · 日記 · blog',
      uuid: blogUuid(username),
      primary: true,
    }
  })
  return [...own, ...others]
}
