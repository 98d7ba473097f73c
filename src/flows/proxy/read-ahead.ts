import type { Readable } from 'node:stream'
import { transportError } from '#upstream/request/transport-error.ts'

export interface ReadAheadLimits {
  maxBytes: number
  maxMs: number
}

/**
 * Buffers a body that ends within these limits; otherwise returns the same stream with the read bytes put back. A body
 * that is interrupted meanwhile fails, because nothing of it was passed on yet.
 */
export function readAhead(body: Buffer | Readable, { maxBytes, maxMs }: ReadAheadLimits): Promise<Buffer | Readable> {
  if (Buffer.isBuffer(body)) return Promise.resolve(body)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const stopListening = () => {
      clearTimeout(timer)
      body.off('readable', onReadable).off('end', onEnd).off('close', onClose)
    }
    const putBack = () => {
      stopListening()
      if (bytes > 0) body.unshift(Buffer.concat(chunks))
      resolve(body)
    }
    const onReadable = () => {
      for (let chunk = readChunk(body); chunk !== null; chunk = readChunk(body)) {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes > maxBytes) return putBack()
      }
    }
    const onEnd = () => {
      stopListening()
      resolve(Buffer.concat(chunks))
    }
    const onClose = () => {
      stopListening()
      reject(transportError(body.errored))
    }
    const timer = setTimeout(putBack, maxMs)
    body.on('readable', onReadable).once('end', onEnd).once('close', onClose)
    if (body.destroyed) onClose()
  })
}

function readChunk(body: Readable): Buffer | null {
  return body.read() as Buffer | null
}
