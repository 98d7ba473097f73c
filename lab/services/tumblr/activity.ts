import { createHash } from 'node:crypto'
import type { TumblrData } from './data.ts'
import type { Blog, Note } from './model.ts'

/** The documented kinds of activity. */
export const activityTypes = [
  'like',
  'reply',
  'follow',
  'mention_in_reply',
  'mention_in_post',
  'reblog_naked',
  'reblog_with_content',
  'ask',
  'answered_ask',
  'new_group_blog_member',
  'post_attribution',
  'post_flagged',
  'post_appeal_accepted',
  'post_appeal_rejected',
  'what_you_missed',
  'conversational_note',
] as const
export type ActivityType = (typeof activityTypes)[number]

export interface Activity {
  id: string
  type: ActivityType
  timestamp: number
  unread: boolean
  from_tumblelog_name: string
  target_post_id?: string
  post_id?: string
  post_tags?: string[]
  added_text?: string
  reply_text?: string
}

const retentionMs = 180 * 86_400_000
const unreadMs = 2 * 86_400_000

/** Activity of a blog, newest first: notes on its posts and new followers. It begins half a year before the lab's start. */
export function activityOf(data: TumblrData, blog: Blog, startMs: number): Activity[] {
  const made = data.posts
    .shown(blog.name)
    .flatMap(({ id, fields }) => fields.notes.flatMap((note, at) => noteActivities(id, note, at)))
  const followed = data
    .followers(blog.name)
    .map(({ name }, at) => happened('follow', name, startMs - (at + 1) * 5 * 86_400_000, `${blog.name} ${name}`))
  return [...made, ...followed]
    .filter(({ timestamp }) => timestamp * 1000 > startMs - retentionMs)
    .map((one) => ({ ...one, unread: one.timestamp * 1000 > startMs - unreadMs }))
    .sort((a, b) => b.timestamp - a.timestamp || (a.id < b.id ? -1 : 1))
}

function noteActivities(postId: string, { type, blog, atMs, text }: Note, at: number): Activity[] {
  const mark = `${postId} ${at}`
  switch (type) {
    case 'like':
      return [{ ...happened('like', blog, atMs, mark), target_post_id: postId }]
    case 'reply':
      return [{ ...happened('reply', blog, atMs, mark), target_post_id: postId, reply_text: text ?? '' }]
    case 'reblog':
      return [{ ...reblogged(blog, atMs, mark, at), target_post_id: postId }]
    case 'posted':
      return []
    default:
      return type satisfies never
  }
}

/** A reblog is a separate post; every third one adds a comment. */
function reblogged(blog: string, atMs: number, mark: string, at: number): Activity {
  const post = { post_id: String(BigInt(Math.floor(atMs)) * 400_000n + BigInt(at)), post_tags: ['reblogged'] }
  return at % 3 === 0
    ? { ...happened('reblog_with_content', blog, atMs, mark), ...post, added_text: 'So true!' }
    : { ...happened('reblog_naked', blog, atMs, mark), ...post }
}

const happened = (type: ActivityType, blog: string, atMs: number, mark: string): Activity => ({
  id: createHash('sha256').update(`${type} ${mark}`).digest('base64url').slice(0, 22),
  type,
  timestamp: Math.floor(atMs / 1000),
  unread: false,
  from_tumblelog_name: blog,
})
