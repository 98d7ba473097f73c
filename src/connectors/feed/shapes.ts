import type { XmlElement } from '#model/xml/element.ts'

/** One entry as the feed has it, with what it inherits from the feed. */
export type FeedRecord = XmlRecord | JsonRecord

interface Inherited {
  /** What relative addresses of the entry are relative to. */
  base?: string | undefined
  /** The feed's author, where the entry names none. */
  author?: string | undefined
  lang?: string | undefined
}

export interface XmlRecord extends Inherited {
  format: 'rss' | 'atom'
  entry: XmlElement
}

export interface JsonRecord extends Inherited {
  format: 'json'
  entry: JsonItem
}

/** Of JSON Feed 1.1. Nothing vouches for the types. */
export interface JsonItem {
  id?: unknown
  url?: unknown
  external_url?: unknown
  title?: unknown
  content_html?: unknown
  content_text?: unknown
  summary?: unknown
  image?: unknown
  banner_image?: unknown
  date_published?: unknown
  date_modified?: unknown
  author?: unknown
  authors?: unknown
  language?: unknown
  attachments?: unknown
}

export interface JsonFeed {
  version?: unknown
  title?: unknown
  home_page_url?: unknown
  feed_url?: unknown
  description?: unknown
  icon?: unknown
  language?: unknown
  author?: unknown
  authors?: unknown
  next_url?: unknown
  items?: unknown
}

/** The body of a response. */
export type FeedBody = XmlElement | JsonFeed

/** A picture, a recording or a file of an entry. */
export interface Medium {
  url: string
  mime?: string | undefined
  bytes?: number | undefined
  seconds?: number | undefined
}

/** What all formats say about an entry. Each is read when it is needed. */
export interface EntryReader {
  id: () => string | undefined
  title: () => string | undefined
  url: () => string | undefined
  /** Readable text, without tags. */
  text: () => string | undefined
  summary: () => string | undefined
  links: () => string[]
  published: () => number | undefined
  updated: () => number | undefined
  author: () => { name?: string | undefined; url?: string | undefined } | undefined
  media: () => Medium[]
  image: () => string | undefined
  place: () => { lat: number; lng: number } | undefined
  lang: () => string | undefined
}
