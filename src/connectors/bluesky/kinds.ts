import { kind, timeOf } from '#kit/read/kind.ts'
import { type Person, type Post, postPeople, postReaders, postTime, postTypes } from './post.ts'
import { type Embed, type Link, ownerOf, type PostRecord, pageOf, type Stored } from './records.ts'

/** A post of the person's own repository. */
const ownPost = ({ uri, value }: Stored<PostRecord>): Post => ({ uri, record: value ?? {} })

export const post = kind<Stored<PostRecord>>({
  name: 'post',
  id: ({ uri }) => uri,
  at: (raw) => postTime(ownPost(raw)),
  types: (raw) => postTypes(ownPost(raw)),
  participants: (raw) => postPeople(ownPost(raw)),
  ...postReaders(ownPost),
})

/** Likes, reposts, follows and blocks only refer to their subject. */
export function linkKind(name: string) {
  const subjectOf = ({ value }: Stored<Link>) =>
    typeof value?.subject === 'object' ? value.subject.uri : value?.subject
  const personOf = (raw: Stored<Link>) => {
    const subject = subjectOf(raw)
    return subject?.startsWith('did:') ? subject : ownerOf(subject)
  }
  return kind<Stored<Link>>({
    name,
    id: ({ uri }) => uri,
    at: ({ value }) => timeOf(value?.createdAt),
    participants: (raw) => ({ author: ownerOf(raw.uri), others: [personOf(raw)] }),
    map: {
      url: (raw) => {
        const subject = subjectOf(raw)
        return subject?.startsWith('did:') ? `https://bsky.app/profile/${subject}` : pageOf(subject)
      },
    },
  })
}

export interface PostView {
  uri: string
  author?: Person
  record?: PostRecord
  embed?: Embed
  indexedAt?: string
  likeCount?: number
  replyCount?: number
  repostCount?: number
}

function viewedPost(view: PostView | undefined): Post {
  const { uri, author, record, embed, indexedAt, likeCount, replyCount, repostCount } = view ?? {}
  const counts = { likes: likeCount, comments: replyCount, shares: repostCount }
  return { uri, author, record: record ?? {}, embed, indexedAt, counts }
}

/** An entry of a feed: a post, or a repost of it. */
export interface FeedEntry {
  post: PostView
  /** `by` for reposts; pins have none. */
  reason?: { by?: Person; uri?: string; indexedAt?: string }
}

const postOfEntry = (entry: FeedEntry) => viewedPost(entry.post)

export const feedPost = kind<FeedEntry>({
  name: 'post',
  id: ({ post: { uri }, reason }) => (reason?.by ? (reason.uri ?? `${uri}#${reason.by.did}`) : uri),
  at: (entry) => (entry.reason?.by ? timeOf(entry.reason.indexedAt) : postTime(postOfEntry(entry))),
  types: (entry) => postTypes(postOfEntry(entry)),
  participants: (entry) => {
    const { author, others } = postPeople(postOfEntry(entry))
    return { author, others: [entry.reason?.by?.did, ...others] }
  },
  ...postReaders(postOfEntry),
})

export interface Bookmark {
  subject: { uri: string }
  createdAt?: string
  /** The post, or a `notFoundPost` or `blockedPost`, which has no record. */
  item?: PostView
}

const bookmarkedPost = ({ subject, item }: Bookmark): Post => ({ ...viewedPost(item), uri: subject.uri })

export const bookmark = kind<Bookmark>({
  name: 'bookmark',
  id: ({ subject }) => subject.uri,
  at: ({ createdAt }) => timeOf(createdAt),
  types: (raw) => postTypes(bookmarkedPost(raw)),
  participants: (raw) => postPeople(bookmarkedPost(raw)),
  ...postReaders(bookmarkedPost),
})

export interface Notification {
  uri: string
  author?: Person
  reason?: string
  reasonSubject?: string
  record?: PostRecord
  indexedAt?: string
}

const ABOUT_POSTS = ['mention', 'reply', 'quote', 'subscribed-post']
const notifiedPost = ({ uri, author, record, indexedAt }: Notification): Post => ({
  uri,
  author,
  record: record ?? {},
  indexedAt,
})

/** One record can cause several notifications: a reply that also mentions the person has two. */
export const notification = kind<Notification>({
  name: 'notification',
  id: ({ uri, reason }) => (uri === undefined ? uri : `${uri}#${reason}`),
  at: ({ indexedAt }) => timeOf(indexedAt),
  types: (raw) => (ABOUT_POSTS.includes(raw.reason ?? '') ? postTypes(notifiedPost(raw)) : []),
  participants: (raw) => {
    const { author, others } = postPeople(notifiedPost(raw))
    return { author, others: [...others, ownerOf(raw.reasonSubject)] }
  },
  ...postReaders(notifiedPost),
})

export interface Profile extends Person {
  description?: string
}

export const contact = kind<Profile>({
  name: 'contact',
  id: ({ did }) => did,
  map: {
    id: ({ did }) => did,
    name: ({ displayName, handle }) => displayName || handle,
    nickname: ({ handle }) => handle,
    photo: ({ avatar }) => avatar,
    url: ({ did }) => `https://bsky.app/profile/${did}`,
    text: ({ description }) => description,
  },
  card: { id: ({ did }) => did, description: ({ description }) => description },
})
