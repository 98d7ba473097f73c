import type { Known } from './known-item.ts'

interface Fields {
  [field: string]: unknown
}

/** The author of a record, and those who commented on it or liked it, as the network itself writes them. */
export interface Written {
  author: string | undefined
  others: string[]
}

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fields) : [])
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const texts = (values: unknown[]): string[] => values.flatMap((value) => text(value) ?? [])
const idOf = (value: unknown) => text(fields(value)['id'])
const authorsOfComments = (data: Fields) => texts(list(fields(data['comments'])['data']).map(({ from }) => idOf(from)))

type Reader = (item: Pick<Known, 'data' | 'owner'>) => Written

const post: Reader = ({ data }) => ({
  author: idOf(data['from']),
  others: [...authorsOfComments(data), ...texts(list(fields(data['reactions'])['data']).map(idOf))],
})
const tweet: Reader = ({ data }) => ({ author: text(data['author_id']), others: [] })
const picture: Reader = ({ data }) => ({ author: idOf(data['owner']), others: authorsOfComments(data) })
const checkin: Reader = ({ data, owner }) => ({
  author: idOf(data['user']) ?? owner,
  others: [
    ...texts(list(fields(data['likes'])['groups']).flatMap(({ items }) => list(items).map(idOf))),
    ...texts(list(fields(data['comments'])['items']).map(({ user }) => idOf(user))),
  ],
})
const blogPost: Reader = ({ data }) => ({
  author: text(fields(data['blog'])['uuid']),
  others: texts(list(data['notes']).map((note) => note['blog_uuid'])),
})

/** The five kinds of entries whose participants are indexed, by service and endpoint. */
export const NETWORKS: Record<string, Reader> = {
  'facebook/posts': post,
  'facebook/feed': post,
  'x/tweets': tweet,
  'x/timeline': tweet,
  'x/mentions': tweet,
  'x/likes': tweet,
  'x/bookmarks': tweet,
  'instagram/media': picture,
  'foursquare/checkins': checkin,
  'foursquare/recent': checkin,
  'tumblr/posts': blogPost,
  'tumblr/dashboard': blogPost,
  'tumblr/likes': blogPost,
}
