import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBrowser } from '../lab/browser.ts'
import { processTree } from '../test/chaos/process-tree.ts'
import { type RunningProcess, startProcess } from '../test/harness/running.ts'
import { until } from '../test/harness/until.ts'
import { cpuMs } from './cpu-time.ts'
import { median } from './load.ts'

const STARTS = Number(process.env['BENCH_STARTS'] ?? 3)
const WAIT_MS = Number(process.env['BENCH_WAIT_S'] ?? 20) * 1000
const MB = 1024

/** The parts of the demo by a piece of their command line. */
const PARTS = { worker: '/boot/worker-main.', 'demo services': '/lab/demo/main.', request: '/scripts/run.' }
type Part = keyof typeof PARTS

interface Measured {
  folder: string
  dataDir: string
  linkMs: number[]
  linkCpuMs: number[]
  started: Record<Part, number>[]
  synced: Record<Part, number>[]
}

/**
 * Warm starts of `npm start` until the link is printed, and the memory (proportional set size) of its processes: after the start, and
 * after Ada's three services were synced, each after a wait without requests. `BENCH_OTHER` names another clone, measured in turns.
 */
export async function benchIdle(): Promise<void> {
  const own = resolve(import.meta.dirname, '..')
  const other = process.env['BENCH_OTHER']
  const clones = [own, ...(other === undefined ? [] : [resolve(other)])].map((folder): Measured => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tributary-idle-'))
    return { folder, dataDir, linkMs: [], linkCpuMs: [], started: [], synced: [] }
  })
  try {
    // The first start creates the database and fills the compile cache.
    for (const clone of clones) await (await startDemo(clone)).end('SIGTERM')
    for (let round = 0; round < STARTS; round += 1) for (const clone of clones) await measure(clone)
    for (const clone of clones) report(clone)
  } finally {
    for (const { dataDir } of clones) rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

async function measure(clone: Measured): Promise<void> {
  const beganAt = performance.now()
  const demo = await startDemo(clone)
  try {
    clone.linkMs.push(performance.now() - beganAt)
    clone.linkCpuMs.push(cpuMs(demo.child.pid!))
    await sleep(WAIT_MS)
    clone.started.push(memoryOf(demo.child.pid!))
    await syncAll(demo)
    await sleep(WAIT_MS)
    clone.synced.push(memoryOf(demo.child.pid!))
  } finally {
    await demo.end('SIGTERM')
  }
}

/** As `npm start` does it, with the Node that runs this. */
async function startDemo({ folder, dataDir }: Measured): Promise<RunningProcess> {
  const text = readFileSync(join(folder, 'package.json'), 'utf8')
  const { scripts } = JSON.parse(text) as { scripts: { start: string } }
  const [, ...words] = scripts.start.split(' ')
  const script = words.findIndex((word) => word.startsWith('scripts/'))
  const env = { TRIBUTARY_DATA: dataDir, PORT: '0', NODE_COMPILE_CACHE: join(folder, 'node_modules/.cache/tributary') }
  return startProcess(words.slice(script + 1), env, join(folder, words[script]!), words.slice(0, script))
}

/** Connects Ada where she is not connected yet, and waits until everything is synced again. */
async function syncAll({ document: { url } }: RunningProcess): Promise<void> {
  const browser = createBrowser()
  const page = await browser.open(`${url}/demo?plain=true`)
  const start = page.forms.find(({ action }) => action.endsWith('/demo/start'))
  if (start !== undefined) await browser.submit(page, start)
  const session = await browser.open(`${url}/demo/session`)
  const { access_token: token } = JSON.parse(session.body) as { access_token: string }
  const state = async () => {
    const response = await fetch(`${url}/sync`, { headers: { authorization: `Bearer ${token}` } })
    return ((await response.json()) as { state: string }).state
  }
  await until('everything is synced', async () => (await state()) === 'complete')
}

function memoryOf(pid: number): Record<Part, number> {
  const memory: Record<Part, number> = { request: 0, worker: 0, 'demo services': 0 }
  for (const each of processTree(pid)) {
    const command = readFileSync(`/proc/${each}/cmdline`, 'utf8')
    const part = (Object.keys(PARTS) as Part[]).find((name) => command.includes(PARTS[name]))
    if (part === undefined) continue
    const [, size] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${each}/smaps_rollup`, 'utf8'))!
    memory[part] += Number(size) / MB
  }
  return memory
}

function report({ folder, linkMs, linkCpuMs, started, synced }: Measured): void {
  const list = (values: number[], digits: number) => values.map((value) => value.toFixed(digits)).join(', ')
  process.stdout.write(`${folder}\n`)
  line('link after', `${(median(linkMs) / 1000).toFixed(2)} s (${list(linkMs, 0)} ms)`)
  line('processor time until then', `${(median(linkCpuMs) / 1000).toFixed(2)} s (${list(linkCpuMs, 0)} ms)`)
  for (const [name, samples] of Object.entries({ 'idle after the start': started, 'idle after syncing': synced })) {
    const of = (part: Part) => median(samples.map((sample) => sample[part]))
    const both = samples.map(({ request, worker }) => request + worker)
    const parts = (Object.keys(PARTS) as Part[]).map((part) => `${part} ${of(part).toFixed(0)}`).join(', ')
    line(name, `${median(both).toFixed(0)} MB of request process and worker (${list(both, 0)}; ${parts})`)
  }
}

function line(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(28)} ${value}\n`)
}

if (import.meta.main) await benchIdle()
