import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { untilKnown } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import type { Blog, Post } from './content.ts'
import { avatarOf, blog, type Notification, notification, post } from './kinds.ts'
import { countedPages, likedPages, linkedPages, timedPages } from './pages.ts'
import { rate } from './rate.ts'

interface Envelope<Fields> {
  response?: Partial<Fields>
}

interface Person {
  name: string
  blogs?: (Blog & { primary?: boolean })[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Posts in the Neue Post Format, as the documentation recommends, with their likes and reblogs. */
const POSTS = { npf: 'true', notes_info: 'true', reblog_info: 'true' }

const publishedAt = ({ timestamp }: Post) => (timestamp === undefined ? undefined : timestamp * 1000)
const likedAt = ({ liked_timestamp }: Post) => (liked_timestamp === undefined ? undefined : liked_timestamp * 1000)

/**
 * A person's id is the `uuid` of the primary blog, which every call accepts instead of a name. Names can be changed, and then be
 * taken by somebody else.
 */
export const tumblr = defineConnector({
  service: 'tumblr',
  title: 'Tumblr',
  docs: 'https://www.tumblr.com/docs/en/api/v2',
  category: 'people',
  auth: oauth2({
    noAppCheck: 'No call names the app of a token.',
    authorizeUrl: 'https://www.tumblr.com/oauth2/authorize',
    tokenUrl: 'https://api.tumblr.com/v2/oauth2/token',
    // Tokens are valid for 42 minutes; `offline_access` adds a refresh token.
    scope: { default: ['basic', 'offline_access'] },
    // PKCE is not documented.
    pkce: false,
  }),
  api: {
    baseUrl: 'https://api.tumblr.com/v2',
    links: ['response._links.*.href'],
    limits: {
      app: [
        { calls: 1000, perS: 3600 },
        { calls: 5000, perS: 86_400 },
      ],
      // Per IP address.
      service: { calls: 300, perS: 60 },
    },
    rate,
  },
  self: self<Envelope<{ user: Person }>>('/user/info', ({ response }) => {
    const user = response?.user
    const main = user?.blogs?.find(({ primary }) => primary === true)
    const name = main?.name ?? user?.name
    return {
      id: String(main?.uuid),
      name: main?.title || name,
      handle: name,
      url: main?.url,
      photo: avatarOf({ ...main, ...(name === undefined ? {} : { name }) }),
      description: main?.description,
    }
  }),
  endpoints: {
    following: endpoint<Envelope<{ blogs: Blog[] }>, Blog>({
      path: '/user/following',
      items: ({ response }) => response?.blogs,
      kind: blog,
      types: ['contacts'],
      pages: countedPages(),
      every: '1d',
      class: 'core',
      deletes: 'all',
    }),
    followers: endpoint<Envelope<{ users: Blog[] }>, Blog>({
      path: '/blog/{id}/followers',
      items: ({ response }) => response?.users,
      kind: blog,
      types: ['contacts'],
      pages: countedPages(),
      every: '1d',
      class: 'core',
      deletes: 'all',
    }),
    posts: endpoint<Envelope<{ posts: Post[] }>, Post>({
      path: '/blog/{id}/posts',
      query: POSTS,
      items: ({ response }) => response?.posts,
      kind: post,
      types: ['statuses'],
      pages: timedPages,
      checkpoint: untilKnown({ value: publishedAt, overlap: 7 * DAY_MS }),
      every: '1h',
      class: 'personal',
      deletes: 'window',
    }),
    likes: endpoint<Envelope<{ liked_posts: Post[] }>, Post>({
      path: '/user/likes',
      query: POSTS,
      items: ({ response }) => response?.liked_posts,
      kind: post,
      types: ['statuses'],
      feed: true,
      pages: likedPages,
      checkpoint: untilKnown({ value: likedAt }),
      every: '6h',
      class: 'personal',
    }),
    // Few calls are allowed and dashboards are endless: the first run reads the newest 300, later ones what is new.
    dashboard: endpoint<Envelope<{ posts: Post[] }>, Post>({
      path: '/user/dashboard',
      query: POSTS,
      items: ({ response }) => response?.posts,
      kind: post,
      types: ['statuses'],
      feed: true,
      pages: countedPages(300),
      checkpoint: untilKnown({ value: publishedAt, overlap: HOUR_MS }),
      every: '30m',
      class: 'social',
    }),
    notifications: endpoint<Envelope<{ notifications: Notification[] }>, Notification>({
      path: '/blog/{id}/notifications',
      query: { rollups: 'false' },
      items: ({ response }) => response?.notifications,
      kind: notification,
      types: ['messages'],
      pages: linkedPages,
      checkpoint: untilKnown({
        value: ({ timestamp }) => (timestamp === undefined ? undefined : timestamp * 1000),
        overlap: HOUR_MS,
      }),
      every: '1h',
      class: 'social',
    }),
  },
})
