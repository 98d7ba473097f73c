import '../src/platform/tune-heap.ts'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { github } from '#connectors/github/connector.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { type ProxyHarness, startProxyHarness } from '../test/spec/proxy/fixture.ts'
import { median } from './load.ts'

const KILOBYTE = Buffer.alloc(1024, 'x')
const MEGABYTE = Buffer.alloc(1024 * 1024, 'x')

// Until V8 has optimised the code, as in a server that has run for a while.
const FIRST_WARM_MS = 15_000
const WARM_MS = 4000
const TURNS = 12
const TURN_MS = 150
/** Calls are logged each second. */
const LOG_MS = 1200
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
/** People who call rarely: nothing is known about any of them when the next one calls. */
const RARE_CALLERS = 1000
/** Longer than anything about a caller is cached. */
const BETWEEN_RARE_CALLS_MS = 60_000

interface Shape {
  name: string
  method: 'GET' | 'POST'
  path: string
  body: Buffer | null
}
const SHAPES: Shape[] = [
  { name: '1 KB down', method: 'GET', path: '/repos/1k/issues', body: null },
  { name: '1 MB down', method: 'GET', path: '/repos/1m/issues', body: null },
  { name: '1 KB up', method: 'POST', path: '/repos/up/issues', body: KILOBYTE },
  { name: '1 MB up', method: 'POST', path: '/repos/up/issues', body: MEGABYTE },
]
const CHOSEN = SHAPES.filter(({ name }) => name.includes(process.env['BENCH_ONLY'] ?? ''))

interface Started {
  url: string
  token?: string
  /** Of people who call rarely. */
  rareTokens?: string[]
}

/**
 * A real connector, with its endpoints, headers and kinds of limits, that allows as many calls as a benchmark makes. Links in bodies
 * are not rewritten, because the pass-through does not read bodies either.
 */
const { links: _links, ...githubApi } = github.api
const busyGithub: Connector = {
  ...github,
  api: { ...githubApi, limits: { person: { calls: 1_000_000_000, perS: 3600 } } },
}

/** What GitHub's API sends with a response. */
const RESPONSE_HEADERS = {
  server: 'github.com',
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'private, max-age=60, s-maxage=60',
  vary: 'Accept, Authorization, Cookie, X-GitHub-OTP,Accept-Encoding, Accept, X-Requested-With',
  etag: 'W/"7a1d3f2b1c0f3d5e7a9b8c6d4e2f0a1b"',
  'x-oauth-scopes': 'read:user, user:email',
  'x-accepted-oauth-scopes': 'repo',
  'x-github-media-type': 'github.v3; format=json',
  'x-github-api-version-selected': '2026-03-10',
  'x-ratelimit-limit': '5000',
  'x-ratelimit-remaining': '4987',
  'x-ratelimit-reset': '2000000000',
  'x-ratelimit-used': '13',
  'x-ratelimit-resource': 'core',
  'strict-transport-security': 'max-age=31536000; includeSubdomains; preload',
  'x-frame-options': 'deny',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'origin-when-cross-origin, strict-origin-when-cross-origin',
  'content-security-policy': "default-src 'none'",
  'x-github-request-id': 'C0DE:1A2B3C:4D5E6F:7A8B9C:0D1E2F3A',
}

