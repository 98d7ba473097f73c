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
const KB_PER_MB = 1024

/** The processes of the demo by a piece of their command line, from the bundle or from the sources. */
const COMMAND_OF = {
  request: /\/(?:scripts\/run|src\/main)\./,
  worker: /\/worker-main\./,
  'demo services': /\/(?:demo-services|lab\/demo\/main)\./,
}
type Part = keyof typeof COMMAND_OF

interface ProcessMemory {
  pid: number
  part: Part
  mb: number
}

interface Measured {
  folder: string
  dataDir: string
  linkMs: number[]
  linkCpuMs: number[]
  started: ProcessMemory[][]
  synced: ProcessMemory[][]
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
    const started = memoryOf(demo.child.pid!)
    clone.started.push(started)
    await syncAll(demo)
    await sleep(WAIT_MS)
    // Without the worker that signed Ada in: it ends when it had no work for a minute.
    const lasting = new Set(started.map(({ pid }) => pid))
    clone.synced.push(memoryOf(demo.child.pid!).filter(({ pid }) => lasting.has(pid)))
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

/** Connects Ada at the three services and reads everything from the beginning, as only the first round would otherwise. */
async function syncAll({ document: { url } }: RunningProcess): Promise<void> {
  const browser = createBrowser()
  const page = await browser.open(`${url}/demo?plain=true`)
  const start = page.forms.find(({ action }) => action.endsWith('/demo/start'))
  if (start !== undefined) await browser.submit(page, start)
  const session = await browser.open(`${url}/demo/session`)
  const { access_token: token } = JSON.parse(session.body) as { access_token: string }
  const headers = { authorization: `Bearer ${token}` }
  for (const service of ['demo-social', 'demo-micro', 'demo-health'])
    await fetch(`${url}/profiles/${service}/reset`, { method: 'POST', headers })
  const state = async () => ((await (await fetch(`${url}/sync`, { headers })).json()) as { state: string }).state
  await until('everything is synced', async () => (await state()) === 'complete')
}

function memoryOf(pid: number): ProcessMemory[] {
  return processTree(pid).flatMap((each) => {
    const command = commandOf(each)
    const part = (Object.keys(COMMAND_OF) as Part[]).find((name) => COMMAND_OF[name].test(command))
    if (part === undefined) return []
    const [, size] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${each}/smaps_rollup`, 'utf8'))!
    return [{ pid: each, part, mb: Number(size) / KB_PER_MB }]
  })
}

/** Empty when it has ended: connections of the database end between two readings. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function report({ folder, linkMs, linkCpuMs, started, synced }: Measured): void {
  const list = (values: number[], digits: number) => values.map((value) => value.toFixed(digits)).join(', ')
  process.stdout.write(`${folder}\n`)
  line('link after', `${(median(linkMs) / 1000).toFixed(2)} s (${list(linkMs, 0)} ms)`)
  line('processor time until then', `${(median(linkCpuMs) / 1000).toFixed(2)} s (${list(linkCpuMs, 0)} ms)`)
  for (const [name, samples] of Object.entries({ 'idle after the start': started, 'idle after syncing': synced })) {
    const of = (sample: ProcessMemory[], part: Part) =>
      sample.filter((each) => each.part === part).reduce((sum, { mb }) => sum + mb, 0)
    const both = samples.map((sample) => of(sample, 'request') + of(sample, 'worker'))
    const parts = (Object.keys(COMMAND_OF) as Part[]).map(
      (part) => `${part} ${median(samples.map((sample) => of(sample, part))).toFixed(0)}`,
    )
    line(name, `${median(both).toFixed(0)} MB of request process and worker (${list(both, 0)}; ${parts.join(', ')})`)
  }
}

function line(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(28)} ${value}\n`)
}

if (import.meta.main) await benchIdle()
