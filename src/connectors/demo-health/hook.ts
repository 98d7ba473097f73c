import type { Hook } from '#kit/connector/connector.ts'
import { timedSignature, urlVerification } from '#kit/connector/hook.ts'
import type { HookItem } from '#kit/hooks/hook-life-cycle.ts'
import type { Activity } from './kinds.ts'

interface Event {
  person: string
  kind: string
  activity?: Activity
  deleted?: number
  deleted_at?: number
}

interface Subscription {
  id: string
  url: string
  expires_at: number
}

const eventsIn = (body: unknown) => (body as { events: Event[] }).events
const read = ({ id, expires_at: seconds }: Subscription) => ({ id, expiresAt: seconds * 1000 })

/** Webhooks contain the changed activities; of other kinds they only name the person. */
export const hook: Hook = {
  ...timedSignature({ signature: 'x-health-signature', time: 'x-health-timestamp' }),
  handshake: urlVerification,
  people: (body) =>
    eventsIn(body)
      .filter(({ kind }) => kind !== 'activities')
      .map(({ person }) => person),
  items: (body) => eventsIn(body).flatMap(itemIn),
  version: (record) => {
    const { updated_at: seconds } = record as Activity
    return seconds === undefined ? undefined : seconds * 1000
  },
  subscriptions: {
    changes: {
      scope: ['profile'],
      subscribe: ({ hookUrl }) => ({ method: 'POST', path: '/subscriptions', json: { url: hookUrl } }),
      read: ({ body }) => read(body as Subscription),
      find: {
        request: () => ({ method: 'GET', path: '/subscriptions' }),
        read: (body, { hookUrl }) => {
          const found = (body as { subscriptions: Subscription[] }).subscriptions.find(({ url }) => url === hookUrl)
          return found && read(found)
        },
      },
      renew: (_context, id) => ({ method: 'PUT', path: `/subscriptions/${encodeURIComponent(id)}` }),
      unsubscribe: (_context, id) =>
        id === undefined ? undefined : { method: 'DELETE', path: `/subscriptions/${encodeURIComponent(id)}` },
    },
  },
}

function itemIn({ person, kind, activity, deleted, deleted_at: seconds }: Event): HookItem[] {
  if (kind !== 'activities') return []
  if (activity !== undefined) return [{ person, endpoint: 'activities', record: activity }]
  if (deleted === undefined || seconds === undefined) return []
  return [{ person, endpoint: 'activities', deleted: String(deleted), at: seconds * 1000 }]
}
