import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

interface FixedText {
  text: string
  etag: string
}

/** Texts that do not change while a server runs, by path. */
export type FixedTexts = Map<string, FixedText>

/** Sends a text that is the same for every caller: created at the first request, with an ETag, or 304 if the client has it. */
export function sendFixed(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  make: () => string,
  path = request.routeOptions.url ?? request.url,
): FastifyReply {
  const { fixedTexts } = request.server
  let fixed = fixedTexts.get(path)
  if (fixed === undefined) {
    const text = make()
    fixed = { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }
    fixedTexts.set(path, fixed)
  }
  void reply.header('etag', fixed.etag)
  if (isKnown(request.headers['if-none-match'], fixed.etag)) return reply.code(304).send()
  return reply.type(type).send(fixed.text)
}

/** Weak comparison, as RFC 9110 13.1.2 requires. */
function isKnown(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false
  return given.trim() === '*' || given.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}