/** Each runs in its own process, so that they do not share processor time or memory. */
const SERVERS: Record<string, (upstream: string) => Promise<Started>> = {
  'bare upstream': () =>
    listen((incoming, response) => {
      incoming.resume()
      incoming.on('end', () => {
        const body = incoming.url?.includes('/1m/') === true ? MEGABYTE : KILOBYTE
        response.writeHead(200, { ...RESPONSE_HEADERS, 'content-length': body.length }).end(body)
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
    let aheadMs = 0
    process.on('message', (message) => (aheadMs += message === 'later' ? BETWEEN_RARE_CALLS_MS : 0))
    const clock = { now: () => Date.now() + aheadMs }
    const harness = await startProxyHarness({ connectors: [busyGithub], clock })
    process.on('disconnect', () => void harness.stop().then(() => process.exit(0)))
    const [token, ...rareTokens] = await connectAll(harness, upstream)
    return { url: `${harness.url}/proxy/github`, token: token!, rareTokens }
  },
}

async function connectAll(harness: ProxyHarness, upstream: string): Promise<string[]> {
  const tokens: string[] = []
  for (let i = 0; i <= RARE_CALLERS; i += 1) {
    // By name, like real services; the guard would check a literal address at every call.
    const apiUrl = upstream.replace('127.0.0.1', 'localhost')
    tokens.push((await harness.connect({ service: 'github', apiUrl, nativeId: String(i) })).token)
  }
  // Else it depends on the moment of an automatic one which plans the database chooses.
  await harness.store.database.count({ name: '', text: 'analyze' })
  return tokens
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
  for (const shape of CHOSEN) {
    for (const { started } of all) await measure(started, shape, 16, WARM_MS)
    const rounds: Figures[][] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.push(await measureRound(all, shape))
    }
    printShape(shape, rounds)
  }
  if (process.env['BENCH_ONLY'] === undefined || process.env['BENCH_ONLY'] === 'cold')
    await benchRare(others[0]!, others[1]!)
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
  const ratio = (key: 'perSecond' | 'cpuUs') => median(rounds.map(([, through, ours]) => ours![key] / through![key]))
  const added = (i: number) => median(rounds.map((figures) => figures[i]!.p50Ms - figures[0]!.p50Ms)).toFixed(2)
  process.stdout.write(
    `${name.padEnd(12)}${cells.join('')}   ${(1 / ratio('cpuUs')).toFixed(2)} of pass-through by processor time, ${ratio('perSecond').toFixed(2)} by calls; adds ${added(2)} ms, pass-through ${added(1)} ms\n`,
  )
}

/** Each round, every one of many people makes one call. */
async function benchRare(through: Child, ours: Child): Promise<void> {
  const rounds: { through: number; ours: number }[] = []
  // The first ones are for V8 and the database.
  for (let round = -2; round < ROUNDS; round += 1) {
    const figures = { through: await rareCpuUs(through), ours: await rareCpuUs(ours) }
    if (round >= 0) rounds.push(figures)
  }
  const middle = (key: 'through' | 'ours') => median(rounds.map((each) => each[key])).toFixed(0)
  const ratio = median(rounds.map((each) => each.through / each.ours)).toFixed(2)
  process.stdout.write(
    `${RARE_CALLERS} people who call rarely, 1 KB down: ${middle('ours')} µs, pass-through ${middle('through')} µs (${ratio})\n`,
  )
}

async function rareCpuUs({ child, started }: Child): Promise<number> {
  child.send('later')
  const before = await cpuOf(child)
  const { url, rareTokens } = started
  const tokens = rareTokens ?? Array.from({ length: RARE_CALLERS }, () => 'none')
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections: 16, pipelining: 1 })
  const path = (pathname === '/' ? '' : pathname) + SHAPES[0]!.path
  const call = async (token: string) => {
    const reply = await pool.request({ path, method: 'GET', headers: { authorization: `Bearer ${token}` } })
    await reply.body.dump()
    if (reply.statusCode !== 200) throw new Error(`${url} responded with status ${reply.statusCode}`)
  }
  await Promise.all(tokens.map(call))
  await pool.close()
  return ((await cpuOf(child)) - before) / tokens.length
}

/** They take short turns, because the load of a machine changes within a second. What one does after its turn counts as well. */
async function measureRound(all: readonly Child[], shape: Shape): Promise<Figures[]> {
  const figures = all.map(() => ({ perSecond: [] as number[], calls: 0, usedUs: 0 }))
  const readCpu = async (sign: 1 | -1) => {
    for (const [i, { child }] of all.entries()) figures[i]!.usedUs += sign * (await cpuOf(child))
  }
  await readCpu(-1)
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const [i, { started }] of all.entries()) {
      const { perSecond, calls } = await measure(started, shape, 16, TURN_MS)
      figures[i]!.perSecond.push(perSecond)
      figures[i]!.calls += calls
    }
  await sleep(LOG_MS)
  await readCpu(1)
  const times: number[] = []
  for (const { started } of all) times.push((await measure(started, shape, 1, 400)).p50Ms)
  return figures.map(({ perSecond, calls, usedUs }, i) => ({
    perSecond: median(perSecond),
    p50Ms: times[i]!,
    cpuUs: usedUs / calls,
  }))
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
  process.on('message', (message) => {
    if (message !== 'cpu') return
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
}
