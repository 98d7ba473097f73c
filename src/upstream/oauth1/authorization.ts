import type { OAuth1 } from '#kit/auth/auth.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import { applyLoginOptions, type LoginOptions } from '../login-options.ts'
import { withParameters } from '../oauth2/token-request.ts'

/** The authorization URL for a request token (RFC 5849 section 2.2). */
export function oauth1AuthorizationUrl(
  auth: OAuth1,
  location: ServiceLocation,
  requestToken: string,
  loginOptions: LoginOptions,
): string {
  const variation = applyLoginOptions(auth, loginOptions)
  const page =
    variation.authorizeUrl === undefined
      ? location.addresses.authorizeUrl
      : location.relocate(variation.authorizeUrl, 'authorizeUrl')
  return withParameters(page, { ...variation.parameters, oauth_token: requestToken })
}
