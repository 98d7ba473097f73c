import type { PostFields } from './model.ts'
import { seconds } from './params.ts'
import { blogUrl, shortBlog, type View } from './present-blog.ts'

const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more })

const image = (url: string, hue: number) => ({
  type: 'image',
  media: [1280, 500, 75].map((width) => ({
    type: 'image/svg+xml',
    width,
    height: (width * 3) / 4,
    url: `${url}/media/${width}x${(width * 3) / 4}-${hue}.svg`,
  })),
  alt_text: 'Two colours and a sun',
})

/** The post's content as NPF blocks. */
export function contentOf(url: string, fields: PostFields): object[] {
  const { type, words, title, hues, dialogue } = fields
  const heading = title === null ? [] : [text(title, { subtype: 'heading1' })]
  switch (type) {
    case 'photo':
      return [...hues.map((hue) => image(url, hue)), text(words)]
    case 'quote':
      return [text(words, { subtype: 'quote' })]
    case 'link':
      return [{ type: 'link', url: fields.url, title: title ?? '', description: words, site_name: 'reading.test' }]
    case 'chat':
      return dialogue.map(({ name, phrase }) => text(`${name}: ${phrase}`, { subtype: 'chat' }))
    case 'audio':
      return [
        { type: 'audio', provider: 'sounds', title: title ?? '', artist: 'The Kettles', url: fields.url },
        text(words),
      ]
    case 'video':
      return [
        { type: 'video', provider: 'videos', url: fields.url, embed_html: `<iframe src="${fields.url}"></iframe>` },
        text(words),
      ]
    case 'answer':
      return [text(title ?? ''), text(words)]
    case 'text':
      return [...heading, text(words)]
    default:
      return type satisfies never
  }
}

/** The asker is part of the layout; several pictures form one row. */
export function layoutOf(view: View, fields: PostFields): object[] {
  if (fields.type === 'answer') {
    const asker = fields.asker === undefined ? undefined : view.data.blog(fields.asker)
    const attribution = asker
      ? { attribution: { type: 'blog', url: blogUrl(asker.name), blog: shortBlog(view, asker) } }
      : {}
    return [{ type: 'ask', blocks: [0], ...attribution }]
  }
  if (fields.hues.length < 2) return []
  return [{ type: 'rows', display: [{ blocks: fields.hues.map((_, at) => at) }, { blocks: [fields.hues.length] }] }]
}

/** The posts that a reblog quotes. For a deleted post only its blog's name remains. */
export function trailOf(view: View, fields: PostFields): object[] {
  const { reblog } = fields
  if (!reblog) return []
  const root = view.data.post(reblog.rootId)
  const blog = view.data.blog(reblog.rootBlog)
  const content = contentOf(view.url, fields)
  const layout = layoutOf(view, fields)
  if (!root || !blog) return [{ broken_blog_name: reblog.rootBlog, content, layout }]
  return [
    {
      post: { id: root.id, timestamp: seconds(root.createdAtMs), is_commercial: false },
      blog: shortBlog(view, blog),
      content,
      layout,
    },
  ]
}
