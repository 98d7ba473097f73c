export type FormatReason = 'xml_invalid' | 'xml_too_large' | 'csv_invalid' | 'csv_too_large'

/** A text that is not XML or CSV, or more of it than is accepted. */
export class FormatError extends Error {
  readonly reason: FormatReason

  constructor(reason: FormatReason, message: string) {
    super(message)
    this.name = 'FormatError'
    this.reason = reason
  }
}
