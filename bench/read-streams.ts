import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { load } from './load.ts'
import type { Filled } from './read-store.ts'

const SLOW_READERS = 200
const EVERYTHING = '/types/all_feed?limit=1000000'
const SMALL = '/types/photos?limit=20'

/** The memory that a long response costs, and the effect of many slow readers on a fast one. */
export async function benchStreams({ url, pid }: { url: string; pid: number }, { token }: Filled): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  await drain(url, headers)
  const before = residentMb(pid)
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMb(pid))
  }, 100)
  const bytes = await drain(url, headers)
  clearInterval(watch)
  print(`${EVERYTHING}: ${(bytes / 1e6).toFixed(0)} MB streamed, the server grew by ${(peak - before).toFixed(0)} MB`)

  const alone = await load(url + SMALL, { connections: 1, ms: 2000, headers })
  const sockets = await Promise.all(Array.from({ length: SLOW_READERS }, () => slowReader(url, token)))
  const opening = performance.now()
  // First the buffers of their connections fill up; then they read nothing, and the server is idle.
  for (let idleSeconds = 0; idleSeconds < 2; ) {
    const before = cpuMs(pid)
    await sleep(1000)
    idleSeconds = cpuMs(pid) - before < 100 ? idleSeconds + 1 : 0
  }
  print(
    `${SLOW_READERS} slow readers filled the buffers of their connections in ${((performance.now() - opening) / 1000).toFixed(0)} s`,
  )
  const withReaders = await load(url + SMALL, { connections: 1, ms: 2000, headers })
  print(
    `with ${SLOW_READERS} slow readers: p50 ${withReaders.p50Ms.toFixed(1)} ms, alone ${alone.p50Ms.toFixed(1)} ms; the server uses ${residentMb(pid).toFixed(0)} MB`,
  )
  for (const socket of sockets) socket.destroy()
}

async function drain(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(url + EVERYTHING, { headers })
  let bytes = 0
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length
  return bytes
}

async function slowReader(url: string, token: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.pause()
  socket.write(`GET ${EVERYTHING} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\n\r\n`)
  return socket
}

/** Processor time of a process, in steps of a hundredth of a second. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function residentMb(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
