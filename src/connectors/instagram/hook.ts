import type { Hook } from '#kit/connector/connector.ts'
import { hook as notices } from './graph.ts'

const MESSAGES = 'instagram_business_manage_messages'

/** Notices of a person arrive only after a call with their token names the fields. The service ends it with the grant. */
export const hook: Hook = {
  ...notices,
  subscriptions: {
    fields: {
      scope: ['instagram_business_manage_comments'],
      subscribe: ({ granted }) => ({
        method: 'POST',
        path: '/me/subscribed_apps',
        // A field without its permission fails the whole call.
        query: {
          subscribed_fields: ['comments', ...(granted?.includes(MESSAGES) === true ? ['messages'] : [])].join(','),
        },
      }),
      unsubscribe: () => ({ method: 'DELETE', path: '/me/subscribed_apps' }),
    },
  },
}
