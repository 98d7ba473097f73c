/** The states of a sign-in. The last five end it. */
export type SignInState =
  /** An app, a connect session or a link to reconnect requests it; nothing is stored. */
  | 'started'
  /** Our page asks which server or name is the person's. */
  | 'asked'
  /** Our page asks for what the service requires: a key, a password, a file. */
  | 'typing'
  /** The person went on from our page to that of the server which they named there, and may come back to ours. */
  | 'forwarded'
  /** The person is at the service. */
  | 'sent'
  /** The service posted its response to the callback; the browser follows with its cookie. */
  | 'posted'
  /** Our page asks which of the person's tenants at the service they want to connect. */
  | 'choosing'
  /** The service said who the person is, and our page asks them to confirm. */
  | 'confirming'
  /** The app got a code. A person who confirmed may still decline. */
  | 'coded'
  /** The app got an access token at once. */
  | 'issued'
  /** The app has used what it got. */
  | 'exchanged'
  /** The profile of a link is connected again; the app gets neither code nor token. */
  | 'reconnected'
  | 'declined'
  | 'failed'
  | 'expired'

// Allowed transitions. `coded`, `issued` and `reconnected` are reached only after the service said who the person is.
const TRANSITIONS = {
  started: ['asked', 'typing', 'sent', 'failed'],
  // The page stays valid, so that a wrong answer can be corrected.
  asked: ['asked', 'typing', 'sent', 'declined', 'failed', 'expired'],
  typing: ['typing', 'forwarded', 'confirming', 'coded', 'reconnected', 'declined', 'failed', 'expired'],
  forwarded: ['typing', 'forwarded', 'confirming', 'coded', 'reconnected', 'declined', 'failed', 'expired'],
  sent: ['posted', 'choosing', 'confirming', 'coded', 'reconnected', 'failed', 'expired'],
  posted: ['choosing', 'confirming', 'coded', 'reconnected', 'failed', 'expired'],
  // The page stays valid, so that another can be chosen where the service refuses one.
  choosing: ['choosing', 'confirming', 'coded', 'reconnected', 'declined', 'failed', 'expired'],
  confirming: ['coded', 'issued', 'reconnected', 'declined', 'expired'],
  coded: ['exchanged', 'declined', 'expired'],
  issued: ['exchanged'],
  exchanged: [],
  reconnected: [],
  declined: [],
  failed: [],
  expired: [],
} as const satisfies Record<SignInState, readonly SignInState[]>

/** The states that a sign-in in this one may change to. The compiler checks what flows return with it. */
export type NextState<From extends SignInState> = (typeof TRANSITIONS)[From][number]

export function nextStates(from: SignInState): readonly SignInState[] {
  return TRANSITIONS[from]
}
