import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

export interface PipeResult {
  bytes: number
  end: 'whole' | 'reader left' | 'source broke'
}

/** Sends a short body in one packet with its headers. As latin1 text, because Node joins only text with the headers, not bytes. */
export function endWith(body: Buffer, response: ServerResponse): PipeResult {
  if (response.destroyed) return { bytes: 0, end: 'reader left' }
  response.end(body.toString('latin1'), 'latin1')
  return { bytes: body.length, end: 'whole' }
}

/**
 * Copies a body to a client no faster than it reads. When the source breaks off, the connection is closed abnormally: a truncated
 * response must not look complete.
 */
export function pipeBody(source: Readable, response: ServerResponse): Promise<PipeResult> {
  return new Promise((resolve) => {
    let bytes = 0
    const settle = (end: PipeResult['end']) => {
      source.off('data', pass).off('end', finish).off('close', onSourceBroken)
      response.off('drain', resume).off('close', onReaderLeft)
      resolve({ bytes, end })
    }
    const pass = (chunk: Buffer | string) => {
      bytes += chunk.length
      if (!response.write(chunk)) source.pause()
    }
    const resume = () => source.resume()
    const finish = () => {
      response.end()
      settle('whole')
    }
    const onSourceBroken = () => {
      cut(response)
      settle('source broke')
    }
    const onReaderLeft = () => {
      settle('reader left')
      source.destroy()
    }
    // The close event that follows an error is handled; an error without a listener would end the process.
    source.on('error', () => {})
    source.on('data', pass).once('end', finish).once('close', onSourceBroken)
    response.on('drain', resume).once('close', onReaderLeft)
    if (source.errored !== null || source.destroyed) onSourceBroken()
    else if (response.destroyed) onReaderLeft()
  })
}

// In HTTP/1.0, without chunks or a length, a normal close would look like the end of the response.
function cut(response: ServerResponse): void {
  const { socket } = response
  if (response.req.httpVersionMinor === 0 && socket !== null) socket.resetAndDestroy()
  else response.destroy()
}
