import { nearestName } from '#model/input/nearest-name.ts'

/** Every `error` that an authorization response can have. Stable names for the app, not for display. */
export const AUTHORIZE_ERRORS = {
  access_denied: 'The person declined.',
  invalid_request: 'A parameter of the request cannot be understood, or the service sent one more than once.',
  unsupported_response_type: '`response_type` must be `code` or `token`, and the app must allow it.',
  invalid_access_token: 'The `access_token` is unknown, or belongs to another app.',
  service_unknown: 'The `service` parameter is missing, or names no known service.',
  service_not_offered: 'The app does not offer this service to people.',
  no_service_keys: 'The app has no keys for this service.',
  callback_refused: 'The service refuses the redirect address of this installation.',
  address_refused:
    'Our server may not call the address of the service: it is not on the public internet, or its name has no address.',
  scope_missing: 'The person did not grant a permission that the sign-in needs.',
  connector_failed: 'The connector of the service failed. Report it to the operator.',
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

  /**
   * The description is for developers. It must not contain a secret; of what a service sent only an excerpt of its error, which
   * `toAuthorizeError` quotes.
   */
  constructor(reason: AuthorizeReason, options: { cause?: unknown; description?: string | undefined } = {}) {
    super(options.description ?? AUTHORIZE_ERRORS[reason], options.cause === undefined ? undefined : options)
    this.name = 'AuthorizeError'
    this.reason = reason
  }
}

/** Names what helps. The client id is public. */
export function noServiceKeys(clientId: string, service: string): AuthorizeError {
  return new AuthorizeError('no_service_keys', {
    description: `The app has no keys for ${service}. Set them: tributary keys set ${clientId} ${service}`,
  })
}

/** Names what helps; what is connected is not touched. */
export function serviceNotOffered(clientId: string, service: string): AuthorizeError {
  return new AuthorizeError('service_not_offered', {
    description: `The app does not offer ${service} to people. Offer it too: tributary app set ${clientId} --offer ${service}`,
  })
}

/** Repeats the name only if it looks like one. */
export function serviceUnknown(given: string | undefined, known: readonly string[]): AuthorizeError {
  if (given === undefined)
    return new AuthorizeError('service_unknown', { description: 'service: is missing. GET /services lists the names.' })
  const near = nearestName(given, known)
  const named = /^[\w.-]{1,40}$/.test(given) ? `'${given}' is not a known service` : 'no known service has this name'
  return new AuthorizeError('service_unknown', {
    description: `service: ${named}. ${near === undefined ? 'GET /services lists the names.' : `Did you mean ${near}?`}`,
  })
}
