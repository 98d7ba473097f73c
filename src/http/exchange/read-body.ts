import type { IncomingMessage } from 'node:http'
import { ApiError } from '#model/errors.ts'
import type { HttpRequest } from './request.ts'

/** The bodies that a route takes: how large, and how each media type is parsed. */
export interface Bodies {
  maxBytes: number
  parsers: ReadonlyMap<string, (request: HttpRequest, bytes: Buffer) => unknown>
}

const MEDIA_TYPE = /^([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?:;|$)/
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'TRACE'])

/** Reads and parses the body of a request; undefined if it has none. Throws at once if its type is not taken. */
export function readBody(request: HttpRequest, { maxBytes, parsers }: Bodies): Promise<unknown> | undefined {
  if (WITHOUT_BODY.has(request.method)) return undefined
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
  if (type === undefined && coding === undefined && length === '0') return undefined
  const mediaType = type === undefined ? '' : MEDIA_TYPE.exec(type)?.[1]?.toLowerCase()
  const parse = mediaType === undefined ? undefined : parsers.get(mediaType)
  if (parse !== undefined) return bytesOf(request.raw, maxBytes).then((bytes) => parse(request, bytes))
  // The refusal of an address that does not exist says more.
  if (mediaType !== undefined && request.route.url === undefined) return undefined
  throw new ApiError('media_type_unsupported')
}

/** Collects a body up to a limit. The rest of a larger one is left to pass: the connection ends after the response. */
export function bytesOf(raw: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  if (Number(raw.headers['content-length']) > maxBytes) {
    reject(new ApiError('body_too_large'))
    return promise
  }
  const chunks: Buffer[] = []
  let size = 0
  const settle = () => raw.off('data', onData).off('end', onEnd).off('error', onError)
  const onData = (chunk: Buffer) => {
    size += chunk.length
    chunks.push(chunk)
    if (size > maxBytes) onError(new ApiError('body_too_large'))
  }
  const onEnd = () => {
    settle()
    resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size))
  }
  const onError = (error: Error) => {
    settle()
    reject(error)
  }
  raw.on('data', onData).on('end', onEnd).on('error', onError)
  return promise
}
