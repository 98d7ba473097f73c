import '../src/platform/tune-heap.ts'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'
import { startProxyHarness } from '../test/spec/proxy/fixture.ts'
import { median } from './load.ts'

const KILOBYTE = Buffer.alloc(1024, 'x')
const MEGABYTE = Buffer.alloc(1024 * 1024, 'x')

// Until V8 has optimised the code, as in a server that has run for a while.
const FIRST_WARM_MS = 15_000
const WARM_MS = 4000
const ROUNDS = 5

interface Shape {
  name: string
  method: 'GET' | 'POST'
  path: string
  body: Buffer | null
}
const SHAPES: Shape[] = [
  { name: '1 KB down', method: 'GET', path: '/1k', body: null },
  { name: '1 MB down', method: 'GET', path: '/1m', body: null },
  { name: '1 KB up', method: 'POST', path: '/up', body: KILOBYTE },
  { name: '1 MB up', method: 'POST', path: '/up', body: MEGABYTE },
]

interface Started {
  url: string
  token?: string
}

/** Each runs in its own process, so that they do not share processor time or memory. */
const SERVERS: Record<string, (upstream: string) => Promise<Started>> = {
  'bare upstream': () =>
    listen((incoming, response) => {
      incoming.resume()
      incoming.on('end', () => {
        const body = incoming.url === '/1m' ? MEGABYTE : KILOBYTE
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
      })
    }),
  'pass-through': async (upstream) => {
    const pool = new Pool(upstream)
    return listen((incoming, response) => {
      const { host: _host, connection: _connection, 'transfer-encoding': _coding, ...headers } = incoming.headers
      const body = incoming.method === 'GET' ? null : incoming
      void pool
        .request({ path: incoming.url ?? '/', method: incoming.method ?? 'GET', headers, body })
        .then((reply) => {
          response.writeHead(reply.statusCode, reply.headers)
          reply.body.pipe(response)
        })
    })
  },
  'our proxy': async (upstream) => {
    const harness = await startProxyHarness()
    // By name, like real services; the guard would check a literal address at every call.
    const { token } = await harness.connect({ apiUrl: upstream.replace('127.0.0.1', 'localhost') })
    process.on('disconnect', () => void harness.stop().then(() => process.exit(0)))
    return { url: `${harness.url}/proxy/plain`, token }
  },
}

interface Figures {
  perSecond: number
  /** With one call at a time, so that calls do not wait for each other. */
  p50Ms: number
  /** Processor time per call: the most reliable figure on a busy machine. */
  cpuUs: number
}

/** The cost of signing, checks, rate limits and the call log, compared with a program that only forwards bytes. */
export async function benchProxy(): Promise<void> {
  const bare = await startChild('bare upstream', '')
  const others = await Promise.all(['pass-through', 'our proxy'].map((name) => startChild(name, bare.started.url)))
  const all = [bare, ...others]
  process.stdout.write(`${''.padEnd(12)}${all.map(({ name }) => name.padStart(38)).join('')}\n`)
  for (const { started } of all) await measure(started, SHAPES[0]!, 16, FIRST_WARM_MS)
  for (const shape of SHAPES) {
    for (const { started } of all) await measure(started, shape, 16, WARM_MS)
    const rounds: Figures[][] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const figures = []
      for (const each of all) figures.push(await measureOnce(each, shape))
      rounds.push(figures)
    }
    printShape(shape, rounds)
  }
  for (const { child } of all) child.disconnect()
}

function printShape({ name }: Shape, rounds: Figures[][]): void {
  const middle = (i: number, key: keyof Figures) => median(rounds.map((figures) => figures[i]![key]))
  const cells = [0, 1, 2].map((i) =>
    `${middle(i, 'perSecond').toFixed(0)}/s, p50 ${middle(i, 'p50Ms').toFixed(2)} ms, ${middle(i, 'cpuUs').toFixed(0)} µs`.padStart(
      38,
    ),
  )
  // Ratios within one round, because the load of the machine changes more slowly than the rounds.
  const ratio = median(rounds.map(([, through, ours]) => ours!.perSecond / through!.perSecond))
  const added = (i: number) => median(rounds.map((figures) => figures[i]!.p50Ms - figures[0]!.p50Ms)).toFixed(2)
  process.stdout.write(
    `${name.padEnd(12)}${cells.join('')}   ${ratio.toFixed(2)} of pass-through; adds ${added(2)} ms, pass-through ${added(1)} ms\n`,
  )
}

async function measureOnce({ child, started }: Child, shape: Shape): Promise<Figures> {
  const before = await cpuOf(child)
  const { perSecond, calls } = await measure(started, shape, 16, 1200)
  const cpuUs = ((await cpuOf(child)) - before) / calls
  const { p50Ms } = await measure(started, shape, 1, 400)
  return { perSecond, p50Ms, cpuUs }
}

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu')
  const [used] = (await once(child, 'message')) as [number]
  return used
}

async function measure(
  { url, token }: Started,
  { method, path, body }: Shape,
  connections: number,
  ms: number,
): Promise<{ perSecond: number; p50Ms: number; calls: number }> {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections, pipelining: 1 })
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const request = { path: `${pathname === '/' ? '' : pathname}${path}`, method, headers, body }
  const times: number[] = []
  const started = performance.now()
  const until = started + ms
  const loop = async () => {
    while (performance.now() < until) {
      const before = performance.now()
      const reply = await pool.request(request)
      const { byteLength } = await reply.body.arrayBuffer()
      if (reply.statusCode !== 200 || byteLength < 1024)
        throw new Error(`${url} responded with status ${reply.statusCode}`)
      times.push(performance.now() - before)
    }
  }
  await Promise.all(Array.from({ length: connections }, loop))
  const perSecond = times.length / ((performance.now() - started) / 1000)
  await pool.close()
  return { perSecond, p50Ms: median(times), calls: times.length }
}

async function listen(handle: RequestListener): Promise<Started> {
  const server = createServer(handle)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  process.on('disconnect', () => process.exit(0))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

interface Child {
  name: string
  child: ChildProcess
  started: Started
}

/** The program that only forwards bytes. */
export function startPassThrough(upstream: string): Promise<Child> {
  return startChild('pass-through', upstream)
}

async function startChild(name: string, upstream: string): Promise<Child> {
  const child = fork(import.meta.filename, [name, upstream])
  const [started] = (await once(child, 'message')) as [Started]
  return { name, child, started }
}

const [, , name, upstream] = process.argv
if (import.meta.main && name !== undefined) {
  process.send?.(await SERVERS[name]!(upstream ?? ''))
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
}
