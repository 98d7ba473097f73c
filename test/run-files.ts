import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

export interface FileRun {
  path: string
  /** The database, as reports name it. */
  on: string
  env: Record<string, string>
  /** The file does not start before this resolves. */
  after?: Promise<unknown>
}

export interface Counters {
  passed: number
  failed: string[]
  skipped: string[]
  /** The duration of each file, by name and database. */
  seconds: Map<string, number>
}

/** Most files wait for half of their time; with more than six at once the embedded database runs out of connections. */
const AT_ONCE = Math.min(6, 2 * availableParallelism())

/** The name of a file in reports. */
export function nameOf(root: string, { path, on }: Pick<FileRun, 'path' | 'on'>): string {
  return `${relative(root, path)} (${on})`
}

/**
 * Runs files in the given order, each in a process of its own; prints one line per file, and the whole output of a
 * failed one.
 */
export async function runFiles(root: string, files: FileRun[], counters: Counters): Promise<void> {
  const waiting = [...files]
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      await file.after
      await runFile(root, file, counters)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function runFile(root: string, { path, on, env }: FileRun, counters: Counters): Promise<void> {
  const startedMs = performance.now()
  const stream = run({ files: [path], timeout: 900_000, env: { ...process.env, ...env } })
  let [passed, failed] = [0, 0]
  stream.on('test:pass', ({ skip, name, details }) => {
    if (skip !== undefined) counters.skipped.push(`${name}: ${String(skip)}`)
    else if (details.type !== 'suite') passed += 1
  })
  stream.on('test:fail', ({ name, details }) => {
    // A suite fails with its tests; it counts only when its own hooks failed.
    const { failureType } = details.error as { failureType?: string }
    if (details.type === 'suite' && failureType === 'subtestsFailed') return
    failed += 1
    counters.failed.push(`${name} (${relative(root, path)}, ${on})`)
  })
  const output: string[] = []
  for await (const text of stream.compose(spec)) output.push(String(text))
  counters.passed += passed
  const seconds = (performance.now() - startedMs) / 1000
  const name = nameOf(root, { path, on })
  counters.seconds.set(name, seconds)
  if (failed > 0) process.stdout.write(output.join(''))
  const result = failed > 0 ? `FAIL, ${failed} failed` : 'ok'
  process.stdout.write(`${inSeconds(seconds)}  ${name}: ${result}, ${passed} passed\n`)
}

export function inSeconds(seconds: number): string {
  return `${seconds.toFixed(1).padStart(6)} s`
}
