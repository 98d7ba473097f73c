import type { Socket } from 'node:net'
import { ApiError, type Reason } from '#model/errors.ts'
import { newId } from '#platform/crypto/ids.ts'
import { codeOf } from '#platform/errors.ts'
import { nodeHttp } from '#platform/node-http.ts'
import { errorBody } from './errors.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

const REASON_OF: Record<string, Reason> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Responds to malformed or too slow HTTP. There is no request object, so the response is written directly to the socket. */
export function refuseUnreadable(error: Error, socket: Socket, nowMs: number, baseUrl: string): void {
  if (codeOf(error) === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const refusal = new ApiError(REASON_OF[codeOf(error) ?? ''] ?? 'bad_request')
  const id = newId(nowMs)
  const body = JSON.stringify(errorBody(refusal, id, baseUrl))
  const headers = {
    ...SECURITY_HEADERS,
    'x-request-id': id,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${refusal.status} ${nodeHttp.STATUS_CODES[refusal.status]}`, ...lines, '', body].join('\r\n'))
}
