/** Every reason of a refused request, with its status and default sentence. `docs/api.md` lists them from this table. */
export const REASONS = {
  bad_request: [400, 'The request cannot be understood.'],
  bad_parameter: [400, 'A parameter cannot be understood; the sentence names it.'],
  bad_body: [400, 'The body cannot be understood; the sentence names the field.'],
  client_unknown: [400, 'The `client_id` is missing or unknown.'],
  redirect_unregistered: [400, 'The `redirect_uri` is missing or not registered for this app.'],
  session_expired: [400, 'This sign-in has ended: it was finished before, took too long, or began in another browser.'],
  code_invalid: [400, 'The code is wrong, used or expired, or was issued to another app or address.'],
  same_account: [400, 'Source and destination are the same account.'],
  token_conflict: [400, 'Two different access tokens were given.'],
  token_missing: [401, 'This request needs an access token.'],
  token_invalid: [401, 'The access token is unknown, revoked or merged away.'],
  app_secret_invalid: [401, 'The client id or the client secret is wrong.'],
  service_refused: [401, 'The service refused the token.'],
  hook_refused: [401, 'The signature of the webhook is not valid.'],
  admin_token_invalid: [401, 'The admin token is missing or wrong.'],
  needs_auth: [403, 'The person has to sign in at the service again.'],
  other_app: [403, 'Source and destination belong to different apps.'],
  quota_reached: [403, 'This would exceed a quota; the sentence names it. Stored items can still be changed.'],
  no_profile: [404, 'The account has no profile of this service.'],
  service_unknown: [404, 'The service is unknown.'],
  no_service_keys: [404, 'The app has no keys for this service.'],
  not_found: [404, 'There is nothing at this address.'],
  method_not_allowed: [405, 'This address does not take this method.'],
  request_timeout: [408, 'The request took too long to arrive.'],
  already_exists: [409, 'The name is already in use.'],
  profile_paused: [409, 'Syncs of this profile are paused; resume it first.'],
  app_has_accounts: [409, 'The app has accounts. Deleting it erases them: request that with `erase=true`.'],
  endpoint_retired: [410, 'Items can no longer be read over the API here; use push.'],
  body_too_large: [413, 'The body is larger than this address accepts.'],
  media_type_unsupported: [415, 'This address does not accept this content type.'],
  headers_too_large: [431, 'The headers are larger than this server accepts.'],
  too_many_attempts: [429, 'Too many wrong secrets; wait as long as Retry-After says.'],
  too_many_sign_ins: [429, 'Too many sign-ins are unfinished; wait as long as Retry-After says, then try again.'],
  service_limited: [429, 'The rate limit of this service is used up; wait as long as Retry-After says.'],
  internal: [500, 'An internal error occurred. The log has the details under this request id.'],
  service_unreachable: [502, 'The service does not respond.'],
  destination_failed: [502, 'The destination failed.'],
  database_unavailable: [503, 'The database does not respond right now.'],
  service_timeout: [504, 'The service took too long.'],
  storage_full: [507, 'The disk of the database is full, so nothing was stored. Reading still works.'],
} as const satisfies Record<string, readonly [number, string]>

export type Reason = keyof typeof REASONS

/** An error that the caller may read. Its sentence must not contain data of anyone else. */
export class ApiError extends Error {
  readonly reason: Reason
  readonly see: string | undefined
  readonly retryAfterS: number | undefined

  constructor(reason: Reason, message?: string, options: { see?: string; retryAfterS?: number; cause?: unknown } = {}) {
    super(message ?? REASONS[reason][1], options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ApiError'
    this.reason = reason
    this.see = options.see
    this.retryAfterS = options.retryAfterS
  }

  get status(): number {
    return REASONS[this.reason][0]
  }
}
