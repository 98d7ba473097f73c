import type { StepDetail } from '#model/operation.ts'

/** Whose sign-in it is, and the operation that it continues. */
export interface TracedSignIn {
  appId: string
  service?: string | undefined
  /** Undefined in sign-ins that began before there was a log. */
  operation?: string | undefined
  accountId?: string | undefined
  profileId?: string | undefined
}

/** What one request adds to the log of a sign-in. The requests of a sign-in share the id, which is sealed in its rows. */
export interface SignInTrace {
  readonly id: string
  /** Says which sign-in it is; before that nothing is logged. */
  of(signIn: TracedSignIn): void
  step(name: string, detail?: StepDetail): void
  /** The sign-in goes on elsewhere, until the time given; after that it counts as `reason`. */
  awaits(summary: string, reason: 'abandoned' | 'code_unused', expiresAt: number): void
  /** It is connected. */
  done(summary: string): void
  /** The first cause counts: later ones are its consequences. */
  stop(outcome: 'failed' | 'refused', reason: string, summary: string, detail?: StepDetail): void
}
