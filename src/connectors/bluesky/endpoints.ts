import { untilKnown } from '#kit/endpoints/checkpoint.ts'
import { type Endpoint, endpoint } from '#kit/endpoints/endpoint.ts'
import { cursorPages } from '#kit/endpoints/pages.ts'
import { type Kind, timeOf } from '#kit/read/kind.ts'
import type { BaseType } from '#model/items/types.ts'
import { chat } from './chat.ts'
import {
  type Bookmark,
  bookmark,
  contact,
  type FeedEntry,
  feedPost,
  linkKind,
  type Notification,
  notification,
  type Profile,
  post,
} from './kinds.ts'
import { addedAt } from './record-key.ts'
import type { Stored } from './records.ts'

interface Cursor {
  cursor?: string
}

const pages = cursorPages({
  param: 'cursor',
  from: ({ cursor }: Cursor) => cursor,
  size: { param: 'limit', value: 100 },
})

const HOUR_MS = 3_600_000

/** Large collections: the newest records often, everything once a week. */
const weekly = { checkpoint: untilKnown({ value: addedAt, overlap: HOUR_MS }), wholeEvery: '7d' }

/** A collection of the person's own repository. Listings are complete, so a missing record was deleted. */
function collection<Value>(
  name: string,
  kind: Kind<Stored<Value>>,
  types: BaseType[],
  every: string,
  whole: Partial<typeof weekly> = {},
): Endpoint {
  return endpoint<Cursor & { records?: Stored<Value>[] }, Stored<Value>>({
    path: '/com.atproto.repo.listRecords',
    query: { repo: '{id}', collection: name },
    items: ({ records }) => records,
    kind,
    types,
    pages,
    every,
    class: 'personal',
    deletes: 'all',
    ...whole,
  })
}

/** Data of the AppView about other people; the person's own server forwards these calls to it. */
const appView = { scope: ['transition:generic'], pages }

/** When it came into the feed: a repost by its own time. */
const shownAt = ({ reason, post: { indexedAt } }: FeedEntry) => timeOf(reason?.indexedAt ?? indexedAt)

export const endpoints = {
  posts: collection('app.bsky.feed.post', post, ['statuses'], '15m', weekly),
  likes: collection('app.bsky.feed.like', linkKind('like'), [], '1h', weekly),
  reposts: collection('app.bsky.feed.repost', linkKind('repost'), [], '1h', weekly),
  follows: collection('app.bsky.graph.follow', linkKind('follow'), [], '6h'),
  blocks: collection('app.bsky.graph.block', linkKind('block'), [], '1d'),
  /**
   * Own posts and reposts again, with counts and the shared content. Without types, otherwise each post would be listed
   * twice.
   */
  author_feed: endpoint<Cursor & { feed?: FeedEntry[] }, FeedEntry>({
    ...appView,
    path: '/app.bsky.feed.getAuthorFeed',
    query: { actor: '{id}', filter: 'posts_with_replies' },
    items: ({ feed }) => feed,
    kind: { ...feedPost, types: () => [] },
    types: [],
    checkpoint: untilKnown({ value: shownAt, overlap: HOUR_MS }),
    wholeEvery: '7d',
    every: '6h',
    class: 'personal',
    deletes: 'all',
  }),
  timeline: endpoint<Cursor & { feed?: FeedEntry[] }, FeedEntry>({
    ...appView,
    path: '/app.bsky.feed.getTimeline',
    items: ({ feed }) => feed,
    kind: feedPost,
    types: ['statuses'],
    feed: true,
    checkpoint: untilKnown({ value: shownAt, overlap: HOUR_MS }),
    every: '10m',
    class: 'social',
  }),
  notifications: endpoint<Cursor & { notifications?: Notification[] }, Notification>({
    ...appView,
    path: '/app.bsky.notification.listNotifications',
    items: ({ notifications }) => notifications,
    kind: notification,
    types: [],
    feed: true,
    checkpoint: untilKnown({ value: ({ indexedAt }) => timeOf(indexedAt), overlap: HOUR_MS }),
    every: '15m',
    class: 'social',
  }),
  bookmarks: endpoint<Cursor & { bookmarks?: Bookmark[] }, Bookmark>({
    ...appView,
    path: '/app.bsky.bookmark.getBookmarks',
    items: ({ bookmarks }) => bookmarks,
    kind: bookmark,
    types: ['statuses'],
    feed: true,
    every: '6h',
    class: 'personal',
    deletes: 'all',
  }),
  following: endpoint<Cursor & { follows?: Profile[] }, Profile>({
    ...appView,
    path: '/app.bsky.graph.getFollows',
    query: { actor: '{id}' },
    items: ({ follows }) => follows,
    kind: contact,
    types: ['contacts'],
    every: '1d',
    class: 'core',
    deletes: 'all',
  }),
  followers: endpoint<Cursor & { followers?: Profile[] }, Profile>({
    ...appView,
    path: '/app.bsky.graph.getFollowers',
    query: { actor: '{id}' },
    items: ({ followers }) => followers,
    kind: contact,
    types: ['contacts'],
    every: '1d',
    class: 'core',
    deletes: 'all',
  }),
  ...chat,
} satisfies Record<string, Endpoint>
