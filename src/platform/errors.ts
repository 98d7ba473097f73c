/**
 * An error that the operator must fix. `message` says what failed and why, `help` the exact command or setting that
 * helps. Never shown to callers of the API.
 */
export class SetupError extends Error {
  readonly code: string
  readonly help: string

  constructor(message: string, options: { help: string; code: string; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'SetupError'
    this.help = options.help
    this.code = options.code
  }
}

/** The text of anything that was thrown, for a log line or a message. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** The `code` that Node and PostgreSQL put on their errors (`ECONNREFUSED`, `57P01`). */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError && !('code' in error)) return codeOf(error.errors[0])
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** True for database errors that a retry may not meet: connection lost, server starting, out of connections. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  if (/^(08|57P|53|ECONN|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH|EAI_AGAIN|ENOTFOUND)/.test(code)) return true
  // A node of a sharded server that is lost in the middle of a statement has no code of its own.
  return /SSL SYSCALL error|could not commit transaction for shard|server closed the connection unexpectedly|connection marked as essential|failed to prepare transaction|connection terminated|connection error and is not queryable|timeout exceeded when trying to connect|Query read timeout/i.test(
    reasonOf(error),
  )
}
