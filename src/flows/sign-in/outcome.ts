import type { AuthorizeError } from '#identity/errors.ts'
import type { NextState, SignInState } from '#model/accounts/sign-in-state.ts'
import type { ReturnTo } from './return-to.ts'

/** The state in which a request leaves a sign-in, and what its browser needs to go on. */
export type SignInOutcome =
  | { kind: 'asked'; ticket: string }
  | { kind: 'typing'; url: string }
  | { kind: 'sent'; url: string }
  | { kind: 'forwarded'; url: string }
  | { kind: 'choosing'; ticket: string }
  | { kind: 'confirming'; ticket: string }
  | { kind: 'coded'; to: ReturnTo; code: string }
  | { kind: 'issued'; to: ReturnTo; token: string; account: string }
  | { kind: 'exchanged'; to: ReturnTo }
  | { kind: 'reconnected'; to: ReturnTo; account: string }
  | { kind: 'declined'; to: ReturnTo }
  | { kind: 'failed'; to: ReturnTo; error: AuthorizeError }

/** The outcomes that a request may have for a sign-in in this state. */
export type OutcomeOf<From extends SignInState> = Extract<SignInOutcome, { kind: NextState<From> }>

/** The outcomes of a page that is submitted again after its sign-in was completed. */
export type RepeatedOutcome = Extract<SignInOutcome, { kind: 'confirming' | 'coded' | 'reconnected' | 'exchanged' }>

/** The outcomes of a sign-in whose person the service has named. */
export type CompletedOutcome = Extract<OutcomeOf<'sent'>, { kind: 'confirming' | 'coded' | 'reconnected' }>
