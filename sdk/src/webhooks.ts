import type { WebhookMessage } from './webhook-messages.ts'

export type WebhookFault =
  | 'header_missing'
  | 'timestamp_invalid'
  | 'too_old'
  | 'too_new'
  | 'signature_wrong'
  | 'body_invalid'

/** A message that must not be processed. Respond 400. */
export class WebhookError extends Error {
  override name = 'WebhookError'
  readonly reason: WebhookFault

  constructor(reason: WebhookFault, message: string) {
    super(message)
    this.reason = reason
  }
}

/** Limit: signatures of one message that are tried; a message of Tributary has two at most. */
const MAX_SIGNATURES = 10
const DEFAULT_TOLERANCE_MS = 5 * 60_000

interface VerifyOptions {
  /** How old or new a message may be. Default: 5 minutes. */
  toleranceMs?: number
  /** The time, in epoch milliseconds. Default: now. */
  now?: number
}

type Received = Headers | Record<string, string | readonly string[] | undefined>

/**
 * Verifies a message of Standard Webhooks and returns it, with its id. `body` is the body as it was received: parsed and serialized
 * again, it has another signature. Give both secrets while one is replaced by another. Signatures are compared in constant time.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: Received,
  secrets: string | readonly string[],
  { toleranceMs = DEFAULT_TOLERANCE_MS, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookMessage & { id: string }> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('timestamp_invalid', 'webhook-timestamp is not a time')
  const signatures = headerOf(headers, 'webhook-signature').split(' ').slice(0, MAX_SIGNATURES)
  const ageMs = now - Number(timestamp) * 1000
  if (ageMs > toleranceMs) throw new WebhookError('too_old', 'The message is too old')
  if (ageMs < -toleranceMs) throw new WebhookError('too_new', 'The message is from the future')
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  if (!(await isSigned(signed, signatures, typeof secrets === 'string' ? [secrets] : secrets)))
    throw new WebhookError('signature_wrong', 'No signature of the message is valid')
  try {
    return { ...(JSON.parse(new TextDecoder().decode(bytes)) as WebhookMessage), id }
  } catch (error) {
    throw Object.assign(new WebhookError('body_invalid', 'The body is not JSON'), { cause: error })
  }
}

/** Verifies a `Request`, as servers of the fetch kind receive it. */
export async function verifyWebhookRequest(
  request: Request,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookMessage & { id: string }> {
  return verifyWebhook(await request.arrayBuffer(), request.headers, secrets, options)
}

function headerOf(headers: Received, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : valueIn(headers, name)
  if (typeof value !== 'string' || value === '') throw new WebhookError('header_missing', `${name} is missing`)
  return value
}

function valueIn(headers: Record<string, string | readonly string[] | undefined>, name: string): unknown {
  const found = headers[name] ?? Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
  return Array.isArray(found) && found.length === 1 ? found[0] : found
}

/** Tries every signature with every secret. `verify` compares in constant time. */
async function isSigned(signed: Uint8Array<ArrayBuffer>, signatures: string[], secrets: readonly string[]) {
  let isValid = false
  for (const secret of secrets) {
    const raw = bytesOf(secret.replace(/^whsec_/, ''))
    if (raw === undefined || raw.length === 0) throw new TypeError('A secret of a webhook is not whsec_ and base64')
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const signature of signatures) {
      const given = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : undefined
      if (given !== undefined && (await crypto.subtle.verify('HMAC', key, given, signed))) isValid = true
    }
  }
  return isValid
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    // Not base64.
    return undefined
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
