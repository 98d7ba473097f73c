import type { OAuth1 } from '#kit/auth.ts'
import type { ServiceLocation } from '../addresses.ts'
import { type LoginOptions, vary } from '../login-options.ts'
import { withParameters } from '../oauth2/token-request.ts'

/** RFC 5849 section 2.2: the page to which the person is sent with a request token. */
export function oauth1AuthorizationUrl(
  auth: OAuth1,
  location: ServiceLocation,
  requestToken: string,
  loginOptions: LoginOptions,
): string {
  const varied = vary(auth, loginOptions)
  const page =
    varied.authorizeUrl === undefined
      ? location.addresses.authorizeUrl
      : location.move(varied.authorizeUrl, 'authorizeUrl')
  return withParameters(page, { ...varied.parameters, oauth_token: requestToken })
}
