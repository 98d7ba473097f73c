import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'

/** Gives out the names of test files to one process, each when the one before has ended. */
export interface Queue {
  address: string
  close: () => void
}

/** Called with the processor time of the file before, and whether it was the last one; returns undefined when there are no more. */
type Next = (cpuSeconds: number, isLast: boolean) => string | undefined

export async function openQueue(next: Next): Promise<Queue> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // The process that asked may have been killed.
    socket.on('error', () => socket.destroy())
    void answer(socket, next)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { address: String((server.address() as AddressInfo).port), close: () => server.close() }
}

async function answer(socket: Socket, next: Next): Promise<void> {
  const [cpuSeconds, isLast] = JSON.parse(await text(socket)) as [number, boolean]
  socket.end(next(cpuSeconds, isLast) ?? '')
}

/** Asks for the next file; `cpuSeconds` is the processor time of the one before. The last time it only tells. */
export async function askNext(address: string, cpuSeconds: number, isLast = false): Promise<string | undefined> {
  const socket = connect({ port: Number(address), host: '127.0.0.1', allowHalfOpen: true })
  socket.end(JSON.stringify([cpuSeconds, isLast]))
  const name = await text(socket)
  return name === '' ? undefined : name
}
