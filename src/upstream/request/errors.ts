import type { UpstreamReason } from '#model/sync/upstream-reasons.ts'
import { redactText } from '#platform/telemetry/redact.ts'

/**
 * How to recover from a failure: retry later, ask the person for a new consent, skip this one resource, or stop until
 * the app's keys or the configuration change. `restart`: forget the position and read the endpoint from its beginning;
 * `smaller`: request the same page with fewer records.
 */
export type Recovery = 'retry' | 'reauthorize' | 'skip' | 'stop' | 'restart' | 'smaller'

export interface UpstreamErrorDetails {
  reason: UpstreamReason
  status?: number | undefined
  retryAfterMs?: number | undefined
  /** The service's own words about it, from the fields of an error response: an excerpt without secrets. */
  said?: string | undefined
  cause?: unknown
}

/** A failed call to a service. */
export class UpstreamError extends Error {
  readonly recovery: Recovery
  readonly reason: UpstreamReason
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  readonly said: string | undefined

  constructor(recovery: Recovery, message: string, details: UpstreamErrorDetails) {
    const { reason, status, retryAfterMs, said, cause } = details
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'UpstreamError'
    this.recovery = recovery
    this.reason = reason
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.said = said
  }
}

/** Limit: characters of a service's error text that our messages quote; the rest is cut off. */
const MAX_EXCERPT = 160
/** Limit: characters of a service's error text that are processed; the rest is cut off at the end of a word. */
const MAX_EXCERPT_SOURCE = 16 * 1024

/** A short excerpt of a service's error text for a message: one line, without secrets that the text may repeat. */
export function excerpt(text: string, secrets: readonly (string | undefined)[] = []): string {
  // Redacted before the text is cut or joined, otherwise a part of a secret could remain.
  const safe = redactText(cutSource(text), secrets)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
  return safe.length > MAX_EXCERPT ? `${safe.slice(0, MAX_EXCERPT)}…` : safe
}

// Cut between two words, so that no part of a secret remains.
function cutSource(text: string): string {
  if (text.length <= MAX_EXCERPT_SOURCE) return text
  let end = MAX_EXCERPT_SOURCE
  while (end > 0 && !' \t\r\n&,;"\''.includes(text[end]!)) end -= 1
  return text.slice(0, end === 0 ? MAX_EXCERPT_SOURCE : end)
}
