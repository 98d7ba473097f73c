import type { OAuth1 } from '#kit/auth.ts'
import type { Place } from '../addresses.ts'
import { withParameters } from '../oauth2/token-request.ts'
import { vary, type Wishes } from '../variation.ts'

/** RFC 5849 section 2.2: the page to which the person is sent with a request token. */
export function oauth1AuthorizationUrl(auth: OAuth1, place: Place, requestToken: string, wishes: Wishes): string {
  const varied = vary(auth, wishes)
  const page =
    varied.authorizeUrl === undefined ? place.addresses.authorizeUrl : place.move(varied.authorizeUrl, 'authorizeUrl')
  return withParameters(page, { ...varied.parameters, oauth_token: requestToken })
}
