/** What one source says about one service: addresses and names of parameters and fields, nothing of its text. */
export interface SourceFacts {
  source: string
  name: string
  title?: string | undefined
  /** A page of the vendor that the source refers to. */
  docs?: string | undefined
  /** OAuth 1. */
  request?: string | undefined
  authorize?: string | undefined
  token?: string | undefined
  refresh?: string | undefined
  revoke?: string | undefined
  scope?: string[] | undefined
  separator?: string | undefined
  client?: 'post' | 'basic_raw' | undefined
  pkce?: boolean | undefined
  /** The address that names the person, and where the fields are in its response. */
  profile?: string | undefined
  person?: Person | undefined
  /** How that call carries the token, where not as a Bearer token in `Authorization`. */
  place?: { query: string } | { header: string; scheme: string } | undefined
  /** Headers of that call, with `{key}` for the app's key. */
  headers?: Record<string, string> | undefined
}

export interface Person {
  id?: string | undefined
  name?: string | undefined
  handle?: string | undefined
  email?: string | undefined
  photo?: string | undefined
}

/** The same name for the same service in all sources. */
export function nameIn(text: string): string {
  return text
    .toLowerCase()
    .replace(/[-_ ]?(?:oauth-?2?|openid-?connect|oidc)$/, '')
    .replaceAll(/[^a-z0-9]/g, '')
}

/** Fills in `{ id: 'a' }` what is not undefined. */
export function defined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Value
}

/** A web address without placeholders of a language; undefined for anything else. */
export function literalAddress(text: string | undefined): string | undefined {
  return text !== undefined && /^https:\/\/[a-z0-9.-]+(?:\/[^\s{}$%<>"'\\]*)?$/i.test(text) ? text : undefined
}
