import type { Person } from '#model/profile.ts'

/** The person a credential belongs to, read from the service's own record of them. */
export interface Self extends Person {
  /** The person's native id at the service, as text. */
  id: string
}

/** How to find out whose credential it is. Write it with `self()`. */
export interface SelfReader {
  /** Relative to `api.baseUrl`. `{sub}` is replaced by the subject of the token response. */
  path: string
  query: Record<string, string>
  read: (body: unknown) => Self
  /** Returns another id of the same person, if the token response identifies them by that one. */
  alsoKnownAs?: (body: unknown) => string | undefined
}

/**
 * Describes the call that returns the signed-in person, and how to read it:
 * `self('/me', (me: Me) => ({ id: String(me.id), name: me.name }))`.
 */
export function self<Body>(
  path: string,
  read: (body: Body) => Self,
  query: Record<string, string> = {},
  alsoKnownAs?: (body: Body) => string | undefined,
): SelfReader {
  return {
    path,
    query,
    read: read as SelfReader['read'],
    ...(alsoKnownAs === undefined ? {} : { alsoKnownAs: alsoKnownAs as NonNullable<SelfReader['alsoKnownAs']> }),
  }
}
