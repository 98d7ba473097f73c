import { self } from '#kit/auth/self.ts'
import { appPassword } from '#kit/auth/typed.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { since } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { comment, largestAvatar, media, page, post, utcOf } from './kinds.ts'
import { authorizePage, recovery, totalPages } from './protocol.ts'
import type { Comment, Media, Post, User } from './shapes.ts'

/** Trashed ones are listed, so that a run that starts at a watermark sees them go. */
const STATUSES = 'publish,future,draft,pending,private,trash'
/** Records that changed while a walk was under way are read again. */
const OVERLAP_MS = 10 * 60_000

/** By time, records of the same second would change places between two pages, and be missed. */
const BY_ID = { orderby: 'id', order: 'asc' }

const isoOf = (ms: number) => new Date(ms).toISOString()

function written(path: string, kind: typeof post) {
  return endpoint({
    path,
    // The API compares the times in the site's zone, but reads ours with the zone that they name.
    query: {
      author: '{id}',
      status: STATUSES,
      context: 'edit',
      ...BY_ID,
      _embed: 'wp:featuredmedia',
    },
    items: (body: Post[]) => body,
    kind,
    types: ['statuses', 'photos'],
    pages: totalPages(),
    checkpoint: since<Post>({
      param: 'modified_after',
      value: ({ modified_gmt: at }) => utcOf(at),
      overlap: OVERLAP_MS,
      format: isoOf,
    }),
    every: '1h',
    class: 'personal',
  })
}

/** Any site with WordPress 5.6 or newer, at an address that the person names. */
export const wordpress = defineConnector({
  service: 'wordpress',
  title: 'WordPress',
  docs: 'https://developer.wordpress.org/rest-api/reference/',
  category: 'writing',
  auth: appPassword({
    noAppCheck:
      'A password shows the `app_id` that it was requested with (`application-passwords/introspect`), and every app may choose any.',
    fields: {
      site: {
        title: 'Address of your site',
        format: 'address',
        hint: 'For example https://myblog.example. Sites at wordpress.com do not let apps sign in this way.',
        help: 'https://make.wordpress.org/core/2020/11/05/application-passwords-integration-guide/',
      },
    },
    discoverUrl: '{site}/wp-json/',
    authorizeUrl: authorizePage,
    // WordPress refuses a second password with the same name.
    parameters: { app_name: '{app} {unique}', success_url: '{callback}', reject_url: '{reject}' },
    names: { name: 'user_login', password: 'password', server: 'site_url' },
    revoke: {
      find: '/users/me/application-passwords/introspect',
      id: (body) => (body as { uuid?: string }).uuid,
      path: '/users/me/application-passwords/{id}',
    },
  }),
  api: {
    baseUrl: '{site}/wp-json/wp/v2',
    // Sites are small machines; the API itself has no limits.
    limits: { person: { calls: 60, perS: 60 } },
    recovery,
  },
  self: self<User>(
    '/users/me',
    ({ id, name, slug, username, email, url, link, description, avatar_urls: avatars }) => ({
      id: String(id),
      name,
      handle: username ?? slug,
      email,
      url: link ?? url,
      photo: largestAvatar(avatars),
      description: description === '' ? undefined : description,
    }),
    { context: 'edit', _fields: 'id,name,slug,username,email,url,link,description,avatar_urls,registered_date' },
  ),
  endpoints: {
    posts: written('/posts', post),
    pages: written('/pages', page),
    media: endpoint({
      path: '/media',
      query: { author: '{id}', context: 'edit', ...BY_ID },
      items: (body: Media[]) => body,
      kind: media,
      types: ['photos', 'videos', 'tracks', 'files'],
      pages: totalPages(),
      every: '6h',
      class: 'personal',
      // Files are deleted without a trash.
      deletes: 'all',
    }),
    comments: endpoint({
      path: '/comments',
      query: { author: '{id}', ...BY_ID },
      items: (body: Comment[]) => body,
      kind: comment,
      types: ['statuses'],
      pages: totalPages(),
      every: '6h',
      class: 'personal',
      deletes: 'all',
    }),
    /** What others wrote on the site. */
    replies: endpoint({
      path: '/comments',
      query: { author_exclude: '{id}', ...BY_ID },
      items: (body: Comment[]) => body,
      kind: comment,
      types: ['statuses'],
      feed: true,
      pages: totalPages(),
      checkpoint: since<Comment>({
        param: 'after',
        value: ({ date_gmt: at }) => utcOf(at),
        overlap: OVERLAP_MS,
        format: isoOf,
      }),
      every: '1h',
      class: 'social',
    }),
  },
})
