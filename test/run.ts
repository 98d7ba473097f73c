import { spawn } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { systemClock } from '#platform/clock.ts'
import { openEmbedded } from '#platform/embedded-postgres/open.ts'
import { reasonOf } from '#platform/errors.ts'
import { randomSecret } from '#platform/ids.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { longestFirst, readDurations, writeDurations } from './durations.ts'
import { prepareRealServices } from './real-services.ts'
import { type Counters, type FileRun, inSeconds, runFiles } from './run-files.ts'
import { withTemplate } from './template-database.ts'

const root = join(import.meta.dirname, '..')

/**
 * Everything runs on the embedded database, the newest version. On an older server only those tests run that depend on
 * the database itself: every statement is prepared there (test/store), and those composed at run time are executed.
 */
const EVERYTHING = ['{src,lab}/**/*.test.ts', 'test/**/*.test.ts']
const OVER_THE_SERVICE = ['test/{spec,store}/**/*.test.ts']
const CLOSE_TO_THE_DATABASE = [
  'test/store/**/*.test.ts',
  'test/spec/admin/keys.test.ts',
  'test/spec/reading/{copies,property,search}.test.ts',
  'test/spec/push/{deliver,filters}.test.ts',
]
/** Run by scripts/check.ts, beside the tests. */
const IN_THE_CHECKS = ['test/{house,docs,words}.test.ts']
/**
 * Started first on a machine without recorded durations. They do not wait for the packages of the real services;
 * files that need those wait by themselves, and come last here.
 */
const LONG = [
  'test/spec/push/command-line.test.ts',
  'test/faults/*.test.ts',
  'test/command-line/*.test.ts',
  'test/spec/sync/over-http.test.ts',
  'test/spec/reading/{property,streaming}.test.ts',
  'test/spec/operating/{canary,slow-clients}.test.ts',
  'test/spec/push/*.test.ts',
  'test/embedded/*.test.ts',
  'test/spec/sync/all-services.test.ts',
  'test/connectors.test.ts',
  'test/{browser,real/self}/*.test.ts',
  'test/spec/**/real-*.test.ts',
]

const server = 'postgres://postgres@127.0.0.1:5432/postgres'
const counters: Counters = { passed: 0, failed: [], skipped: [], seconds: new Map() }
const durations = join(root, 'node_modules/.cache/tributary/test-seconds.json')
const only = process.argv.slice(2)

// Beside the first tests: on a new machine npm takes minutes.
const prepared = prepareRealServices()
if (only.length > 0) await prepared.then(() => runFiles(root, runs(only, 'chosen', {}), counters))
else await Promise.all([check(), onEmbedded(everywhere)])
counters.skipped.push(...(await prepared))
summary()

async function everywhere(url: string): Promise<void> {
  await withTemplate(url, async (template) => {
    const first = onTheNewest({ TEST_DATABASE_URL: url, TEST_DATABASE_TEMPLATE: template })
    const earlier = readDurations(durations)
    const runAll = async (all: FileRun[]) => {
      await runFiles(root, longestFirst(root, all, earlier), counters)
      writeDurations(durations, new Map([...earlier, ...counters.seconds]))
    }
    if (!(await serverAnswers())) return runAll(first)
    return withTemplate(server, async (serverTemplate) =>
      runAll([...first, ...onTheServer({ TEST_DATABASE_URL: server, TEST_DATABASE_TEMPLATE: serverTemplate })]),
    )
  })
}

function files(patterns: string[]): string[] {
  const found = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }))
  return [...new Set(found)].filter((file) => !file.includes('node_modules'))
}

function runs(patterns: string[], on: string, env: Record<string, string>): FileRun[] {
  return files(patterns).map((file) => ({ path: join(root, file), on, env }))
}

function onTheNewest(env: Record<string, string>): FileRun[] {
  const long = files(LONG)
  const all = files(EVERYTHING)
  const unknown = long.filter((file) => !all.includes(file))
  if (unknown.length > 0) throw new Error(`not among the tests: ${unknown.join(', ')}`)
  const apart = files([...LONG, ...IN_THE_CHECKS])
  const rest = all.filter((file) => !apart.includes(file))
  const on = 'embedded PostgreSQL 18'
  return [...runs(long, on, env), ...runs(rest, on, env).map((run) => ({ ...run, after: prepared }))]
}

/** Everything there too: TEST_EVERYWHERE=1 npm test. */
function onTheServer(env: Record<string, string>): FileRun[] {
  const again = process.env['TEST_EVERYWHERE'] === '1' ? OVER_THE_SERVICE : CLOSE_TO_THE_DATABASE
  return runs(again, 'server PostgreSQL', env)
}

async function serverAnswers(): Promise<boolean> {
  const client = new Client({ connectionString: server, connectionTimeoutMillis: 3000 })
  try {
    await client.connect()
    await client.end()
    return true
  } catch (error) {
    counters.skipped.push(`the suites on a server PostgreSQL: none at 127.0.0.1:5432 (${reasonOf(error)})`)
    return false
  }
}

/** Beside the first tests, which mostly wait. */
async function check(): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'scripts/check.ts')], { stdio: 'inherit' })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  if (code === 0) counters.passed += 1
  else counters.failed.push('npm run check')
}

async function onEmbedded(work: (url: string) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-suite-'))
  // As root the database runs as another user, who needs search permission on this folder.
  chmodSync(dataDir, 0o711)
  const log = createLog({
    level: 'warn',
    format: 'text',
    clock: systemClock,
    write: (line) => process.stderr.write(line),
  })
  const embedded = await openEmbedded({ dataDir, password: randomSecret(), log })
  try {
    await work(embedded.url)
  } finally {
    await embedded.release()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function summary(): void {
  process.stdout.write('\n')
  const slowest = [...counters.seconds].toSorted(([, a], [, b]) => b - a).slice(0, 10)
  for (const [name, seconds] of slowest) process.stdout.write(`slowest: ${inSeconds(seconds)}  ${name}\n`)
  for (const name of new Set(counters.skipped)) process.stdout.write(`skipped: ${name}\n`)
  for (const name of counters.failed) process.stdout.write(`FAILED: ${name}\n`)
  process.stdout.write(
    `${counters.passed} passed, ${counters.failed.length} failed, ${counters.skipped.length} skipped\n`,
  )
  process.exitCode = counters.failed.length === 0 ? 0 : 1
}
