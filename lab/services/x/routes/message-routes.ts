import type { ApiParts, Call, XApi } from '../endpoint.ts'
import type { DmFields } from '../model.ts'
import { checkedId, listParam } from '../params.ts'
import { presentDm } from '../present.ts'

const retentionMs = 30 * 86_400_000

/** Direct messages of the last thirty days. */
export function messageResources({ context, data }: ApiParts, { list }: XApi) {
  const need = {
    of: 'dm',
    limit: 15,
    scopes: ['dm.read'],
    charged: 'messages',
    params: ['max_results', 'pagination_token', 'event_types'],
  } as const
  const events = (matcher: (call: Call) => (fields: DmFields) => boolean) =>
    list(
      need,
      (call) => {
        const matches = matcher(call)
        const types = listParam(call.request, 'event_types', ['MessageCreate', 'ParticipantsJoin', 'ParticipantsLeave'])
        const oldest = context.clock.now() - retentionMs
        return data.messages
          .list(call.viewer.username)
          .filter(({ createdAtMs, fields }) => createdAtMs >= oldest && matches(fields))
          .filter(({ fields }) => types.length === 0 || types.includes(fields.type))
      },
      presentDm,
    )
  return {
    'GET /2/dm_events': events(() => () => true),
    'GET /2/dm_conversations/with/:participant_id/dm_events': events(({ params }) => {
      const other = checkedId('participant_id', params['participant_id'] ?? '')
      return ({ conversationId }) => conversationId.split('-').includes(other)
    }),
    'GET /2/dm_conversations/:id/dm_events': events(
      ({ params }) =>
        ({ conversationId }) =>
          conversationId === params['id'],
    ),
  }
}
