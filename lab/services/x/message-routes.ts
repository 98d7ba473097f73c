import type { Reply } from '../../base/reply.ts'
import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import type { ApiCall, ApiParts, EndpointFactory } from './endpoint.ts'
import { expandDms } from './expand.ts'
import { readFieldSelection } from './field-selection.ts'
import type { DmFields } from './model.ts'
import { pageOf } from './page.ts'
import { checkedId, checkNames, countParam, listParam } from './params.ts'
import { presentDm } from './present.ts'
import { respond } from './respond.ts'

const retentionMs = 30 * 86_400_000
const names = [
  'max_results',
  'pagination_token',
  'event_types',
  'dm_event.fields',
  'tweet.fields',
  'post.fields',
  'user.fields',
  'media.fields',
  'expansions',
]

/** Direct messages of the last thirty days. */
export function messageRoutes({ context, data }: ApiParts, endpoint: EndpointFactory): Routes {
  function events(call: ApiCall, matches: (fields: DmFields) => boolean): Reply {
    checkNames(call.request, names)
    const { request, viewer } = call
    const selection = readFieldSelection(request, 'dm')
    const presenter = { url: context.url(), data, viewerId: viewer.id, selection }
    const types = listParam(request, 'event_types', ['MessageCreate', 'ParticipantsJoin', 'ParticipantsLeave'])
    const oldest = context.clock.now() - retentionMs
    const items = data.store.list(viewer.username, 'messages').filter((item: StoredItem) => {
      const fields = item.fields as DmFields
      return item.createdAtMs >= oldest && (types.length === 0 || types.includes(fields.type)) && matches(fields)
    })
    const { shown, tokens } = pageOf(request, items, isShown, countParam(request, 1, 100, 100))
    return respond(selection, {
      data: shown.map((item) => presentDm(presenter, item)),
      ...expandDms(presenter, shown),
      meta: { result_count: shown.length, ...tokens },
    })
  }

  const scopes = ['tweet.read', 'users.read', 'dm.read']
  const all = { endpoint: 'GET /2/dm_events', limit: 15, scopes, charged: 'messages' as const }
  const withOne = {
    endpoint: 'GET /2/dm_conversations/with/:participant_id/dm_events',
    limit: 15,
    scopes,
    charged: 'messages' as const,
  }
  const conversation = {
    endpoint: 'GET /2/dm_conversations/:id/dm_events',
    limit: 15,
    scopes,
    charged: 'messages' as const,
  }
  return {
    [all.endpoint]: endpoint(all, (call) => events(call, () => true)),
    [withOne.endpoint]: endpoint(withOne, (call) => {
      const other = checkedId('participant_id', call.params['participant_id'] ?? '')
      return events(call, ({ conversationId }) => conversationId.split('-').includes(other))
    }),
    [conversation.endpoint]: endpoint(conversation, (call) =>
      events(call, ({ conversationId }) => conversationId === call.params['id']),
    ),
  }
}
