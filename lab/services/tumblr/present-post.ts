import { isShown, type StoredItem } from '../../data/item-store.ts'
import { gmtDate, reblogKey, slugOf } from './ids.ts'
import { legacyContent } from './legacy.ts'
import type { Note, PostFields, Reblog } from './model.ts'
import { contentOf, layoutOf, trailOf } from './npf.ts'
import { blogUrl, type Presenter, shortBlog } from './present-blog.ts'

export interface PostOptions {
  npf: boolean
  reblogInfo: boolean
  notesInfo: boolean
  filter: 'html' | 'text' | 'raw'
}

const postUrl = (blog: string, id: string, slug = ''): string =>
  `${blogUrl(blog)}post/${id}${slug === '' ? '' : `/${slug}`}`

export function presentPost(presenter: Presenter, item: StoredItem, options: PostOptions): Record<string, unknown> {
  const fields = item.fields as PostFields
  const { data, viewer, url } = presenter
  const blog = data.blog(fields.blog)
  const slug = slugOf(fields.title ?? fields.words)
  const reblog = fields.reblog
  return {
    type: options.npf ? 'blocks' : fields.type,
    ...(options.npf ? { original_type: fields.type === 'text' ? 'regular' : fields.type } : {}),
    is_blocks_post_format: options.npf || fields.isBlocks,
    blog_name: fields.blog,
    ...(blog ? { blog: shortBlog(presenter, blog) } : {}),
    id: BigInt(item.id),
    id_string: item.id,
    post_url: postUrl(fields.blog, item.id, slug),
    slug,
    date: gmtDate(item.createdAtMs),
    timestamp: Math.floor(item.createdAtMs / 1000),
    state: fields.state,
    format: 'html',
    reblog_key: reblogKey(item.id),
    tags: fields.tags,
    short_url: `https://tmblr.co/${item.id.slice(-9)}`,
    summary: fields.title ?? fields.words,
    should_open_in_legacy: !fields.isBlocks,
    ...(fields.sourceTitle === undefined ? {} : { source_url: fields.url, source_title: fields.sourceTitle }),
    note_count: fields.notes.length,
    ...(viewer === undefined ? {} : viewerFields(presenter, viewer, item)),
    ...(reblog ? { parent_post_url: postUrl(reblog.fromBlog, reblog.fromId) } : {}),
    ...(reblog && options.reblogInfo ? reblogFields(presenter, reblog) : {}),
    ...(options.notesInfo
      ? { notes: fields.notes.slice(0, 50).map((note) => presentNote(presenter, note, item.id)) }
      : {}),
    ...(options.npf
      ? {
          content: reblog ? commentOf(reblog) : contentOf(url, fields),
          layout: reblog ? [] : layoutOf(presenter, fields),
          trail: trailOf(presenter, fields),
        }
      : legacyContent(url, fields, options.filter)),
  }
}

const commentOf = ({ comment }: Reblog) => (comment === '' ? [] : [{ type: 'text', text: comment }])

function viewerFields({ data }: Presenter, viewer: string, item: StoredItem) {
  const liked = data.store.list(viewer, 'likes').some((like) => like.id === item.id && isShown(like))
  const followed = data.following(viewer).some(({ name }) => name === item.fields['blog'])
  return { liked, followed, can_like: true, can_reblog: true, can_reply: true }
}

function reblogFields({ data, viewer }: Presenter, { fromBlog, fromId, rootBlog, rootId }: Reblog) {
  const side = (prefix: string, name: string, id: string) => {
    const blog = data.blog(name)
    const follows = viewer !== undefined && data.following(viewer).some((one) => one.name === name)
    return {
      [`${prefix}_id`]: id,
      [`${prefix}_url`]: postUrl(name, id),
      [`${prefix}_name`]: name,
      [`${prefix}_title`]: blog?.title ?? '',
      [`${prefix}_uuid`]: blog?.uuid ?? '',
      [`${prefix}_following`]: follows,
    }
  }
  return { ...side('reblogged_from', fromBlog, fromId), ...side('reblogged_root', rootBlog, rootId) }
}

export function presentNote({ data, viewer }: Presenter, { type, blog, atMs, text }: Note, postId: string) {
  return {
    type,
    timestamp: Math.floor(atMs / 1000),
    blog_name: blog,
    blog_uuid: data.blog(blog)?.uuid ?? '',
    blog_url: blogUrl(blog),
    followed: viewer !== undefined && data.following(viewer).some(({ name }) => name === blog),
    avatar_shape: 'square',
    ...(type === 'reply' ? { reply_text: text ?? '', can_block: true } : {}),
    ...(type === 'reblog' ? { post_id: postId, reblog_parent_blog_name: blog } : {}),
  }
}
