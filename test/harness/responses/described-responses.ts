import assert from 'node:assert/strict'
import type { HttpReply } from '#http/exchange/reply.ts'
import type { HttpRequest } from '#http/exchange/request.ts'
import { checkerOf } from './response-checker.ts'

/** What a server responded that its OpenAPI document does not describe. */
export interface DescribedResponses {
  /** Compares a response inside the server, so that no test has to read it in another way. Streams and what the proxy forwards are not compared. */
  onSend: (request: HttpRequest, reply: HttpReply, content: unknown) => void
  /** Fails with the mismatches. */
  assertNone: () => void
}

export function describedResponses(): DescribedResponses {
  const mismatches = new Set<string>()
  return {
    onSend: (request, reply, content) => {
      const mismatch = compare(request, reply, content)
      if (mismatch !== undefined) mismatches.add(mismatch)
    },
    assertNone: () => assert.deepEqual([...mismatches], [], 'responses that the OpenAPI document does not describe'),
  }
}

function compare(request: HttpRequest, reply: HttpReply, content: unknown): string | undefined {
  const { url, isWebFile } = request.route
  // Built pages and their files are not part of the API.
  if (url === undefined || isWebFile === true || request.method === 'OPTIONS' || reply.statusCode === 405)
    return undefined
  const query = (request.query ?? {}) as Record<string, unknown>
  return checkerOf().mismatch({
    method: request.method === 'HEAD' ? 'GET' : request.method,
    path: url,
    status: reply.statusCode,
    type: String(reply.getHeader('content-type') ?? ''),
    text: typeof content === 'string' && request.method !== 'HEAD' ? content : undefined,
    selectsFields: 'fields' in query || 'select' in query,
  })
}
