import type { Socket } from 'node:net'

/** Resolves when the socket is closed, however it ended; `once(socket, 'close')` would reject after a reset. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve()
    else socket.once('close', () => resolve())
  })
}
