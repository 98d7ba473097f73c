/** Algorithms with a private key that only the person has; with a shared secret, `HS…`. */
export const JWT_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA', 'HS256'] as const

/**
 * A token that is signed here with a typed key (RFC 7519), as service accounts and installations do: `{jwt}` in an exchange; without
 * one, the token of calls. It is signed again before it expires.
 */
export interface TypedJwt {
  algorithm: (typeof JWT_ALGORITHMS)[number]
  /** The private key, as PEM on any number of lines, or the shared secret: `{key}`. */
  key: string
  /** Further fields of the header, such as `kid`. */
  header?: Readonly<Record<string, string>>
  /** Claims beside `iat` and `exp`. One whose field was left empty is left out. */
  claims: Readonly<Record<string, string>>
  lifetimeS: number
}

/** An HMAC over texts of each request, sent in headers. */
export interface HmacSignature {
  kind: 'hmac'
  algorithm: 'sha1' | 'sha256' | 'sha512'
  /** `{secret}`. */
  key: string
  /**
   * What is signed. Beside the typed fields, `{method}`, `{host}`, `{path}` and `{query}` as they are sent, `{body}`, `{time_s}`,
   * `{time_ms}` and `{time_iso}`.
   */
  over: string
  encoding: 'hex' | 'base64'
  /** `{signature}`, the times and the typed fields are replaced. */
  headers: Readonly<Record<string, string>>
}

/** AWS Signature Version 4: of AWS, and of what others offer with its interfaces. */
export interface SigV4Signature {
  kind: 'sigv4'
  id: string
  secret: string
  /** Of temporary keys; left out where its field was left empty. */
  session?: string
  region: string
  /** As AWS names it: `s3`, `ses`. */
  service: string
}

export type TypedSignature = HmacSignature | SigV4Signature

/** Names that stand for parts of a request or for what is computed, so no field may have them. */
export const SIGNING_WORDS = {
  hmac: ['method', 'host', 'path', 'query', 'body', 'time_s', 'time_ms', 'time_iso'],
  headers: ['signature', 'time_s', 'time_ms', 'time_iso'],
  all: ['jwt', 'signature', 'method', 'host', 'path', 'query', 'body', 'time_s', 'time_ms', 'time_iso'],
} as const

/** Whether a signature covers the body, so that a call of unknown content cannot be signed. */
export function signsBody(signature: TypedSignature | undefined): boolean {
  if (signature === undefined) return false
  // S3 accepts calls whose content is not signed, because they are encrypted.
  return signature.kind === 'sigv4' ? signature.service !== 's3' : signature.over.includes('{body}')
}
