import type { Credential } from '#kit/auth/auth.ts'
import { UpstreamError } from '../request/errors.ts'

/** A token was issued, but what came with it is refused: it will not be stored, so it must be revoked. */
export class UnusableTokenError extends UpstreamError {
  readonly credential: Credential

  constructor({ recovery, message, reason, status, cause }: UpstreamError, credential: Credential) {
    super(recovery, message, { reason, status, cause })
    this.credential = credential
  }
}
