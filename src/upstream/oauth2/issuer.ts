import { UpstreamError } from '../request/errors.ts'

export interface ExpectedIssuer {
  issuer?: string | undefined
  /** The service announces `iss` in every response, so its absence is an attack or a defect. */
  issuerAnnounced?: boolean | undefined
}

/** RFC 9207: refuses a response of another issuer, or without the announced issuer. Compares exact strings. */
export function checkIssuer({ issuer, issuerAnnounced }: ExpectedIssuer, iss: string | undefined): void {
  if (iss === undefined) {
    if (issuerAnnounced === true) throw issuerMismatch('The callback has no issuer (iss)')
    return
  }
  if (issuer !== undefined && iss !== issuer) throw issuerMismatch('The callback comes from another issuer (iss)')
}

const issuerMismatch = (message: string): UpstreamError =>
  new UpstreamError('stop', message, { reason: 'issuer_mismatch' })
