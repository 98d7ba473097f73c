import type { Person } from '#model/profile.ts'

/** Who a credential belongs to, read from the service's own record of the person. */
export interface Self extends Person {
  /** The person's id at the service, always as text. */
  id: string
}

export interface SelfReader {
  /** Path below the service's API address. `{sub}` stands for the subject that the token answer named. */
  path: string
  query: Record<string, string>
  read: (body: unknown) => Self
  /** Another id of the same person, where the token answer names the person by that one. */
  alsoKnownAs?: (body: unknown) => string | undefined
}

/** How to ask the service who somebody is. */
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
