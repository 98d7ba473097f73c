import type { Socket } from 'node:net'
import type { KindNeed } from '../destination.ts'

/** Limit: bytes that a destination sends within one look at its connection, for answers to our statements are small; then it is closed. */
const MAX_BYTES = 16 * 1024 * 1024
const LOOK_EVERY_MS = 25

/** A socket for a database driver: its address is checked when it connects, and its peer cannot flood us. */
export function guardedLine({ egress }: KindNeed, how: { plain: boolean }): Socket {
  const socket = egress.socket(how)
  socket.setNoDelay(true)
  let written = 0
  let readThen = 0
  // Looking at counters instead of the bytes: TLS reads past the socket's own events.
  const look = setInterval(() => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten
      readThen = socket.bytesRead
    } else if (socket.bytesRead - readThen > MAX_BYTES) {
      socket.destroy(new Error('The server sent far more than it was asked for'))
    }
  }, LOOK_EVERY_MS).unref()
  socket.once('close', () => clearInterval(look))
  return socket
}
