import type { Reconnecting, SignInRequest } from '#identity/pending-value.ts'

/** Where the authorization response goes: a redirect address verified as the app's own, and the app's `state`. */
export interface ReturnTo {
  redirectUri: string
  state: string | undefined
  /** Named in the response to a sign-in that began with a link to reconnect a profile. */
  reconnect?: Pick<Reconnecting, 'profile' | 'account'> | undefined
  /** `token`: a script of the app reads the response in the fragment. */
  responseType?: 'code' | 'token' | undefined
  /** Language of our pages; absent: that of the browser. */
  locale?: string | undefined
}

/** Where the response to a stored sign-in goes. */
export function returnTo(request: SignInRequest): ReturnTo {
  const { redirectUri, state, responseType, locale } = request
  const reconnect = request.began === 'reconnect' ? request.reconnect : undefined
  return { redirectUri, state, reconnect, responseType, locale }
}
