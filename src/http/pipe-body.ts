import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

export interface PipeResult {
  bytes: number
  end: 'whole' | 'reader left' | 'source broke'
}

/** A short body goes out in one piece with its headers: as text, for Node joins these, and bytes it does not. */
export function endWith(body: Buffer, response: ServerResponse): PipeResult {
  if (response.destroyed) return { bytes: 0, end: 'reader left' }
  response.end(body.toString('latin1'), 'latin1')
  return { bytes: body.length, end: 'whole' }
}

/**
 * Passes a body on as fast as it is read. When the source breaks off, the connection is cut: a short answer must not look
 * like a whole one.
 */
export function pipeBody(source: Readable, response: ServerResponse): Promise<PipeResult> {
  return new Promise((resolve) => {
    let bytes = 0
    const settle = (end: PipeResult['end']) => {
      source.off('data', pass).off('end', finish).off('close', breakOff)
      response.off('drain', more).off('close', leave)
      resolve({ bytes, end })
    }
    const pass = (chunk: Buffer | string) => {
      bytes += chunk.length
      if (!response.write(chunk)) source.pause()
    }
    const more = () => source.resume()
    const finish = () => {
      response.end()
      settle('whole')
    }
    const breakOff = () => {
      cut(response)
      settle('source broke')
    }
    const leave = () => {
      settle('reader left')
      source.destroy()
    }
    // Errors are told by the close that follows; unheard they would end the process.
    source.on('error', () => {})
    source.on('data', pass).once('end', finish).once('close', breakOff)
    response.on('drain', more).once('close', leave)
    if (source.errored !== null || source.destroyed) breakOff()
    else if (response.destroyed) leave()
  })
}

// Without chunks or a length, as HTTP/1.0 has it, an ordinary end would look like the end of the answer.
function cut(response: ServerResponse): void {
  const { socket } = response
  if (response.req.httpVersionMinor === 0 && socket !== null) socket.resetAndDestroy()
  else response.destroy()
}
