import type { Random } from '../../base/random.ts'
import type { CrossPost } from '../../data/cross-posts.ts'
import { type Acquaintance, comments, sentences } from '../../data/vocabulary.ts'

export interface CommentFields {
  id: string
  from: Acquaintance
  text: string
  atMs: number
  likeCount: number
  hidden: boolean
  replies: CommentFields[]
}

export interface ChildFields {
  id: string
  type: 'IMAGE' | 'VIDEO'
  hue: number
}

export interface MediaFields extends Record<string, unknown> {
  owner: Acquaintance
  type: 'IMAGE' | 'VIDEO' | 'CAROUSEL_ALBUM'
  product: 'FEED' | 'REELS' | 'STORY'
  caption?: string
  altText?: string
  shortcode: string
  hue: number
  likeCount: number
  /** The owner hides the like count. */
  likesHidden: boolean
  commentsEnabled: boolean
  /** Media with copyrighted music has no media_url. */
  isCopyrighted: boolean
  children: ChildFields[]
  comments: CommentFields[]
}

interface GenerateInput {
  id: string
  owner: Acquaintance
  circle: readonly Acquaintance[]
  random: Random
  createdAtMs: number
  nowMs: number
  nextId: () => string
}

const shortcodeOf = (id: string): string =>
  Buffer.from(BigInt(id).toString(16).padStart(16, '0'), 'hex').toString('base64url')

export const blankMedia = (id: string, owner: Acquaintance): MediaFields => ({
  owner,
  type: 'IMAGE',
  product: 'FEED',
  shortcode: shortcodeOf(id),
  hue: 200,
  likeCount: 0,
  likesHidden: false,
  commentsEnabled: true,
  isCopyrighted: false,
  children: [],
  comments: [],
})

export function mediaFields(input: GenerateInput): MediaFields {
  const { random, circle, nextId } = input
  const type = random.pick(['IMAGE', 'IMAGE', 'IMAGE', 'VIDEO', 'CAROUSEL_ALBUM'] as const)
  const mentions = random.chance(0.2) ? random.some(circle, random.int(1, 2)) : []
  const tags = random.some(['doors', 'bread', '東京', 'été', 'nofilter', 'שלום'], random.int(0, 3))
  const words = [
    random.pick(sentences),
    ...mentions.map(({ username }) => `@${username}`),
    ...tags.map((tag) => `#${tag}`),
  ]
  const commentsEnabled = random.chance(0.95)
  return {
    ...blankMedia(input.id, input.owner),
    type,
    product: type === 'VIDEO' ? 'REELS' : 'FEED',
    ...(random.chance(0.85) ? { caption: words.join(' ') } : {}),
    ...(type === 'IMAGE' && random.chance(0.3) ? { altText: 'A door, closed, in evening light' } : {}),
    hue: random.int(0, 359),
    likeCount: random.int(0, 900),
    likesHidden: random.chance(0.08),
    commentsEnabled,
    isCopyrighted: type === 'VIDEO' && random.chance(0.15),
    children:
      type === 'CAROUSEL_ALBUM'
        ? Array.from({ length: random.int(2, 10) }, () => ({
            id: nextId(),
            type: random.pick(['IMAGE', 'IMAGE', 'VIDEO'] as const),
            hue: random.int(0, 359),
          }))
        : [],
    comments: commentsEnabled && random.chance(0.6) ? commentList(input, random.int(1, 9)) : [],
  }
}

export const crossMedia = (input: GenerateInput, cross: CrossPost): MediaFields => ({
  ...blankMedia(input.id, input.owner),
  caption: cross.text,
  shortcode: cross.shortcode,
  hue: (cross.at * 29) % 360,
  likeCount: 40 + cross.at,
  comments: commentList(input, 2),
})

export const storyFields = (input: GenerateInput): MediaFields => ({
  ...blankMedia(input.id, input.owner),
  product: 'STORY',
  type: input.random.pick(['IMAGE', 'VIDEO'] as const),
  hue: input.random.int(0, 359),
  ...(input.random.chance(0.5) ? { caption: input.random.pick(sentences) } : {}),
})

function commentList(input: GenerateInput, count: number): CommentFields[] {
  const { random, circle, owner, createdAtMs, nowMs, nextId } = input
  const make = (from: Acquaintance, at: number): CommentFields => ({
    id: nextId(),
    from,
    text: random.pick(comments),
    atMs: Math.min(nowMs, createdAtMs + (at + 1) * 1_200_000),
    likeCount: random.int(0, 9),
    hidden: random.chance(0.03),
    replies: [],
  })
  // Newest first, as Instagram lists them.
  return random
    .some(circle, count)
    .map((from, at) => ({ ...make(from, at), replies: random.chance(0.3) ? [make(owner, at + 1)] : [] }))
    .reverse()
}
