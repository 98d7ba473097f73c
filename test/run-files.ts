import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { type FileRun, nameOf, type ProcessRun } from './grouping.ts'

export interface Counters {
  passed: number
  failed: string[]
  skipped: string[]
  /** The duration of each file, by name and database. */
  seconds: Map<string, number>
}

/** Most files wait for half of their time; with more than six at once the embedded database runs out of connections. */
const AT_ONCE = Math.min(6, 2 * availableParallelism())
/** For each file; generous, because no test asserts how long something takes. */
const TIMEOUT_MS = 900_000
const TOGETHER = join(import.meta.dirname, 'together/files.ts')

/**
 * Runs processes in the given order; prints one line per file, and the whole output of a process in which a test
 * failed.
 */
export async function runProcesses(root: string, processes: ProcessRun[], counters: Counters): Promise<void> {
  const waiting = [...processes]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      for (const { after } of next.files) await after
      await runProcess(root, next, counters)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** What happened in one file. */
interface Outcome {
  passed: number
  failed: string[]
  seconds: number
}

async function runProcess(root: string, { files }: ProcessRun, counters: Counters): Promise<void> {
  const [first] = files
  const startedMs = performance.now()
  const isAlone = files.length === 1
  const stream = run({
    files: [isAlone ? first.path : TOGETHER],
    timeout: TIMEOUT_MS * files.length,
    env: { ...process.env, ...first.env, TEST_FILES: JSON.stringify(files.map(({ path }) => path)) },
  })
  const outcomes = new Map<string, Outcome>()
  // The tests of a file are reported before the suite of the file.
  let current: Outcome = { passed: 0, failed: [], seconds: 0 }
  const finish = (path: string, durationMs: number) => {
    outcomes.set(path, { ...current, seconds: durationMs / 1000 })
    current = { passed: 0, failed: [], seconds: 0 }
  }
  const isFile = (nesting: number, name: string) => !isAlone && nesting === 0 && files.some(({ path }) => path === name)
  stream.on('test:pass', ({ skip, name, nesting, details }) => {
    if (skip !== undefined) counters.skipped.push(`${name}: ${String(skip)}`)
    else if (details.type !== 'suite') current.passed += 1
    if (isFile(nesting, name)) finish(name, details.duration_ms)
  })
  stream.on('test:fail', ({ name, nesting, details }) => {
    // A suite fails with its tests; it counts only when its own hooks failed.
    const { failureType } = details.error as { failureType?: string }
    if (details.type !== 'suite' || failureType !== 'subtestsFailed') current.failed.push(name)
    if (isFile(nesting, name)) finish(name, details.duration_ms)
  })
  const output: string[] = []
  for await (const text of stream.compose(spec)) output.push(String(text))
  if (isAlone) finish(first.path, performance.now() - startedMs)
  // Of the process itself, for example when it ended before its tests did.
  else if (current.failed.length > 0) finish(TOGETHER, 0)
  const missing = files.filter(({ path }) => !outcomes.has(path))
  for (const { path } of missing) outcomes.set(path, { passed: 0, failed: ['was not run'], seconds: 0 })
  if ([...outcomes.values()].some(({ failed }) => failed.length > 0)) process.stdout.write(output.join(''))
  for (const [path, outcome] of outcomes) report(root, { path, on: first.on }, outcome, counters)
}

function report(root: string, file: Pick<FileRun, 'path' | 'on'>, outcome: Outcome, counters: Counters): void {
  const { passed, failed, seconds } = outcome
  const name = nameOf(root, file)
  counters.passed += passed
  for (const each of failed) counters.failed.push(`${each} (${relative(root, file.path)}, ${file.on})`)
  counters.seconds.set(name, seconds)
  const result = failed.length > 0 ? `FAIL, ${failed.length} failed` : 'ok'
  process.stdout.write(`${inSeconds(seconds)}  ${name}: ${result}, ${passed} passed\n`)
}

export function inSeconds(seconds: number): string {
  return `${seconds.toFixed(1).padStart(6)} s`
}
