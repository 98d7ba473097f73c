import { kind, timeOf } from '#kit/kind.ts'
import { type Person, type Post, postPeople, postReaders, postTime, postTypes } from './post.ts'
import { type Embed, type Link, ownerOf, type PostRecord, pageOf, type Stored } from './records.ts'

/** One's own post, from one's own repository. */
const ownPost = ({ uri, value }: Stored<PostRecord>): Post => ({ uri, record: value ?? {} })

export const post = kind<Stored<PostRecord>>({
  name: 'post',
  id: ({ uri }) => uri,
  at: (raw) => postTime(ownPost(raw)),
  types: (raw) => postTypes(ownPost(raw)),
  participants: (raw) => postPeople(ownPost(raw)),
  ...postReaders(ownPost),
})

/** Likes, reposts, follows and blocks only name what they are about. */
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

/** A line of a feed: a post, or the same post once more because somebody shared it. */
export interface FeedLine {
  post: PostView
  /** `by` for reposts; pins have none. */
  reason?: { by?: Person; uri?: string; indexedAt?: string }
}

const postOfLine = (line: FeedLine) => viewedPost(line.post)

export const feedPost = kind<FeedLine>({
  name: 'post',
  id: ({ post: { uri }, reason }) => (reason?.by ? (reason.uri ?? `${uri}#${reason.by.did}`) : uri),
  at: (line) => (line.reason?.by ? timeOf(line.reason.indexedAt) : postTime(postOfLine(line))),
  types: (line) => postTypes(postOfLine(line)),
  participants: (line) => {
    const { author, others } = postPeople(postOfLine(line))
    return { author, others: [line.reason?.by?.did, ...others] }
  },
  ...postReaders(postOfLine),
})

export interface Bookmark {
  subject: { uri: string }
  createdAt?: string
  /** The post, or a note that it is gone or blocked, which has no record. */
  item?: PostView
}

const markedPost = ({ subject, item }: Bookmark): Post => ({ ...viewedPost(item), uri: subject.uri })

export const bookmark = kind<Bookmark>({
  name: 'bookmark',
  id: ({ subject }) => subject.uri,
  at: ({ createdAt }) => timeOf(createdAt),
  types: (raw) => postTypes(markedPost(raw)),
  participants: (raw) => postPeople(markedPost(raw)),
  ...postReaders(markedPost),
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
const toldPost = ({ uri, author, record, indexedAt }: Notification): Post => ({
  uri,
  author,
  record: record ?? {},
  indexedAt,
})

/** One record can tell several things: a reply that also mentions comes twice. */
export const notification = kind<Notification>({
  name: 'notification',
  id: ({ uri, reason }) => (uri === undefined ? uri : `${uri}#${reason}`),
  at: ({ indexedAt }) => timeOf(indexedAt),
  types: (raw) => (ABOUT_POSTS.includes(raw.reason ?? '') ? postTypes(toldPost(raw)) : []),
  participants: (raw) => {
    const { author, others } = postPeople(toldPost(raw))
    return { author, others: [...others, ownerOf(raw.reasonSubject)] }
  },
  ...postReaders(toldPost),
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
