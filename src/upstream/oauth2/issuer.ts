import { UpstreamError } from '../errors.ts'

export interface ExpectedIssuer {
  issuer?: string | undefined
  /** The service says that `iss` always comes, so that its absence is an attack or a defect. */
  issuerAnnounced?: boolean | undefined
}

/** RFC 9207: refuses a response that another server sent, or that hides who sent it. Compared as text, character by character. */
export function checkIssuer({ issuer, issuerAnnounced }: ExpectedIssuer, iss: string | undefined): void {
  if (iss === undefined) {
    if (issuerAnnounced === true) throw refusal('The service did not say who it is (iss)')
    return
  }
  if (issuer !== undefined && iss !== issuer) throw refusal('The answer comes from another service (iss)')
}

const refusal = (message: string): UpstreamError => new UpstreamError('stop', message, { reason: 'issuer_mismatch' })
