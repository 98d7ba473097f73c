import { oauth2 } from '#kit/auth.ts'
import { defineConnector } from '#kit/connector.ts'
import { rateFrom } from '#kit/rate.ts'
import { self } from '#kit/self.ts'
import { endpoints } from './endpoints.ts'
import { didDocumentUrl, personalDataServer } from './identity.ts'

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

/**
 * An app's key is its `client_id`: the URL of its client metadata document, or `http://localhost?…` on a developer's
 * machine. Public clients have no secret; the secret of others is their private JWK.
 */
export const bluesky = defineConnector({
  service: 'bluesky',
  title: 'Bluesky',
  docs: 'https://docs.bsky.app/docs/advanced-guides/oauth-client',
  auth: oauth2({
    discover: { resource: true },
    home: { document: didDocumentUrl, read: personalDataServer, apiPath: '/xrpc' },
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
    // Per IP address and server, so all apps share it: https://docs.bsky.app/docs/advanced-guides/rate-limits
    limits: { service: { calls: 3000, perS: 300 } },
    rate: rateFrom({ remaining: 'ratelimit-remaining', reset: 'ratelimit-reset', of: 'service' }),
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
