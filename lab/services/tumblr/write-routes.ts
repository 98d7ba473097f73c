import { first } from '../../base/pairs.ts'
import type { Reply } from '../../base/reply.ts'
import { formOf, jsonOf, type LabRequest, mediaType } from '../../base/request.ts'
import { type ApiParts, type Call, ownedBlog, type TumblrApi } from './endpoint.ts'
import { refused, wrapped } from './envelope.ts'
import { reblogKey } from './ids.ts'
import { blankPost } from './model.ts'

export function writeResources({ context, data }: ApiParts, { one, own }: TumblrApi) {
  /** A post in NPF blocks; only the text blocks are stored. */
  function publish(call: Call): Reply {
    const { name } = ownedBlog(call, 'This is not your blog')
    const { content, tags } = jsonOf(call.request)
    if (!Array.isArray(content) || content.length === 0) throw refused(400, 'content is missing', 8001)
    const words = content
      .map((block: unknown) => (block as { text?: unknown } | null)?.text)
      .filter((text) => typeof text === 'string')
      .join('\n')
    const list = typeof tags === 'string' && tags !== '' ? tags.split(',') : []
    const id = data.nextId()
    data.remember(data.posts.add(name, id, context.clock.now(), { ...blankPost(name, words), tags: list }))
    return wrapped({ id, state: 'published', display_text: `Posted to ${name}` }, 201)
  }

  function unpublish(call: Call) {
    const { name } = ownedBlog(call, 'This is not your blog')
    const id = bodyField(call.request, 'id')
    if (data.post(id)?.fields.blog !== name) throw refused(404, 'There is no such post')
    data.posts.remove(name, id, context.clock.now())
    return { id }
  }

  const like =
    (on: boolean) =>
    ({ request, viewer }: Call) => {
      const id = bodyField(request, 'id')
      if (!data.post(id) || bodyField(request, 'reblog_key') !== reblogKey(id))
        throw refused(404, 'There is no such post')
      const isLiked = data.likes.shown(viewer).some((item) => item.id === id)
      const now = context.clock.now()
      if (on && !isLiked) data.likes.add(viewer, id, now, {})
      if (!on && isLiked) data.likes.remove(viewer, id, now)
      return []
    }

  return {
    'POST /v2/blog/:blog/posts': own({ level: 'write' }, publish),
    'POST /v2/blog/:blog/post/delete': one({ level: 'write' }, unpublish),
    'POST /v2/user/like': one({ level: 'write' }, like(true)),
    'POST /v2/user/unlike': one({ level: 'write' }, like(false)),
  }
}

function bodyField(request: LabRequest, name: string): string {
  if (mediaType(request) !== 'application/json') return first(formOf(request), name) ?? ''
  const value = jsonOf(request)[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
