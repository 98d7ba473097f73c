import type { SignedIn } from '#kit/auth/auth.ts'
import type { CountedSignIn } from './open-sign-ins.ts'
import type { Reconnecting } from './pending-value.ts'

/** The sealed content of a consent until it is used. */
export interface ConsentValue {
  signedIn: SignedIn
  state: string | undefined
  /** Of the authorization request; undefined where an older release stored it, which meant `token`. */
  responseType?: 'code' | 'token' | undefined
  counted?: CountedSignIn | undefined
  /** Set when the sign-in began with a link to reconnect a profile. */
  reconnect?: Reconnecting | undefined
  /** The id of the sign-in in the log. */
  operation?: string | undefined
  /** Language of our pages, as the app gave it. */
  locale?: string | undefined
  /** Id of the connect session that the sign-in began with. */
  session?: string | undefined
}

/** The sealed content after the person decided, without the credential. */
export interface DecidedValue extends Omit<ConsentValue, 'signedIn'> {
  response: 'yes' | 'no'
}

/** For a consent that was not used. */
export function signInOf({ value }: { value: string }): ConsentValue {
  return JSON.parse(value) as ConsentValue
}

/** For any consent, decided or not. */
export function requestOf({ value }: { value: string }): Omit<DecidedValue, 'response'> & Partial<DecidedValue> {
  return JSON.parse(value) as DecidedValue
}
