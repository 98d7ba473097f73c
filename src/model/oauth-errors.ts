import type { ApiError, Reason } from './errors.ts'

/** The words of RFC 6749 (4.1.2.1, 5.2) and RFC 6750 (3.1) for errors. */
export const OAUTH_WORDS = [
  'access_denied',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'invalid_token',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
] as const

export type OauthWord = (typeof OAUTH_WORDS)[number]

/** Reasons whose word does not follow from their status. */
const WORD_OF_REASON: Partial<Record<Reason, OauthWord>> = {
  app_secret_invalid: 'invalid_client',
  client_unknown: 'invalid_client',
  code_invalid: 'invalid_grant',
  token_invalid: 'invalid_token',
  admin_token_invalid: 'invalid_token',
  service_refused: 'invalid_grant',
  no_service_keys: 'unauthorized_client',
  needs_auth: 'access_denied',
  other_app: 'access_denied',
}

/** Parameters with a word of their own, when their value is not accepted. */
const WORD_OF_PARAMETER = new Map<string | undefined, OauthWord>([
  ['client_secret', 'invalid_client'],
  ['grant_type', 'unsupported_grant_type'],
  ['response_type', 'unsupported_response_type'],
  ['resource', 'invalid_target'],
  ['scope', 'invalid_scope'],
])

export function oauthWordOf({ reason, status, param }: Pick<ApiError, 'reason' | 'status' | 'param'>): OauthWord {
  const isParameter = reason === 'bad_parameter' || reason === 'bad_body'
  const ofParameter = isParameter ? WORD_OF_PARAMETER.get(param) : undefined
  return ofParameter ?? WORD_OF_REASON[reason] ?? wordOfStatus(status)
}

function wordOfStatus(status: number): OauthWord {
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}

/** Limit: characters of an `error_description`; the rest is cut off. */
const MAX_DESCRIPTION = 300

/** A sentence with the characters that RFC 6749 and RFC 6750 allow in `error_description`: ASCII without `"` and `\`. */
export function describeError(sentence: string): string {
  return sentence
    .slice(0, MAX_DESCRIPTION)
    .replaceAll(/[“”"‘’]/g, "'")
    .replaceAll('…', '...')
    .replaceAll(/[^ -~]|\\/g, '?')
}
