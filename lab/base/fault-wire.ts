import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import type { ServiceClock } from './clock.ts'
import type { Fault } from './faults.ts'
import type { Reply } from './reply.ts'
import { send } from './send.ts'

interface Wire {
  response: ServerResponse
  clock: ServiceClock
  /** Aborts waiting when the server closes. */
  signal: AbortSignal
  respond: () => Promise<Reply>
}

/** Applies one fault to the connection. Returns the status that the client sees (0: none). */
export async function playFault(wire: Wire, fault: Fault): Promise<number> {
  const { response, signal } = wire
  const plain = (reply: Reply) => send(response, reply, wire.clock)
  switch (fault.kind) {
    case 'status':
      return plain(statusReply(fault, wire.clock))
    case 'delay':
      await sleep(fault.delayMs, undefined, { signal })
      return plain(await wire.respond())
    case 'hang':
      return 0
    case 'reset':
      response.socket?.resetAndDestroy()
      return 0
    case 'half-open':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 4096 })
      response.flushHeaders()
      return 200
    case 'truncated':
      return truncated(wire, fault.how ?? 'short-body')
    case 'slow':
      return slow(wire, fault.bytesPerChunk ?? 1, fault.everyMs ?? 20)
    case 'html':
      return plain({
        status: 200,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: '<!doctype html><title>Be right back</title><h1>We are improving things</h1>',
      })
    case 'gzip-bomb':
      return gzipBomb(response, fault.bytes ?? 256_000_000)
    case 'deep-json': {
      const depth = fault.depth ?? 100_000
      const body = '['.repeat(depth) + ']'.repeat(depth)
      return plain({ status: 200, headers: { 'content-type': 'application/json' }, body })
    }
    case 'response':
      return plain({
        status: fault.status ?? 200,
        headers: fault.headers ?? { 'content-type': 'application/json' },
        body: fault.body,
      })
    default:
      return fault satisfies never
  }
}

function statusReply(fault: Fault & { kind: 'status' }, clock: ServiceClock): Reply {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (fault.retryAfterSeconds !== undefined)
    headers['retry-after'] =
      fault.retryAfterForm === 'date'
        ? new Date(clock.now() + fault.retryAfterSeconds * 1000).toUTCString()
        : String(fault.retryAfterSeconds)
  return { status: fault.status, headers, body: fault.body ?? '{"error":"lab_fault"}' }
}

async function truncated(wire: Wire, how: 'short-body' | 'dropped'): Promise<number> {
  const reply = await wire.respond()
  const body = Buffer.from(reply.body)
  const half = body.subarray(0, Math.floor(body.length / 2))
  if (how === 'short-body') return send(wire.response, { ...reply, body: half }, wire.clock)
  wire.response.writeHead(reply.status, { ...reply.headers, 'content-length': body.length })
  wire.response.write(half, () => wire.response.socket?.destroy())
  return reply.status
}

async function slow(wire: Wire, bytesPerChunk: number, everyMs: number): Promise<number> {
  const reply = await wire.respond()
  const body = Buffer.from(reply.body)
  wire.response.writeHead(reply.status, { ...reply.headers, 'content-length': body.length })
  for (let at = 0; at < body.length && !wire.response.destroyed; at += bytesPerChunk) {
    wire.response.write(body.subarray(at, at + bytesPerChunk))
    await sleep(everyMs, undefined, { signal: wire.signal })
  }
  wire.response.end()
  return reply.status
}

async function gzipBomb(response: ServerResponse, bytes: number): Promise<number> {
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
  // The client is expected to disconnect early.
  await pipeline(Readable.from(spaces(bytes)), createGzip({ level: 9 }), response).catch(() => undefined)
  return 200
}

function* spaces(bytes: number): Generator<Buffer> {
  const block = Buffer.alloc(1_000_000, ' ')
  for (let left = bytes; left > 0; left -= block.length) yield block.subarray(0, Math.min(left, block.length))
}
