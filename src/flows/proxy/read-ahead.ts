import type { Readable } from 'node:stream'
import { transportError } from '#upstream/transport-error.ts'

export interface AheadLimits {
  maxBytes: number
  maxMs: number
}

/**
 * The whole body when it comes within these bounds, else the same stream with what was read put back. A body that breaks off
 * meanwhile fails: nobody has seen half of it yet.
 */
export function readAhead(body: Buffer | Readable, { maxBytes, maxMs }: AheadLimits): Promise<Buffer | Readable> {
  if (Buffer.isBuffer(body)) return Promise.resolve(body)
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let bytes = 0
    const leave = () => {
      clearTimeout(timer)
      body.off('readable', take).off('end', finish).off('close', fail)
    }
    const putBack = () => {
      leave()
      if (bytes > 0) body.unshift(Buffer.concat(pieces))
      resolve(body)
    }
    const take = () => {
      for (let piece = next(body); piece !== null; piece = next(body)) {
        pieces.push(piece)
        bytes += piece.length
        if (bytes > maxBytes) return putBack()
      }
    }
    const finish = () => {
      leave()
      resolve(Buffer.concat(pieces))
    }
    const fail = () => {
      leave()
      reject(transportError(body.errored))
    }
    const timer = setTimeout(putBack, maxMs)
    body.on('readable', take).once('end', finish).once('close', fail)
    if (body.destroyed) fail()
  })
}

function next(body: Readable): Buffer | null {
  return body.read() as Buffer | null
}
