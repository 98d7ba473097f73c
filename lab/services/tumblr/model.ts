import type { StoredItem } from '../../data/item-store.ts'

export interface Blog {
  name: string
  title: string
  description: string
  uuid: string
  /** The author, if that person can log in. */
  owner?: string
  primary: boolean
}

export const postTypes = ['text', 'photo', 'quote', 'link', 'chat', 'audio', 'video', 'answer'] as const
export type PostType = (typeof postTypes)[number]

export interface Note {
  type: 'like' | 'reblog' | 'reply' | 'posted'
  blog: string
  atMs: number
  text?: string
}

export interface Reblog {
  fromBlog: string
  fromId: string
  rootBlog: string
  rootId: string
  /** The comment added by the reblog's author. */
  comment: string
}

/** The stored form of a post, from which both API formats are rendered. */
export interface PostFields {
  blog: string
  type: PostType
  /** The main text: body, caption, quote, description or answer, as plain text. */
  words: string
  title: string | null
  tags: string[]
  /** The URL of a link, or the source of a quote or a shared picture. */
  url?: string
  sourceTitle?: string
  hues: number[]
  asker?: string
  dialogue: { name: string; phrase: string }[]
  state: 'published' | 'private'
  /** Written in the new editor. */
  isBlocks: boolean
  reblog?: Reblog
  notes: Note[]
}

export type PostItem = StoredItem<PostFields>

export const blankPost = (blog: string, words: string): PostFields => ({
  blog,
  type: 'text',
  words,
  title: null,
  tags: [],
  hues: [],
  dialogue: [],
  state: 'published',
  isBlocks: true,
  notes: [],
})
