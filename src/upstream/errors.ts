import type { UpstreamReason } from '#model/upstream-reasons.ts'
import { redactText } from '#platform/telemetry/redact.ts'

/**
 * What helps against a failure: the same again later, the person's consent again, leaving this one thing out, or nothing
 * before somebody changes the app's keys or a setting.
 */
export type Recovery = 'retry' | 'reauthorize' | 'skip' | 'stop'

export interface UpstreamErrorDetails {
  reason: UpstreamReason
  status?: number | undefined
  retryAfterMs?: number | undefined
  cause?: unknown
}

/** A call to an outside service that did not bring what it was made for. */
export class UpstreamError extends Error {
  readonly recovery: Recovery
  readonly reason: UpstreamReason
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined

  constructor(recovery: Recovery, message: string, { reason, status, retryAfterMs, cause }: UpstreamErrorDetails) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'UpstreamError'
    this.recovery = recovery
    this.reason = reason
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** Limit: characters of a service's own error text that we repeat; the rest is cut off. */
const MAX_EXCERPT = 160
/**
 * Limit: characters from which a value is blotted out of error texts; shorter ones are no secrets, and would tear
 * words apart.
 */
const MIN_SECRET = 6

/** Limit: characters of a service's error text that are looked at; the rest is cut off at the end of a word. */
const MAX_EXCERPT_SOURCE = 16 * 1024

/** A few words of what a service said, fit for a message: one line, short, and without the secrets that it may echo. */
export function excerpt(text: string, secrets: readonly (string | undefined)[] = []): string {
  let safe = beginning(text)
  for (const secret of secrets) if (secret && secret.length >= MIN_SECRET) safe = safe.replaceAll(secret, '[redacted]')
  // Secrets are hidden before anything is cut or joined, or a half of one could stay.
  safe = redactText(safe)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
  return safe.length > MAX_EXCERPT ? `${safe.slice(0, MAX_EXCERPT)}…` : safe
}

// Between two words, so that no half of a secret stays.
function beginning(text: string): string {
  if (text.length <= MAX_EXCERPT_SOURCE) return text
  let end = MAX_EXCERPT_SOURCE
  while (end > 0 && !' \t\r\n&,;"\''.includes(text[end]!)) end -= 1
  return text.slice(0, end === 0 ? MAX_EXCERPT_SOURCE : end)
}
