export type BodyLimitReason = 'body_too_large' | 'body_idle' | 'body_too_slow'
export type BodyDecodeReason =
  | 'encoding_unknown'
  | 'encoding_stacked'
  | 'body_truncated'
  | 'body_corrupt'
  | 'body_interrupted'
export type JsonReason = 'json_invalid' | 'json_too_deep' | 'json_too_many_values' | 'json_number_out_of_range'

/** A response exceeded a limit of ours. */
export class BodyLimitError extends Error {
  readonly reason: BodyLimitReason

  constructor(reason: BodyLimitReason, message: string) {
    super(message)
    this.name = 'BodyLimitError'
    this.reason = reason
  }
}

/** A response that is incomplete, corrupt or in an unsupported encoding. */
export class BodyDecodeError extends Error {
  readonly reason: BodyDecodeReason

  constructor(reason: BodyDecodeReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BodyDecodeError'
    this.reason = reason
  }
}

/** A text that is not JSON, or JSON that cannot be stored and returned unchanged. */
export class JsonError extends Error {
  readonly reason: JsonReason

  constructor(reason: JsonReason, message: string) {
    super(message)
    this.name = 'JsonError'
    this.reason = reason
  }
}
