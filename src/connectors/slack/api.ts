import type { Api } from '#kit/connector/connector.ts'
import type { Answer } from './shapes.ts'

type Recovery = 'retry' | 'reauthorize' | 'skip' | 'restart' | 'not_granted'

/** Errors come with status 200; the code says what they mean. Any other stops the endpoint. */
const RECOVERY_BY_ERROR: Record<string, Recovery> = {
  token_revoked: 'reauthorize',
  token_expired: 'reauthorize',
  account_inactive: 'reauthorize',
  invalid_auth: 'reauthorize',
  not_authed: 'reauthorize',
  ratelimited: 'retry',
  rate_limited: 'retry',
  internal_error: 'retry',
  fatal_error: 'retry',
  request_timeout: 'retry',
  service_unavailable: 'retry',
  // The workspace is being moved into an organization.
  team_added_to_org: 'retry',
  org_login_required: 'retry',
  missing_scope: 'not_granted',
  no_permission: 'skip',
  not_allowed_token_type: 'skip',
  access_denied: 'skip',
  team_access_not_granted: 'skip',
  ekm_access_denied: 'skip',
  // One conversation, thread or person: others go on.
  channel_not_found: 'skip',
  not_in_channel: 'skip',
  is_archived: 'skip',
  thread_not_found: 'skip',
  method_not_supported_for_channel_type: 'skip',
  user_not_found: 'skip',
  invalid_cursor: 'restart',
  invalid_ts_oldest: 'restart',
}

/**
 * Each method has a limit of its own, counted for an app in a workspace: tier 2 is 20 calls a minute, tier 3 is 50. The window is 100,
 * in which a call of tier 2 counts as five and one of tier 3 as two. Apps that are sold outside the Marketplace get one call a
 * minute, of 15 messages, for conversations.history and conversations.replies: nothing tells in advance, so refusals do.
 */
export const TIER_2 = 5
export const TIER_3 = 2

export const api: Api = {
  baseUrl: 'https://slack.com/api',
  // Has the files themselves (`url_private`).
  hosts: ['https://files.slack.com'],
  // Where the bytes of a file are sent; SDKs do that with the token.
  links: ['upload_url'],
  // “Tokens should be passed as an HTTP Authorization header or alternatively, as a POST parameter”.
  tokenPlaces: { query: ['token'], form: ['token'] },
  limits: { person: { calls: 100, perS: 60, per: 'group' } },
  group: (path) => path.split('/').find((part) => part !== ''),
  rate: () => ({ of: 'endpoint' }),
  recovery: ({ body }) => {
    const { ok, error = '' } = (body ?? {}) as Answer
    if (ok !== false) return undefined
    return Object.hasOwn(RECOVERY_BY_ERROR, error) ? RECOVERY_BY_ERROR[error] : 'stop'
  },
}

/** Errors of the token and revocation endpoints, which have status 200 too. */
export const AUTH_ERRORS: Record<string, 'retry' | 'reauthorize' | 'stop'> = {
  invalid_code: 'reauthorize',
  code_already_used: 'reauthorize',
  code_expired: 'reauthorize',
  invalid_refresh_token: 'reauthorize',
  token_revoked: 'reauthorize',
  token_expired: 'reauthorize',
  account_inactive: 'reauthorize',
  invalid_auth: 'reauthorize',
  authorization_not_found: 'reauthorize',
  invalid_client_id: 'stop',
  bad_client_secret: 'stop',
  bad_redirect_uri: 'stop',
  invalid_grant_type: 'stop',
  oauth_authorization_url_mismatch: 'stop',
  ratelimited: 'retry',
  internal_error: 'retry',
  fatal_error: 'retry',
  request_timeout: 'retry',
  service_unavailable: 'retry',
}
