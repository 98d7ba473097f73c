import { createHmac } from 'node:crypto'
import type { HmacSignature, TypedSignature } from '#kit/auth/typed-signing.ts'
import type { PlaceholderValues } from '#kit/endpoints/placeholders.ts'
import { sigV4Headers } from '#platform/crypto/sigv4.ts'
import { fillPlaceholders } from '../request/fill-placeholders.ts'
import type { UpstreamRequest } from '../request/send.ts'

type Signed = Pick<UpstreamRequest, 'method' | 'url' | 'body'>

/** The headers that sign one request with typed values. */
export function typedSignature(
  signature: TypedSignature,
  values: PlaceholderValues,
  request: Signed,
  nowMs: number,
): Record<string, string> {
  if (signature.kind === 'hmac') return hmacHeaders(signature, values, request, nowMs)
  const { id, secret, session, region, service } = signature
  const filled = (text: string) => fillPlaceholders(text, values)
  const token = session === undefined ? '' : filled(session)
  const key = {
    id: filled(id),
    secret: filled(secret),
    region: filled(region),
    service,
    ...(token === '' ? {} : { session: token }),
  }
  return sigV4Headers(key, request, nowMs)
}

function hmacHeaders(
  { algorithm, key, over, encoding, headers }: HmacSignature,
  values: PlaceholderValues,
  { method, url, body = '' }: Signed,
  nowMs: number,
): Record<string, string> {
  const at = new URL(url)
  const times = {
    time_s: String(Math.floor(nowMs / 1000)),
    time_ms: String(nowMs),
    time_iso: new Date(nowMs).toISOString(),
  }
  const query = at.search.slice(1)
  const parts = { ...values, ...times, method, host: at.host, path: at.pathname, query, body }
  const bytes = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part && textOf(part)]))
  const signer = createHmac(algorithm, fillPlaceholders(key, values))
  const signature = signer.update(fillPlaceholders(over, bytes), 'latin1').digest(encoding)
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name, fillPlaceholders(text, { ...values, ...times, signature })]),
  )
}

/** As the bytes that are sent, one character each: a signature is over bytes. */
const textOf = (body: string | Uint8Array): string => Buffer.from(body as string).toString('latin1')
