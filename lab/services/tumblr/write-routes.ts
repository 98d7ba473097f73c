import { first } from '../../base/pairs.ts'
import type { Reply } from '../../base/reply.ts'
import { formOf, jsonOf, type LabRequest, mediaType } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import { isShown } from '../../data/item-store.ts'
import { type ApiCall, type ApiParts, type EndpointFactory, namedBlog } from './endpoint.ts'
import { refused, wrapped } from './envelope.ts'
import { reblogKey } from './ids.ts'
import { type Blog, blankPost } from './model.ts'

export function writeRoutes({ context, data }: ApiParts, endpoint: EndpointFactory): Routes {
  const ownBlog = (call: ApiCall): Blog => {
    const blog = namedBlog(call)
    if (blog.owner !== call.viewer) throw refused(403, 'This is not your blog')
    return blog
  }

  /** A post in NPF blocks; only the text blocks are stored. */
  function publish(call: ApiCall): Reply {
    const blog = ownBlog(call)
    const { content, tags } = jsonOf(call.request)
    if (!Array.isArray(content) || content.length === 0) throw refused(400, 'content is missing', 8001)
    const words = content
      .map((block: unknown) => (block as { text?: unknown } | null)?.text)
      .filter((text) => typeof text === 'string')
      .join('\n')
    const now = context.clock.now()
    const list = typeof tags === 'string' && tags !== '' ? tags.split(',') : []
    const fields = { ...blankPost(blog.name, words), tags: list }
    const id = data.nextId()
    data.remember(data.store.put(blog.name, 'posts', { id, createdAtMs: now, updatedAtMs: now, fields }))
    return wrapped({ id, state: 'published', display_text: `Posted to ${blog.name}` }, 201)
  }

  function unpublish(call: ApiCall): Reply {
    const blog = ownBlog(call)
    const id = bodyField(call.request, 'id')
    const item = data.post(id)
    if (!item || item.fields['blog'] !== blog.name) throw refused(404, 'There is no such post')
    data.store.remove(blog.name, 'posts', id, context.clock.now())
    return wrapped({ id })
  }

  const like =
    (on: boolean) =>
    ({ request, viewer }: ApiCall): Reply => {
      const id = bodyField(request, 'id')
      if (!data.post(id) || bodyField(request, 'reblog_key') !== reblogKey(id))
        throw refused(404, 'There is no such post')
      const isLiked = data.store.list(viewer, 'likes').some((item) => item.id === id && isShown(item))
      const now = context.clock.now()
      if (on && !isLiked) data.store.put(viewer, 'likes', { id, createdAtMs: now, updatedAtMs: now, fields: {} })
      if (!on && isLiked) data.store.remove(viewer, 'likes', id, now)
      return wrapped([])
    }

  return {
    'POST /v2/blog/:blog/posts': endpoint('write', publish),
    'POST /v2/blog/:blog/post/delete': endpoint('write', unpublish),
    'POST /v2/user/like': endpoint('write', like(true)),
    'POST /v2/user/unlike': endpoint('write', like(false)),
  }
}

function bodyField(request: LabRequest, name: string): string {
  if (mediaType(request) !== 'application/json') return first(formOf(request), name) ?? ''
  const value = jsonOf(request)[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
