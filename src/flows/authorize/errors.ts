/** Every `error` that an authorization response can have. Stable names for the app, not for display. */
export const AUTHORIZE_ERRORS = {
  access_denied: 'The person declined.',
  invalid_request: 'A parameter of the request cannot be understood, or the service sent one more than once.',
  unsupported_response_type: '`response_type` must be `code` or `token`, and the app must allow it.',
  invalid_access_token: 'The `access_token` is unknown, or belongs to another app.',
  service_unknown: 'The `service` parameter is missing, or names no known service.',
  no_service_keys: 'The app has no keys for this service.',
  service_refused:
    "The service refused: the app's keys or its redirect address there are wrong, or the grant was not given.",
  service_unreachable: 'The service does not respond.',
  other_service_user: 'The person signed in as another user of the service than the one to reconnect.',
  session_expired: 'The sign-in took longer than ten minutes, or was finished in another browser.',
  server_error: 'Something went wrong here.',
} as const

export type AuthorizeReason = keyof typeof AUTHORIZE_ERRORS

/** A failure that is returned to the app by redirect, after its redirect address was verified. */
export class AuthorizeError extends Error {
  readonly reason: AuthorizeReason

  /** The description is for developers; it must not contain a secret or anything that a service sent. */
  constructor(reason: AuthorizeReason, options: { cause?: unknown; description?: string } = {}) {
    super(options.description ?? AUTHORIZE_ERRORS[reason], options.cause === undefined ? undefined : options)
    this.name = 'AuthorizeError'
    this.reason = reason
  }
}
