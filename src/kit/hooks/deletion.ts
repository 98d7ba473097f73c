import type { HookRequestInput } from './hook-life-cycle.ts'

/** HMAC-SHA256 of a text with the secret of the app's key. */
export type SignSha256 = (text: string) => Uint8Array

/** Who is named by a signed request, and when it was signed in milliseconds. */
export interface NamedPerson {
  person: string
  at: number
}

/**
 * Callbacks of a service that must be answered for its users: one requests the deletion of a person's data, one tells that a
 * person removed the app. Both are signed with the secret of the app's key. Requests that are older than a day are refused.
 */
export interface Deletion {
  /** Reads a callback; undefined if its signature is not valid or it names nobody. `sign` compares in constant time. */
  read: (request: HookRequestInput, sign: SignSha256) => NamedPerson | undefined
}
