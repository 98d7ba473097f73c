import type { RateLimit } from './sync/rate-limit.ts'

/**
 * Every reason of a refused request: status, number among the reasons of this status, default sentence. `docs/api.md` lists
 * them from this table. Status and number make the `code` that clients compare (400 and 2: 40002), so a number never changes
 * and is not used again. A new reason gets the next free one; `errors.test.ts` says which.
 */
export const REASONS = {
  bad_request: [400, 1, 'The request cannot be understood.'],
  bad_parameter: [400, 2, 'A parameter cannot be understood; the sentence names it.'],
  bad_body: [400, 3, 'The body cannot be understood; the sentence names the field.'],
  client_unknown: [400, 4, 'The `client_id` is missing or unknown.'],
  redirect_unregistered: [400, 5, 'The `redirect_uri` is missing or not registered for this app.'],
  session_expired: [
    400,
    6,
    'This sign-in has ended: it was finished before, took too long, or began in another browser.',
  ],
  link_invalid: [400, 11, 'The link is wrong, was used, or has expired. Request a new one in the app.'],
  connections_closed: [
    401,
    10,
    'This page is closed: it was open for 30 minutes, or its account was deleted. Request a new link in the app.',
  ],
  file_refused: [400, 12, 'The uploaded file was not accepted; the sentence says why.'],
  code_invalid: [400, 7, 'The code is wrong, used or expired, or was issued to another app or address.'],
  same_account: [400, 8, 'Source and destination are the same account.'],
  token_conflict: [400, 9, 'Two different access tokens were given.'],
  parameter_unknown: [
    400,
    10,
    'A parameter or field is unknown; the sentence names it, and the one that was probably meant.',
  ],
  token_missing: [401, 1, 'This request needs an access token.'],
  token_invalid: [401, 2, 'The access token is unknown or revoked, or its account was merged into another.'],
  app_secret_invalid: [401, 3, 'The client id or the client secret is wrong.'],
  service_refused: [401, 4, 'The service refused the token.'],
  hook_refused: [401, 5, 'The signature of the webhook is not valid.'],
  admin_token_invalid: [401, 6, 'The admin token is missing or wrong.'],
  signed_out: [401, 7, 'Nobody is signed in to the dashboard in this browser, or the session has ended.'],
  password_wrong: [401, 8, 'The name or the password is wrong.'],
  passkey_refused: [401, 9, 'The passkey was not accepted.'],
  needs_auth: [403, 1, 'The person has to sign in at the service again.'],
  other_app: [403, 2, 'Source and destination belong to different apps.'],
  app_unproven: [
    403,
    3,
    'The service cannot confirm that it issued the token to this app, and the app accepts only tokens for which that is confirmed; the sentence says how to allow it.',
  ],
  scope_missing: [403, 4, 'The person did not allow the agent to use this tool.'],
  origin_refused: [403, 5, 'Pages of other origins may not call this address.'],
  role_refused: [403, 6, 'Only an operator may do this.'],
  sign_in_again: [403, 7, 'This requires the password or a passkey again: it was given more than ten minutes ago.'],
  demo_exposed: [
    403,
    8,
    'Others can reach this demo, so its controls are off. Start it with HOST=127.0.0.1, or use `tributary demo control` on its machine.',
  ],
  token_restricted: [403, 9, 'The token is for one service, and not for this call; the sentence says what it is for.'],
  service_not_offered: [403, 10, 'The app does not offer this service to people.'],
  quota_reached: [413, 3, 'This would exceed a quota; the sentence names it. Stored items can still be changed.'],
  no_profile: [404, 1, 'The account has no profile of this service.'],
  service_unknown: [404, 2, 'The service is unknown.'],
  no_service_keys: [404, 3, 'The app has no keys for this service.'],
  no_media: [404, 5, 'The item has no media.'],
  not_found: [404, 4, 'There is nothing at this address.'],
  method_not_allowed: [405, 1, 'This address does not take this method.'],
  request_timeout: [408, 1, 'The request took too long to arrive.'],
  already_exists: [409, 1, 'The name is already in use.'],
  profile_paused: [409, 2, 'Syncs of this profile are paused; resume it first.'],
  app_has_accounts: [409, 3, 'The app has accounts. Deleting it erases them: request that with `erase=true`.'],
  idempotency_in_progress: [409, 4, 'A request with this `Idempotency-Key` is still running; send it again later.'],
  demo_not_running: [
    409,
    5,
    'The demo services do not run here. Start them with `tributary demo` (in a clone: `npm start`).',
  ],
  last_operator: [409, 6, 'This is the last operator. Make another one first.'],
  too_many_tokens: [409, 7, 'The account has as many tokens for services as it may have. Revoke one first.'],
  endpoint_retired: [410, 1, 'Items can no longer be read over the API here; use push.'],
  cursor_expired: [410, 2, 'What followed this cursor is no longer kept. Begin again without a cursor.'],
  body_too_large: [413, 1, 'The body is larger than this address accepts.'],
  too_many_decisions: [
    413,
    4,
    'The app decided about too many people of this account. Undo decisions that are not needed any more.',
  ],
  too_many_contacts: [413, 2, 'The account has more contacts than can be grouped into people.'],
  media_type_unsupported: [415, 1, 'This address does not accept this content type.'],
  idempotency_conflict: [422, 1, 'This `Idempotency-Key` was used for another request. Use a new key.'],
  headers_too_large: [431, 1, 'The headers are larger than this server accepts.'],
  too_many_attempts: [429, 1, 'Too many wrong secrets; wait as long as Retry-After says.'],
  too_many_sign_ins: [429, 2, 'Too many sign-ins are unfinished; wait as long as Retry-After says, then try again.'],
  service_limited: [429, 3, 'The rate limit of this service is used up; wait as long as Retry-After says.'],
  too_many_readers: [
    429,
    4,
    'Too many connections follow changes or export at once; close one, or wait as long as Retry-After says.',
  ],
  agent_limited: [429, 5, 'The agent calls too often; wait as long as Retry-After says.'],
  too_many_sessions: [
    429,
    6,
    'The app has too many open connect sessions; revoke some, give them a shorter `expires_in`, or wait as long as Retry-After says.',
  ],
  internal: [500, 1, 'An internal error occurred. The log has the details under this request id.'],
  key_missing: [
    500,
    2,
    'A stored secret needs a sealing key that this installation does not have; the log names the key.',
  ],
  service_unreachable: [502, 1, 'The service does not respond.'],
  destination_failed: [502, 2, 'The destination failed.'],
  address_refused: [
    502,
    3,
    'The address was not called: it is not on the public internet, or not in a network that the operator allows.',
  ],
  connector_failed: [502, 4, 'The connector of the service failed; the sentence says at what.'],
  database_unavailable: [503, 1, 'The database does not respond right now.'],
  service_timeout: [504, 1, 'The service took too long.'],
  storage_full: [507, 1, 'The disk of the database is full, so nothing was stored. Reading still works.'],
} as const satisfies Record<string, readonly [status: number, number: number, sentence: string]>

