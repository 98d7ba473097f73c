import type { TumblrData } from './data.ts'
import type { Blog } from './model.ts'
import { seconds } from './params.ts'

/** What rendering depends on. */
export interface View {
  url: string
  data: TumblrData
  /** The authenticated person; empty if only an API key was sent. */
  viewer: string
}

export const blogUrl = (name: string): string => `https://${name}.tumblr.com/`

const avatarsOf = (url: string, name: string) =>
  [512, 128, 64].map((size) => ({
    width: size,
    height: size,
    url: `${url}/media/${size}x${size}-${(name.length * 47) % 360}.svg`,
  }))

export const updatedOf = (data: TumblrData, name: string): number =>
  seconds(data.posts.shown(name)[0]?.createdAtMs ?? 0)

/** The short form embedded in posts. */
export const shortBlog = ({ url, data }: View, { name, title, description, uuid }: Blog) => ({
  name,
  title,
  description,
  url: blogUrl(name),
  uuid,
  updated: updatedOf(data, name),
  avatar: avatarsOf(url, name),
})

export function fullBlog(view: View, blog: Blog) {
  const { data, viewer } = view
  const posts = data.posts.shown(blog.name).filter(({ fields }) => fields.state === 'published').length
  return {
    ...shortBlog(view, blog),
    posts,
    total_posts: posts,
    ask: true,
    ask_anon: false,
    ...(blog.primary && blog.owner !== undefined ? { likes: data.liked(blog.owner).length } : {}),
    ...(viewer === '' ? {} : { followed: data.follows(viewer, blog.name), is_blocked_from_primary: false }),
  }
}

/** The representation shown to the owner. */
export const ownBlog = (view: View, blog: Blog) => ({
  ...fullBlog(view, blog),
  primary: blog.primary,
  followers: view.data.followers(blog.name).length,
  tweet: 'N',
  type: 'public',
  admin: true,
})
