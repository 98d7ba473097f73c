import type { Hook } from '#kit/connector/connector.ts'
import { challenge, sameText } from '#kit/connector/hook.ts'
import type { HookSubscription } from '#kit/hooks/hook-life-cycle.ts'
import { timeOf } from '#kit/read/kind.ts'

/** An event of the X Activity API, or of the older Account Activity API (`for_user_id`). */
interface Delivery {
  for_user_id?: string
  data?: {
    event_type?: string
    /** Empty where the event is about the app, not about a subscription. */
    filter?: { user_id?: string }
    payload?: { id?: string; user_id?: string; date_time?: string }
  }
}

/** Signed with the app's consumer secret (“API key secret”), not the OAuth 2 client secret: it is the hook's secret. */
export const hook: Hook = {
  handshake: ({ crc_token: token }, _secret, sign) =>
    challenge(token) === undefined || token === undefined
      ? undefined
      : { json: { response_token: signature(sign('sha256', token, 'base64')) } },
  verify: ({ headers, body, sign }) =>
    sameText(sign, headers['x-twitter-webhooks-signature'] ?? '', signature(sign('sha256', body, 'base64'))),
  people: (body) => {
    const { for_user_id: ofAccount, data } = body as Delivery
    if (isDeletion(body) || data?.event_type === 'oauth.revoke') return []
    return [ofAccount, data?.filter?.user_id].filter((id) => id !== undefined)
  },
  // Reading costs money per record, so a new post makes only the list of posts due.
  endpoints: (body) => ((body as Delivery).data?.event_type === 'post.create' ? ['tweets'] : undefined),
  items: (body) => {
    const { data } = body as Delivery
    const [person, deleted] = [data?.filter?.user_id, data?.payload?.id]
    // The id of a deleted post is never used again.
    return isDeletion(body) && person !== undefined && deleted !== undefined
      ? [{ person, endpoint: 'tweets', deleted }]
      : []
  },
  ended: (body) => {
    const { event_type: type, payload } = (body as Delivery).data ?? {}
    const at = timeOf(payload?.date_time)
    return type === 'oauth.revoke' && payload?.user_id !== undefined && at !== undefined
      ? [{ person: payload.user_id, at }]
      : []
  },
  subscriptions: { posts: toEvent('post.create'), deleted_posts: toEvent('post.delete') },
}

interface Listed {
  subscription_id?: string
  event_type?: string
  filter?: { user_id?: string }
  webhook_id?: string
}

/** A subscription to one type of event of a person. The webhook itself is registered by the app, which gives its id (`hook_id`). */
function toEvent(type: string): HookSubscription {
  return {
    scope: ['tweet.read', 'users.read'],
    subscribe: ({ hookId, person }) =>
      hookId === undefined
        ? undefined
        : {
            method: 'POST',
            path: '/activity/subscriptions',
            json: { event_type: type, filter: { user_id: person }, webhook_id: hookId },
          },
    // The documentation shows the created subscription alone, and in a list.
    read: ({ body }) => {
      const { data } = (body ?? {}) as { data?: Listed | Listed[] }
      return { id: (Array.isArray(data) ? data[0] : data)?.subscription_id }
    },
    isDuplicate: ({ status, body }) => status === 409 || (status === 400 && isDuplicateProblem(body)),
    find: {
      request: () => ({ method: 'GET', path: '/activity/subscriptions' }),
      read: (body, { person, hookId }) => {
        const list = ((body ?? {}) as { data?: Listed[] }).data ?? []
        const found = list.find(
          (each) => each.event_type === type && each.filter?.user_id === person && each.webhook_id === hookId,
        )
        return found && { id: found.subscription_id }
      },
    },
    unsubscribe: (_context, id) =>
      id === undefined ? undefined : { method: 'DELETE', path: `/activity/subscriptions/${encodeURIComponent(id)}` },
  }
}

function isDuplicateProblem(body: unknown): boolean {
  return JSON.stringify(body ?? null)
    .toLowerCase()
    .includes('duplicate')
}

const isDeletion = (body: unknown) => (body as Delivery).data?.event_type === 'post.delete'

const signature = (digest: string) => `sha256=${digest}`
