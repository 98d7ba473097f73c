import { isShown } from '../../data/item-store.ts'
import type { TumblrData } from './data.ts'
import type { Blog } from './model.ts'

export interface Presenter {
  url: string
  data: TumblrData
  /** The authenticated person; absent if only an API key was sent. */
  viewer?: string
}

export const blogUrl = (name: string): string => `https://${name}.tumblr.com/`

const avatarsOf = (url: string, name: string) =>
  [512, 128, 64].map((size) => ({
    width: size,
    height: size,
    url: `${url}/media/${size}x${size}-${(name.length * 47) % 360}.svg`,
  }))

export const updatedOf = (data: TumblrData, name: string): number =>
  Math.floor((data.store.list(name, 'posts').find(isShown)?.createdAtMs ?? 0) / 1000)

/** The short form embedded in posts. */
export const shortBlog = ({ url, data }: Presenter, { name, title, description, uuid }: Blog) => ({
  name,
  title,
  description,
  url: blogUrl(name),
  uuid,
  updated: updatedOf(data, name),
  avatar: avatarsOf(url, name),
})

export function fullBlog(presenter: Presenter, blog: Blog) {
  const { data, viewer } = presenter
  const posts = data.store
    .list(blog.name, 'posts')
    .filter((item) => isShown(item) && item.fields['state'] === 'published')
  return {
    ...shortBlog(presenter, blog),
    posts: posts.length,
    total_posts: posts.length,
    ask: true,
    ask_anon: false,
    ...(blog.primary && blog.owner !== undefined ? { likes: data.liked(blog.owner).length } : {}),
    ...(viewer === undefined
      ? {}
      : { followed: data.following(viewer).some(({ name }) => name === blog.name), is_blocked_from_primary: false }),
  }
}

/** The representation shown to the owner. */
export const ownBlog = (presenter: Presenter, blog: Blog) => ({
  ...fullBlog(presenter, blog),
  primary: blog.primary,
  followers: presenter.data.followers(blog.name).length,
  tweet: 'N',
  type: 'public',
  admin: true,
})
