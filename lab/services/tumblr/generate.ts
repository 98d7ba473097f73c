import type { Random } from '../../base/random.ts'
import type { CrossPost } from '../../data/cross-posts.ts'
import { comments, sentences, titles } from '../../data/vocabulary.ts'
import { type Blog, blankPost, type Note, type PostFields, type PostType, postTypes } from './model.ts'

interface GenerateInput {
  blog: Blog
  others: readonly Blog[]
  random: Random
  createdAtMs: number
  nowMs: number
  older: readonly { id: string; fields: PostFields }[]
}

const tags = ['bread', 'doors', 'night trains', 'Straße', '東京', 'قهوة', 'lgbtq🌈', 'long post']

export function postFields({ blog, others, random, createdAtMs, nowMs, older }: GenerateInput): PostFields {
  const earlier = older.length > 0 && random.chance(0.25) ? random.pick(older) : undefined
  const notes = notesOf(random, others, createdAtMs, nowMs)
  const own = {
    tags: random.some(tags, random.int(0, 4)),
    notes,
    state: random.chance(0.03) ? ('private' as const) : ('published' as const),
  }
  if (earlier) {
    const { reblog, blog: fromBlog } = earlier.fields
    return {
      ...earlier.fields,
      ...own,
      blog: blog.name,
      reblog: {
        fromBlog,
        fromId: earlier.id,
        rootBlog: reblog?.rootBlog ?? fromBlog,
        rootId: reblog?.rootId ?? earlier.id,
        comment: random.chance(0.5) ? random.pick(comments) : '',
      },
    }
  }
  return { ...blankPost(blog.name, random.pick(sentences)), ...own, ...ofType(random.pick(postTypes), random, others) }
}

function ofType(type: PostType, random: Random, others: readonly Blog[]): Partial<PostFields> {
  const hue = () => random.int(0, 359)
  const isBlocks = random.chance(0.5)
  switch (type) {
    case 'photo':
      return { type, isBlocks, hues: Array.from({ length: random.int(1, 4) }, hue) }
    case 'quote':
      return { type, isBlocks, url: 'https://reading.test/doors?a=1&b=2', sourceTitle: 'reading.test' }
    case 'link':
      return {
        type,
        isBlocks,
        title: random.pick(titles),
        url: `https://reading.test/article/${random.int(1, 99)}`,
        hues: [hue()],
      }
    case 'chat': {
      const speakers = random.some(others, 2).map(({ name }) => name)
      return { type, isBlocks, dialogue: speakers.map((name) => ({ name, phrase: random.pick(comments) })) }
    }
    case 'audio':
      return { type, isBlocks, title: 'Two kettles', url: 'https://sounds.test/kettles' }
    case 'video':
      return { type, isBlocks, url: 'https://videos.test/watch?v=kettle', hues: [hue()] }
    case 'answer':
      return {
        type,
        isBlocks,
        title: 'Where is this?',
        ...(random.chance(0.7) ? { asker: random.pick(others).name } : {}),
      }
    case 'text':
      return { type, isBlocks, title: random.chance(0.4) ? random.pick(titles) : null }
    default:
      return type satisfies never
  }
}

function notesOf(random: Random, others: readonly Blog[], createdAtMs: number, nowMs: number): Note[] {
  return random.some(others, random.int(0, 12)).map(({ name }, at) => {
    const type = random.pick(['like', 'like', 'like', 'reblog', 'reply'] as const)
    const atMs = Math.min(nowMs, createdAtMs + (at + 1) * 900_000)
    return { type, blog: name, atMs, ...(type === 'reply' ? { text: random.pick(comments) } : {}) }
  })
}

/** A picture cross-posted from another service, with its source. */
export const sharedFields = (blog: Blog, { text, url, at }: CrossPost): PostFields => ({
  ...blankPost(blog.name, text),
  type: 'photo',
  isBlocks: false,
  url,
  sourceTitle: 'instagram.com',
  hues: [(at * 31) % 360],
})
