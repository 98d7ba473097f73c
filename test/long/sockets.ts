import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDemo } from './demo.ts'
import { lowest } from './statistics.ts'

// SOCKETS (default 10,000) that are open and send nothing or too little, beside requests of other clients. `ulimit -n`
// must be
// a thousand above their number.
const SOCKETS = Number(process.env['SOCKETS'] ?? 10_000)
const AT_ONCE = 400

const demo = await startDemo()
const { hostname, port } = new URL(demo.url)
const open: Socket[] = []
for (let i = 0; i < SOCKETS; i += AT_ONCE)
  open.push(...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, SOCKETS - i) }, (_, j) => openOne(i + j)))))
const times: number[] = []
let failed = 0
const stillOpen = () => open.filter((socket) => !socket.destroyed && socket.readyState === 'open').length
process.stdout.write(`${stillOpen()} of ${SOCKETS} sockets are open\n`)
for (let i = 0; i < 300; i += 1) {
  const startedAt = performance.now()
  const response = await fetch(`${demo.url}/types/all?limit=5`, { headers: { authorization: `Bearer ${demo.token}` } })
  await response.arrayBuffer()
  if (response.status !== 200) failed += 1
  times.push(performance.now() - startedAt)
}
process.stdout.write(
  `300 requests beside them: ${failed} failed, median ${lowest(times, 0.5).at(-1)?.toFixed(1)} ms, p99 ${lowest(times, 0.99).at(-1)?.toFixed(1)} ms\n`,
)
// The server closes them at its time limits, which takes up to a minute.
for (let waitedS = 0; stillOpen() > 0 && waitedS < 120; waitedS += 1) await sleep(1000)
process.stdout.write(`${stillOpen()} sockets are still open after the time limits\n`)
process.exitCode = failed === 0 && stillOpen() === 0 ? 0 : 1
for (const socket of open) socket.destroy()
await demo.stop()

async function openOne(i: number): Promise<Socket> {
  const socket = connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname)
  socket.on('error', () => {})
  // The end of a connection is only noticed when it is read.
  socket.resume()
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
  // A third silent, a third with half a header, a third with half a body.
  if (i % 3 === 1) socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  if (i % 3 === 2) socket.write('POST /oauth/revoke HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{')
  return socket
}
