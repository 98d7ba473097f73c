import { json, type Reply } from '../../../base/reply.ts'
import { jsonOf } from '../../../base/request.ts'
import type { ApiParts, Call, XApi } from '../endpoint.ts'
import { expandPosts } from '../expand.ts'
import { blankPost, type PostFields } from '../model.ts'
import { checkedId, idList } from '../params.ts'
import { presentPost } from '../present.ts'
import { forbidden, invalidParameter, missing, plainProblem } from '../problems.ts'

export function postResources({ context, data }: ApiParts, { one, own }: XApi) {
  function lookup(call: Call, ids: string[], parameter: 'ids' | 'id') {
    const found = ids.flatMap((id) => data.post(id) ?? [])
    const absent = ids.filter((id) => !data.post(id)).map((id) => missing('tweet', parameter, id))
    const { includes, errors } = expandPosts(call, found)
    const shown = found.map((item) => presentPost(call, item))
    return { data: parameter === 'id' ? shown[0] : shown, includes, errors: [...absent, ...errors] }
  }

  function publish({ request, viewer }: Call): Reply {
    const { text, reply } = jsonOf(request)
    if (typeof text !== 'string' || text === '') throw invalidParameter('text', '', 'The `text` field is required')
    if (Array.from(text).length > 280) return plainProblem(403, 'Forbidden')
    const parentId = (reply as { in_reply_to_tweet_id?: string } | undefined)?.in_reply_to_tweet_id
    const parent = parentId === undefined ? undefined : data.post(parentId)
    if (parentId !== undefined && !parent) throw invalidParameter('in_reply_to_tweet_id', parentId, 'No such post')
    const id = data.nextId()
    const fields: PostFields = {
      ...blankPost(viewer.id, text),
      history: [id],
      conversationId: id,
      ...(parent ? { replyTo: { id: parent.id, userId: parent.fields.authorId } } : {}),
    }
    data.remember(data.posts.add(viewer.username, id, context.clock.now(), fields))
    return json(201, { data: { id, text, edit_history_tweet_ids: [id] } })
  }

  function unpublish({ params, viewer }: Call): Reply {
    const id = checkedId('id', params['id'] ?? '')
    const item = data.post(id)
    if (item && item.fields.authorId !== viewer.id) throw forbidden()
    if (item) data.posts.remove(viewer.username, id, context.clock.now())
    return json(200, { data: { deleted: item !== undefined } })
  }

  const reading = { of: 'tweet', charged: 'posts' } as const
  const scopes = ['tweet.write']
  return {
    'GET /2/tweets': one({ ...reading, limit: 5000, params: ['ids'] }, (call) => {
      const ids = idList(call.request)
      if (ids.length > 100) throw invalidParameter('ids', ids.join(','), 'size must be between 1 and 100')
      return lookup(call, ids, 'ids')
    }),
    'GET /2/tweets/:id': one({ ...reading, limit: 900 }, (call) =>
      lookup(call, [checkedId('id', call.params['id'] ?? '')], 'id'),
    ),
    'POST /2/tweets': own({ limit: 100, scopes }, publish),
    'DELETE /2/tweets/:id': own({ limit: 50, scopes }, unpublish),
  }
}