export type Reason = keyof typeof REASONS

/** Codes of reasons that no longer exist. */
export const RETIRED_CODES: readonly number[] = []

/** For the developer of an app, on the error page. */
export interface ErrorHelp {
  /** The app of the request, if it is known. */
  app?: { id: string; name: string }
  /** Parameters as they were sent; never one that is secret. */
  sent?: Readonly<Record<string, string>>
  /** Registered redirect addresses. The page decides which of them this browser may see. */
  registered?: readonly string[]
  /** The addresses are those of agents. */
  isAgent?: boolean
}

interface ErrorDetails {
  /** The parameter, or the path of the body's field, that is at fault: `limit`, `accounts.3.id`. */
  param?: string | undefined
  /** A page that helps more than the description of the reason. */
  see?: string
  /** What the page for developers shows. Programs do not get it. */
  help?: ErrorHelp
  retryAfterS?: number
  /** The limits that the request counts for, or that refused it. */
  rateLimits?: readonly RateLimit[]
  cause?: unknown
}

const TOO_MANY = 429
/** `Retry-After` of a 429 that does not say how long to wait. */
const DEFAULT_RETRY_S = 60

/** An error that the caller may read. Its sentence must not contain data of anyone else. */
export class ApiError extends Error {
  readonly reason: Reason
  readonly param: string | undefined
  readonly see: string | undefined
  readonly help: ErrorHelp | undefined
  readonly retryAfterS: number | undefined
  readonly rateLimits: readonly RateLimit[]

  constructor(reason: Reason, message?: string, details: ErrorDetails = {}) {
    super(message ?? sentenceOf(reason), details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'ApiError'
    this.reason = reason
    this.param = details.param
    this.see = details.see
    this.help = details.help
    this.retryAfterS = details.retryAfterS ?? (statusOf(reason) === TOO_MANY ? DEFAULT_RETRY_S : undefined)
    this.rateLimits = details.rateLimits ?? []
  }

  get status(): number {
    return statusOf(this.reason)
  }

  get code(): number {
    return codeOfReason(this.reason)
  }
}

/** An invalid parameter or field of a body. The sentence begins with its name. */
export function invalidInput(
  reason: 'bad_parameter' | 'bad_body',
  param: string,
  what: string,
  cause?: unknown,
): ApiError {
  return new ApiError(reason, `${param}: ${what}`, { param, cause })
}

export function statusOf(reason: Reason): number {
  return REASONS[reason][0]
}

export function sentenceOf(reason: Reason): string {
  return REASONS[reason][2]
}

/** The stable number of a reason, for clients that compare numbers. */
export function codeOfReason(reason: Reason): number {
  const [status, number] = REASONS[reason]
  return status * 100 + number
}
