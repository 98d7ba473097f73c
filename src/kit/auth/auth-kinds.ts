import type { Auth } from './auth.ts'

/** Every `kind` of `auth`, with the function that makes it. */
export const AUTH_KINDS: Record<Auth['kind'], string> = {
  oauth2: 'oauth2()',
  oauth1: 'oauth1()',
  api_key: 'apiKey()',
  basic: 'basic()',
  typed: 'typed()',
  none: 'noAuth()',
  app_password: 'appPassword()',
  file: 'fileUpload()',
}
