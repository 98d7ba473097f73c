import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { inspect } from 'node:util'
import { type FileRun, nameOf } from './file-run.ts'
import { openQueue } from './queue.ts'

export interface Counters {
  passed: number
  failed: string[]
  skipped: string[]
  /** By name and database. */
  files: Map<string, { seconds: number; cpuSeconds: number }>
}

export const newCounters = (): Counters => ({ passed: 0, failed: [], skipped: [], files: new Map() })

/** Most files wait for half of their time; with more than six at once the embedded database runs out of connections. */
const AT_ONCE = Math.min(6, 2 * availableParallelism())
/** For each file; generous, because no test asserts how long something takes. */
const TIMEOUT_MS = 1_800_000
const TOGETHER = join(import.meta.dirname, 'together/files.ts')
const REPORT_CPU = join(import.meta.dirname, 'report-cpu.ts')

/**
 * Runs test files: first those with a process of their own, in the given order, then the others one after another in shared
 * processes, of which each takes the next file when it has ended one. Prints a line per file, and all output of a failed one.
 */
export async function runFiles(root: string, files: FileRun[], counters: Counters): Promise<void> {
  const alone = files.filter(({ isAlone }) => isAlone)
  const shared = Map.groupBy(
    files.filter(({ isAlone }) => !isAlone),
    ({ on }) => on,
  )
  const work = async () => {
    for (let file = alone.shift(); file !== undefined; file = alone.shift()) await runAlone(root, file, counters)
    for (const queue of shared.values()) while (queue.length > 0) await runShared(root, queue, counters)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** What happened in one file. */
interface Outcome {
  passed: number
  failed: string[]
  /** Printed if a test failed. */
  output: string[]
  seconds: number
}

const newOutcome = (): Outcome => ({ passed: 0, failed: [], output: [], seconds: 0 })

async function runAlone(root: string, file: FileRun, counters: Counters): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-cpu-'))
  const report = join(folder, 'seconds')
  const startedMs = performance.now()
  const outcome = newOutcome()
  const stream = run({
    files: [file.path],
    timeout: TIMEOUT_MS,
    execArgv: ['--import', REPORT_CPU],
    env: { ...process.env, ...file.env, TEST_CPU_REPORT: report },
  })
  await follow(stream, counters, { current: () => outcome, onSuite: () => {} })
  outcome.seconds = (performance.now() - startedMs) / 1000
  let cpuSeconds = 0
  try {
    cpuSeconds = Number(readFileSync(report, 'utf8'))
  } catch {
    // A process that was killed wrote none.
  }
  rmSync(folder, { recursive: true, force: true })
  print(root, file, { ...outcome, cpuSeconds }, counters)
}

/** Runs files of the queue in one process, until there are no more or the process ends. */
async function runShared(root: string, queue: FileRun[], counters: Counters): Promise<void> {
  const { env } = queue[0]!
  const begun: FileRun[] = []
  const outcomes = new Map<string, Outcome>()
  const times = new Map<string, number>()
  const printIfComplete = (file: FileRun | undefined) => {
    const [outcome, cpuSeconds] = [outcomes.get(file?.path ?? ''), times.get(file?.path ?? '')]
    if (outcome !== undefined && cpuSeconds !== undefined) print(root, file!, { ...outcome, cpuSeconds }, counters)
  }
  const hanging = new AbortController()
  let limit: NodeJS.Timeout | undefined
  const given = await openQueue((cpuSeconds, isLast) => {
    clearTimeout(limit)
    const ended = begun.at(-1)
    if (ended !== undefined) times.set(ended.path, cpuSeconds)
    printIfComplete(ended)
    const file = isLast ? undefined : queue.shift()
    if (file === undefined) return undefined
    begun.push(file)
    limit = setTimeout(() => hanging.abort(), TIMEOUT_MS)
    return file.path
  })
  // The tests of a file are reported before the suite of the file.
  let current = newOutcome()
  const stream = run({
    files: [TOGETHER],
    signal: hanging.signal,
    env: { ...process.env, ...env, TEST_QUEUE: given.address },
  })
  await follow(stream, counters, {
    current: () => current,
    onSuite: (name, seconds) => {
      const file = begun.find(({ path }) => path === name)
      if (file === undefined) return
      outcomes.set(name, { ...current, seconds })
      current = newOutcome()
      printIfComplete(file)
    },
  })
  clearTimeout(limit)
  given.close()
  // A process that ends before it asks for a file would otherwise be started for ever.
  if (begun.length === 0 && queue.length > 0) begun.push(queue.shift()!)
  const last = begun.at(-1)
  if (last === undefined) return
  const isEnded = times.has(last.path)
  if (isEnded && current.failed.length === 0) return
  const why = isEnded
    ? 'its process failed afterwards'
    : hanging.signal.aborted
      ? `it did not end in ${TIMEOUT_MS / 60_000} minutes`
      : 'its process ended'
  const seen = isEnded ? current : (outcomes.get(last.path) ?? current)
  print(root, last, { ...seen, failed: [...seen.failed, why], cpuSeconds: times.get(last.path) ?? 0 }, counters)
}

interface Following {
  current: () => Outcome
  /** A suite that is not inside another one has ended. */
  onSuite: (name: string, seconds: number) => void
}

/** Counts the tests of a process, until it has ended. */
async function follow(
  stream: ReturnType<typeof run>,
  counters: Counters,
  { current, onSuite }: Following,
): Promise<void> {
  stream.on('test:pass', ({ skip, name, nesting, details }) => {
    if (skip !== undefined) counters.skipped.push(`${name}: ${String(skip)}`)
    // A process that ends without an error counts as passed, even if its tests did not end.
    else if (details.type !== 'suite' && name !== TOGETHER) current().passed += 1
    if (nesting === 0) onSuite(name, details.duration_ms / 1000)
  })
  stream.on('test:fail', ({ name, nesting, details, line }) => {
    // A suite fails with its tests; it counts only when its own hooks failed.
    const { failureType, cause } = details.error as { failureType?: string; cause?: unknown }
    if (details.type !== 'suite' || failureType !== 'subtestsFailed') {
      current().failed.push(name)
      current().output.push(`✖ ${name} (line ${line}): ${inspect(cause ?? details.error)}\n`)
    }
    if (nesting === 0) onSuite(name, details.duration_ms / 1000)
  })
  for (const event of ['test:stdout', 'test:stderr'] as const)
    stream.on(event, ({ message }) => current().output.push(message))
  stream.on('test:diagnostic', ({ message, nesting }) => {
    // Of the file itself are only the numbers of its tests.
    if (nesting > 0) current().output.push(`# ${message}\n`)
  })
  stream.resume()
  await once(stream, 'end')
}

function print(root: string, file: FileRun, outcome: Outcome & { cpuSeconds: number }, counters: Counters): void {
  const { passed, failed, output, seconds, cpuSeconds } = outcome
  if (failed.length > 0) process.stdout.write(output.join(''))
  const name = nameOf(root, file)
  counters.passed += passed
  counters.failed.push(...failed.map((each) => `${each} (${name})`))
  counters.files.set(name, { seconds, cpuSeconds })
  const result = failed.length > 0 ? `FAIL, ${failed.length} failed` : 'ok'
  process.stdout.write(`${inSeconds(seconds)}, CPU ${inSeconds(cpuSeconds)}  ${name}: ${result}, ${passed} passed\n`)
}

export function inSeconds(seconds: number): string {
  return `${seconds.toFixed(1).padStart(6)} s`
}
