import { gmtDate, reblogKey, slugOf } from './ids.ts'
import { legacyContent } from './legacy.ts'
import type { Note, PostItem, Reblog } from './model.ts'
import { contentOf, layoutOf, trailOf } from './npf.ts'
import { seconds } from './params.ts'
import { blogUrl, shortBlog, type View } from './present-blog.ts'

export interface PostOptions {
  npf: boolean
  reblogInfo: boolean
  notesInfo: boolean
  filter: 'html' | 'text' | 'raw'
}

const postUrl = (blog: string, id: string, slug = ''): string =>
  `${blogUrl(blog)}post/${id}${slug === '' ? '' : `/${slug}`}`

export function presentPost(view: View, item: PostItem, options: PostOptions): Record<string, unknown> {
  const { fields } = item
  const { data, viewer, url } = view
  const blog = data.blog(fields.blog)
  const slug = slugOf(fields.title ?? fields.words)
  const reblog = fields.reblog
  return {
    type: options.npf ? 'blocks' : fields.type,
    ...(options.npf ? { original_type: fields.type === 'text' ? 'regular' : fields.type } : {}),
    is_blocks_post_format: options.npf || fields.isBlocks,
    blog_name: fields.blog,
    ...(blog ? { blog: shortBlog(view, blog) } : {}),
    id: BigInt(item.id),
    id_string: item.id,
    post_url: postUrl(fields.blog, item.id, slug),
    slug,
    date: gmtDate(item.createdAtMs),
    timestamp: seconds(item.createdAtMs),
    state: fields.state,
    format: 'html',
    reblog_key: reblogKey(item.id),
    tags: fields.tags,
    short_url: `https://tmblr.co/${item.id.slice(-9)}`,
    summary: fields.title ?? fields.words,
    should_open_in_legacy: !fields.isBlocks,
    ...(fields.sourceTitle === undefined ? {} : { source_url: fields.url, source_title: fields.sourceTitle }),
    note_count: fields.notes.length,
    ...(viewer === '' ? {} : viewerFields(view, item)),
    ...(reblog ? { parent_post_url: postUrl(reblog.fromBlog, reblog.fromId) } : {}),
    ...(reblog && options.reblogInfo ? reblogFields(view, reblog) : {}),
    ...(options.notesInfo ? { notes: fields.notes.slice(0, 50).map((note) => presentNote(view, note, item.id)) } : {}),
    ...(options.npf
      ? {
          content: reblog ? commentOf(reblog) : contentOf(url, fields),
          layout: reblog ? [] : layoutOf(view, fields),
          trail: trailOf(view, fields),
        }
      : legacyContent(url, fields, options.filter)),
  }
}

const commentOf = ({ comment }: Reblog) => (comment === '' ? [] : [{ type: 'text', text: comment }])

function viewerFields({ data, viewer }: View, { id, fields }: PostItem) {
  const liked = data.likes.shown(viewer).some((like) => like.id === id)
  const followed = data.follows(viewer, fields.blog)
  return { liked, followed, can_like: true, can_reblog: true, can_reply: true }
}

function reblogFields({ data, viewer }: View, { fromBlog, fromId, rootBlog, rootId }: Reblog) {
  const side = (prefix: string, name: string, id: string) => {
    const blog = data.blog(name)
    return {
      [`${prefix}_id`]: id,
      [`${prefix}_url`]: postUrl(name, id),
      [`${prefix}_name`]: name,
      [`${prefix}_title`]: blog?.title ?? '',
      [`${prefix}_uuid`]: blog?.uuid ?? '',
      [`${prefix}_following`]: data.follows(viewer, name),
    }
  }
  return { ...side('reblogged_from', fromBlog, fromId), ...side('reblogged_root', rootBlog, rootId) }
}

export function presentNote({ data, viewer }: View, { type, blog, atMs, text }: Note, postId: string) {
  return {
    type,
    timestamp: seconds(atMs),
    blog_name: blog,
    blog_uuid: data.blog(blog)?.uuid ?? '',
    blog_url: blogUrl(blog),
    followed: data.follows(viewer, blog),
    avatar_shape: 'square',
    ...(type === 'reply' ? { reply_text: text ?? '', can_block: true } : {}),
    ...(type === 'reblog' ? { post_id: postId, reblog_parent_blog_name: blog } : {}),
  }
}
