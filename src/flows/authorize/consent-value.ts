import type { SignedIn } from '#kit/auth.ts'
import type { CountedSignIn } from './open-sign-ins.ts'

/** What a consent keeps until it takes effect. */
export interface ConsentValue {
  signedIn: SignedIn
  state: string | undefined
  /** What the app asked for; a page of an earlier release knew only tokens. */
  responseType?: 'code' | 'token' | undefined
  counted?: CountedSignIn | undefined
}

/** What stays of a sign-in on the page's side once the person answered. */
export interface SettledValue extends Omit<ConsentValue, 'signedIn'> {
  response: 'yes' | 'no'
}

/** Of a consent that has not taken effect. */
export function signInOf({ value }: { value: string }): ConsentValue {
  return JSON.parse(value) as ConsentValue
}

/** Of any consent, whether the person answered or not. */
export function requestOf({ value }: { value: string }): Omit<SettledValue, 'response'> & Partial<SettledValue> {
  return JSON.parse(value) as SettledValue
}
