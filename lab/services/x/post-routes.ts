import { first } from '../../base/pairs.ts'
import { json, type Reply } from '../../base/reply.ts'
import { jsonOf } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import type { ApiCall, ApiParts, EndpointFactory } from './endpoint.ts'
import { expandPosts } from './expand.ts'
import { fieldParams, readFieldSelection } from './field-selection.ts'
import { blankPost, type PostFields } from './model.ts'
import { checkedId, checkNames } from './params.ts'
import { presentPost } from './present.ts'
import { forbidden, invalidParameter, missing, plainProblem } from './problems.ts'
import { respond } from './respond.ts'

export function postRoutes({ context, data }: ApiParts, endpoint: EndpointFactory): Routes {
  function lookup(call: ApiCall, ids: string[], parameter: 'ids' | 'id'): Reply {
    const selection = readFieldSelection(call.request, 'tweet')
    const presenter = { url: context.url(), data, viewerId: call.viewer.id, selection }
    const found = ids.flatMap((id) => data.post(id) ?? [])
    const absent = ids.filter((id) => !data.post(id)).map((id) => missing('tweet', parameter, id))
    const { includes, errors } = expandPosts(presenter, found)
    const shown = found.map((item) => presentPost(presenter, item))
    return respond(selection, { data: parameter === 'id' ? shown[0] : shown, includes, errors: [...absent, ...errors] })
  }

  function publish({ request, viewer }: ApiCall): Reply {
    const { text, reply } = jsonOf(request)
    if (typeof text !== 'string' || text === '') throw invalidParameter('text', '', 'The `text` field is required')
    if (Array.from(text).length > 280) return plainProblem(403, 'Forbidden')
    const parentId = (reply as { in_reply_to_tweet_id?: string } | undefined)?.in_reply_to_tweet_id
    const parent = parentId === undefined ? undefined : data.post(parentId)
    if (parentId !== undefined && !parent) throw invalidParameter('in_reply_to_tweet_id', parentId, 'No such post')
    const now = context.clock.now()
    const id = data.nextId()
    const fields: PostFields = {
      ...blankPost(viewer.id, text),
      history: [id],
      conversationId: id,
      ...(parent ? { replyTo: { id: parent.id, userId: (parent.fields as PostFields).authorId } } : {}),
    }
    data.remember(data.store.put(viewer.username, 'posts', { id, createdAtMs: now, updatedAtMs: now, fields }))
    return json(201, { data: { id, text, edit_history_tweet_ids: [id] } })
  }

  function unpublish({ params, viewer }: ApiCall): Reply {
    const id = checkedId('id', params['id'] ?? '')
    const item = data.post(id)
    if (item && (item.fields as PostFields).authorId !== viewer.id) throw forbidden()
    if (item) data.store.remove(viewer.username, 'posts', id, context.clock.now())
    return json(200, { data: { deleted: item !== undefined } })
  }

  const base = ['tweet.read', 'users.read']
  const writing = [...base, 'tweet.write']
  return {
    'GET /2/tweets': endpoint({ endpoint: 'GET /2/tweets', limit: 5000, scopes: base, charged: 'posts' }, (call) => {
      checkNames(call.request, ['ids', ...fieldParams])
      const ids = (first(call.request.query, 'ids') ?? '').split(',').map((id) => checkedId('ids', id))
      if (ids.length > 100) throw invalidParameter('ids', ids.join(','), 'size must be between 1 and 100')
      return lookup(call, ids, 'ids')
    }),
    'GET /2/tweets/:id': endpoint(
      { endpoint: 'GET /2/tweets/:id', limit: 900, scopes: base, charged: 'posts' },
      (call) => {
        checkNames(call.request, fieldParams)
        return lookup(call, [checkedId('id', call.params['id'] ?? '')], 'id')
      },
    ),
    'POST /2/tweets': endpoint({ endpoint: 'POST /2/tweets', limit: 100, scopes: writing }, publish),
    'DELETE /2/tweets/:id': endpoint({ endpoint: 'DELETE /2/tweets/:id', limit: 50, scopes: writing }, unpublish),
  }
}
