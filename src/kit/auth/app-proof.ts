import type { Auth } from './auth.ts'

/**
 * What shows that a token was issued to this app, so that one of another app cannot be applied. `signature`: the app signs each call
 * (OAuth 1). `check`: a call that names the app. `not_issued`: there is nothing that could have been issued to another app: nobody signs
 * in, or people type here what they type everywhere, and a sign-in asks for no more. `none`: only a refresh token shows it.
 */
export type AppProof = 'signature' | 'check' | 'not_issued' | 'none'

export function appProofOf(auth: Auth): AppProof {
  switch (auth.kind) {
    case 'oauth1':
      return 'signature'
    case 'oauth2':
      return auth.verifyApp === undefined ? 'none' : 'check'
    case 'none':
    case 'typed':
    case 'api_key':
    case 'basic':
      return 'not_issued'
    case 'app_password':
    case 'file':
      return 'none'
    default:
      return auth satisfies never
  }
}
