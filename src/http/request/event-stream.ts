import { once } from 'node:events'
import type { HttpReply } from '../exchange/reply.ts'

/** Limit: milliseconds for which a client of server-sent events may read nothing; then its connection is closed. */
const MAX_STALLED_MS = 60_000

/** One message of a stream of server-sent events. */
export interface ServerSentEvent {
  id?: string
  event: string
  /** One line. */
  data: string
}

export interface EventStream {
  /** Resolves when the client has taken it, or is gone: no more than one message is buffered. */
  send(message: ServerSentEvent): Promise<void>
  /** Keeps the connection open, and shows that it is. */
  comment(): void
  isClosed(): boolean
  end(): void
}

/** Begins a response with server-sent events; the reply is sent by the returned stream. */
export function sendEvents(reply: HttpReply): EventStream {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Proxies such as nginx would collect the messages.
    'x-accel-buffering': 'no',
  })
  const isClosed = () => raw.destroyed || raw.writableEnded || raw.socket === null || raw.socket.destroyed
  const closed = new Promise<void>((resolve) => raw.once('close', resolve))
  return {
    isClosed,
    send: async ({ id, event, data }) => {
      if (isClosed()) return
      const head = id === undefined ? '' : `id: ${id}\n`
      if (raw.write(`${head}event: ${event}\ndata: ${data}\n\n`)) return
      const drained = once(raw, 'drain', { signal: AbortSignal.timeout(MAX_STALLED_MS) })
      // A client that reads nothing loses its connection; it may continue with the last message that it got.
      await Promise.race([drained, closed]).catch(() => raw.destroy())
    },
    comment: () => {
      if (!isClosed()) raw.write(':\n\n')
    },
    end: () => raw.end(),
  }
}
