import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { BadEncoding, type Pair, parsePairs } from './pairs.ts'
import { json, Refusal, text } from './reply.ts'

const maxBodyBytes = 2_000_000

/** An HTTP request, raw enough to verify a signature. */
export interface LabRequest {
  method: string
  /** The request target as sent. */
  target: string
  path: string
  query: Pair[]
  headers: IncomingHttpHeaders
  rawHeaders: Pair[]
  body: Buffer
}

export async function readRequest(message: IncomingMessage): Promise<LabRequest> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length
    // What remains of the body would be in the way of the next request.
    if (size > maxBodyBytes) throw new Refusal(text(413, 'body too large', { connection: 'close' }))
    chunks.push(chunk)
  }
  const target = message.url ?? '/'
  const cut = target.indexOf('?')
  const rawHeaders: Pair[] = []
  for (let at = 0; at < message.rawHeaders.length; at += 2)
    rawHeaders.push([message.rawHeaders[at] ?? '', message.rawHeaders[at + 1] ?? ''])
  return {
    method: message.method ?? 'GET',
    target,
    path: cut < 0 ? target : target.slice(0, cut),
    query: decoded(cut < 0 ? '' : target.slice(cut + 1)),
    headers: message.headers,
    rawHeaders,
    body: Buffer.concat(chunks),
  }
}

export const mediaType = (request: LabRequest): string =>
  (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

export const hasForm = (request: LabRequest): boolean => mediaType(request) === 'application/x-www-form-urlencoded'

export const formOf = (request: LabRequest): Pair[] => (hasForm(request) ? decoded(request.body.toString()) : [])

/** The body as a JSON object; rejects anything else. */
export function jsonOf(request: LabRequest): Record<string, unknown> {
  if (mediaType(request) !== 'application/json')
    throw new Refusal(json(415, { error: 'Content-Type must be application/json' }))
  let value: unknown
  try {
    value = JSON.parse(request.body.toString())
  } catch {
    throw new Refusal(json(400, { error: 'The body is not JSON' }))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal(json(400, { error: 'The body is not a JSON object' }))
  return value as Record<string, unknown>
}

function decoded(encoded: string): Pair[] {
  try {
    return parsePairs(encoded)
  } catch (error) {
    if (error instanceof BadEncoding) throw new Refusal(text(400, error.message))
    throw error
  }
}
