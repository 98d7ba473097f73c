import type { Reply } from '../../base/reply.ts'
import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { answer } from './answer.ts'
import type { ApiParts, Ask, Asked } from './ask.ts'
import { expandDms } from './expand.ts'
import type { DmFields } from './model.ts'
import { pageOf } from './page.ts'
import { checkedId, checkNames, countParam, listParam } from './params.ts'
import { presentDm } from './present.ts'
import { readWanted } from './wanted.ts'

const kept30DaysMs = 30 * 86_400_000
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
export function messageRoutes({ context, data }: ApiParts, ask: Ask): Routes {
  function events(asked: Asked, fits: (fields: DmFields) => boolean): Reply {
    checkNames(asked.request, names)
    const { request, viewer } = asked
    const wanted = readWanted(request, 'dm')
    const presenter = { url: context.url(), data, viewerId: viewer.id, wanted }
    const types = listParam(request, 'event_types', ['MessageCreate', 'ParticipantsJoin', 'ParticipantsLeave'])
    const oldest = context.clock.now() - kept30DaysMs
    const items = data.store.list(viewer.username, 'messages').filter((item: StoredItem) => {
      const fields = item.fields as DmFields
      return item.createdAtMs >= oldest && (types.length === 0 || types.includes(fields.type)) && fits(fields)
    })
    const { shown, tokens } = pageOf(request, items, isShown, countParam(request, 1, 100, 100))
    return answer(wanted, {
      data: shown.map((item) => presentDm(presenter, item)),
      ...expandDms(presenter, shown),
      meta: { result_count: shown.length, ...tokens },
    })
  }

  const scopes = ['tweet.read', 'users.read', 'dm.read']
  const all = { endpoint: 'GET /2/dm_events', limit: 15, scopes }
  const withOne = { endpoint: 'GET /2/dm_conversations/with/:participant_id/dm_events', limit: 15, scopes }
  const conversation = { endpoint: 'GET /2/dm_conversations/:id/dm_events', limit: 15, scopes }
  return {
    [all.endpoint]: ask(all, (asked) => events(asked, () => true)),
    [withOne.endpoint]: ask(withOne, (asked) => {
      const other = checkedId('participant_id', asked.params['participant_id'] ?? '')
      return events(asked, ({ conversationId }) => conversationId.split('-').includes(other))
    }),
    [conversation.endpoint]: ask(conversation, (asked) =>
      events(asked, ({ conversationId }) => conversationId === asked.params['id']),
    ),
  }
}
