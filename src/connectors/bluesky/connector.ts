import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { rateFrom } from '#kit/connector/rate.ts'
import { endpoints } from './endpoints.ts'
import { didDocumentUrl, handles, personalDataServer } from './identity.ts'

interface Session {
  did: string
  handle: string
  email?: string
}

/** Errors about the account, not about the call. */
const ACCOUNT_ERRORS = [
  'AccountDeactivated',
  'AccountTakedown',
  'RepoDeactivated',
  'RepoNotFound',
  'RepoSuspended',
  'RepoTakendown',
]

/** Per IP address and server, so all apps share it: https://docs.bsky.app/docs/advanced-guides/rate-limits */
const ADDRESS_LIMIT = { calls: 3000, perS: 300 }
const LIMIT_OF_THE_ADDRESS = `${ADDRESS_LIMIT.calls};w=${ADDRESS_LIMIT.perS}`

/**
 * An app needs no key: Tributary publishes its client document, or uses `http://localhost?…` on a developer's machine. A
 * key of its own is the URL of its own document; public clients have no secret, that of others is their private JWK.
 */
export const bluesky = defineConnector({
  service: 'bluesky',
  title: 'Bluesky',
  docs: 'https://docs.bsky.app/docs/advanced-guides/oauth-client',
  category: 'people',
  ask: {
    handle: {
      title: 'Your handle',
      example: 'ada.bsky.social',
      hint: 'Leave it empty if you do not know it: then you sign in at bsky.social.',
      kind: 'handle',
      optional: true,
      alsoNamed: 'login_hint',
    },
  },
  auth: oauth2({
    noAppCheck: 'Tokens are bound to a key of the app, and neither the server nor the person’s record names the app.',
    discover: { resource: true },
    home: { document: didDocumentUrl, read: personalDataServer, apiPath: '/xrpc', handle: handles },
    registration: { kind: 'document' },
    tokenAuth: 'private_key_jwt',
    dpop: true,
    // Each sign-in is a session of its own.
    revokeEnds: 'token',
    scope: { default: ['atproto', 'transition:generic'] },
    // The app's client metadata must name these scopes too. Without the second one, `getSession` leaves out the address.
    flags: { dm: { scope: ['transition:chat.bsky'] }, email: { scope: ['transition:email'] } },
    forceLogin: { parameters: { prompt: 'login' } },
  }),
  api: {
    baseUrl: 'https://bsky.social/xrpc',
    limits: { service: ADDRESS_LIMIT },
    // The headers state the limit that is nearest: that of the address, or one of a method, which must not pause everything else.
    rate: (headers) => {
      const of = headers['ratelimit-policy'] === LIMIT_OF_THE_ADDRESS ? 'service' : 'endpoint'
      return rateFrom({ remaining: 'ratelimit-remaining', reset: 'ratelimit-reset', of })(headers)
    },
    recovery: ({ body }) => (ACCOUNT_ERRORS.includes(errorOf(body)) ? 'stop' : undefined),
  },
  self: self<Session>('/com.atproto.server.getSession', ({ did, handle, email }) => ({
    id: did,
    handle,
    email,
    url: `https://bsky.app/profile/${did}`,
  })),
  endpoints,
})

function errorOf(body: unknown): string {
  return String(((body ?? {}) as { error?: unknown }).error)
}
