import type { OutgoingHttpHeaders } from 'node:http'
import { json, Refusal } from '../base/reply.ts'

export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** RFC 6749 5.2. */
export function oauthError(
  error: string,
  description: string,
  options: { status?: number; headers?: OutgoingHttpHeaders } = {},
): Refusal {
  const headers = { ...noStore, ...options.headers }
  return new Refusal(json(options.status ?? 400, { error, error_description: description }, headers))
}
