/** What the log of an app shows. */
export const OPERATION_KINDS = ['sign_in', 'sync', 'proxy', 'delivery'] as const
export type OperationKind = (typeof OPERATION_KINDS)[number]

/**
 * `failed`: the service, a destination or this service did not work. `refused`: a request was wrong, or the person declined
 * or did not come back. `open`: a sign-in that is under way.
 */
export const OPERATION_OUTCOMES = ['ok', 'failed', 'refused', 'open'] as const
export type OperationOutcome = (typeof OPERATION_OUTCOMES)[number]

export type StepDetail = Record<string, string | number | boolean>

/** A step inside another one, as a call to a service is. */
export interface InnerStep {
  name: string
  at: number
  ms: number
  outcome: OperationOutcome
  detail: StepDetail
}

/** One step of an operation, with the steps inside it. */
export interface OperationStep extends InnerStep {
  steps: InnerStep[]
}

/** Reasons of sign-ins that only the log knows; the others are those of authorization errors and of failed calls. */
export const SIGN_IN_LOG_REASONS = {
  abandoned: 'The person did not come back from the service, or did not answer our page, within ten minutes.',
  code_expired: 'The app exchanged the code after more than ten minutes.',
  code_replayed: 'The app used a code a second time, so the access token of the first use was revoked.',
  code_unknown: 'The app sent a code that does not exist, belongs to another app, or was deleted.',
  code_unused: 'The person signed in, but the app did not exchange the code within ten minutes.',
  expired: 'The person came back from the service after more than ten minutes.',
  other_browser: 'The person came back from the service in another browser, or cookies are blocked.',
  other_service: 'The service that sent the person back is not the one where the sign-in began.',
  redirect_mismatch: 'The `redirect_uri` of the code exchange differs from that of the authorization request.',
  verifier_mismatch: 'The `code_verifier` is missing, does not fit the challenge, or was sent without one.',
} as const satisfies Record<string, string>
