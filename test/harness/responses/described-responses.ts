import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkerOf } from './response-checker.ts'

/** What a server responded that its OpenAPI document does not describe. */
export interface DescribedResponses {
  /** Starts a server whose responses are compared. */
  during: <Value>(begin: () => Promise<Value>) => Promise<Value>
  /** Fails with the mismatches. */
  assertNone: () => void
}

const mismatchesOf = new AsyncLocalStorage<Set<string>>()

// Responses are compared inside the server, so that no test has to read them in another way.
subscribe('fastify.initialization', (message) => {
  const mismatches = mismatchesOf.getStore()
  if (mismatches === undefined) return
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const mismatch = compare(request, reply, payload)
    if (mismatch !== undefined) mismatches.add(mismatch)
    done()
  })
})

/** Compares every response of the servers that start meanwhile. Streams and what the proxy forwards are not compared. */
export function describedResponses(): DescribedResponses {
  const mismatches = new Set<string>()
  return {
    during: (begin) => mismatchesOf.run(mismatches, begin),
    assertNone: () => assert.deepEqual([...mismatches], [], 'responses that the OpenAPI document does not describe'),
  }
}

function compare(request: FastifyRequest, reply: FastifyReply, payload: unknown): string | undefined {
  const { url, config } = request.routeOptions
  // Built pages and their files are not part of the API.
  if (url === undefined || config.isWebFile === true || request.method === 'OPTIONS' || reply.statusCode === 405)
    return undefined
  const query = (request.query ?? {}) as Record<string, unknown>
  return checkerOf().mismatch({
    method: request.method === 'HEAD' ? 'GET' : request.method,
    path: url,
    status: reply.statusCode,
    type: String(reply.getHeader('content-type') ?? ''),
    text: typeof payload === 'string' && request.method !== 'HEAD' ? payload : undefined,
    selectsFields: 'fields' in query || 'select' in query,
  })
}
