import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { reasonOf } from '#platform/errors.ts'
import { longestFirst, readDurations, writeDurations } from './durations.ts'
import { onEmbedded } from './embedded-server.ts'
import { type FileRun, groupFiles, type ProcessRun } from './grouping.ts'
import { prepareRealServices } from './real-services.ts'
import { type Counters, runProcesses } from './run-files.ts'
import { printSummary } from './summary.ts'
import { withTemplate } from './template-database.ts'

const root = join(import.meta.dirname, '..')

/**
 * Tests run on the embedded database, the newest version. What runs over the service runs on an older server instead, whose tables
 * are partitioned as a sharded server would divide them: there a statement that works by chance on one table fails. On both, and on
 * that server's plain tables, only those tests run that depend on the version: every statement is prepared there. Without a server
 * everything runs on the embedded database; with TEST_EVERYWHERE=1 everything runs on all of them.
 */
const EVERYTHING = ['{src,lab}/**/*.test.ts', 'test/**/*.test.ts']
const OVER_THE_SERVICE = ['test/{spec,store}/**/*.test.ts']
const CLOSE_TO_THE_DATABASE = ['test/store/**/*.test.ts']
/** Of what runs over the service: searches, whose plans depend on the version. */
const ON_THE_NEWEST_TOO = [...CLOSE_TO_THE_DATABASE, 'test/spec/reading/**/*.test.ts']
/** Run by scripts/check.ts, beside the tests. */
const IN_THE_CHECKS = ['test/{house,docs,words,package-names,threat-model}.test.ts']
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
  'test/embedded/*.test.ts',
  'test/spec/sync/all-services.test.ts',
  'test/connectors.test.ts',
  'test/docs-blocks/*.test.ts',
  'test/{browser,examples,real/self}/*.test.ts',
  'test/spec/**/real-*.test.ts',
]
/** These files share processes, unless they are long or change their process. All others test or start processes. */
const TOGETHER = ['{src,lab}/**/*.test.ts', 'test/{spec,store,upstream}/**/*.test.ts']

const server = 'postgres://postgres@127.0.0.1:5432/postgres'
const counters: Counters = { passed: 0, failed: [], skipped: [], seconds: new Map() }
const durations = join(root, 'node_modules/.cache/tributary/test-seconds.json')
const only = process.argv.slice(2)

// Beside the first tests: on a new machine npm takes minutes.
const prepared = prepareRealServices()
if (only.length > 0) await prepared.then(() => chosen())
else await Promise.all([check(), onEmbedded(everywhere)])
counters.skipped.push(...(await prepared))
printSummary(counters)

/** Files that are named run in processes of their own, on partitioned tables with TEST_TABLES=partitioned. */
async function chosen(): Promise<void> {
  const run = (on: string, env: Record<string, string>) =>
    runProcesses(
      root,
      runs(files(only), on, env).map((file): ProcessRun => ({ files: [file] })),
      counters,
    )
  if (process.env['TEST_TABLES'] !== 'partitioned') return run('chosen', {})
  await withTemplate(server, 'partitioned', (template) => run('partitioned', { TEST_DATABASE_TEMPLATE: template }))
}

async function everywhere(url: string): Promise<void> {
  await withTemplate(url, 'whole', async (template) => {
    const onTheNewest = (chosenFiles: string[]) =>
      runs(chosenFiles, 'embedded PostgreSQL 18', { TEST_DATABASE_URL: url, TEST_DATABASE_TEMPLATE: template })
    const earlier = readDurations(durations)
    const runAll = async (all: FileRun[]) => {
      const processes = groupFiles(root, longFirst(all), { alone: alone(), seconds: earlier })
      await runProcesses(root, longestFirst(root, processes, earlier), counters)
      writeDurations(durations, new Map([...earlier, ...counters.seconds]))
    }
    if (!(await serverAnswers())) return runAll(onTheNewest(files(EVERYTHING)))
    return withTemplate(server, 'whole', (whole) =>
      withTemplate(server, 'partitioned', (partitioned) => {
        const onServer = (patterns: string[], on: string, used: string) =>
          runs(files(patterns), on, { TEST_DATABASE_URL: server, TEST_DATABASE_TEMPLATE: used })
        const isEverywhere = process.env['TEST_EVERYWHERE'] === '1'
        const once = new Set(isEverywhere ? [] : files(OVER_THE_SERVICE))
        for (const file of files(ON_THE_NEWEST_TOO)) once.delete(file)
        return runAll([
          ...onTheNewest(files(EVERYTHING).filter((file) => !once.has(file))),
          ...onServer(isEverywhere ? OVER_THE_SERVICE : CLOSE_TO_THE_DATABASE, 'server PostgreSQL', whole),
          ...onServer(OVER_THE_SERVICE, 'partitioned tables', partitioned),
        ])
      }),
    )
  })
}

function files(patterns: string[]): string[] {
  const found = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }))
  return [...new Set(found)].filter((file) => !file.includes('node_modules'))
}

/** The paths of files that get a process of their own. */
function alone(): Set<string> {
  const together = new Set(files(TOGETHER))
  for (const file of files(LONG)) together.delete(file)
  return new Set(
    files(EVERYTHING)
      .filter((file) => !together.has(file))
      .map((file) => join(root, file)),
  )
}

function runs(chosenFiles: string[], on: string, env: Record<string, string>): FileRun[] {
  return chosenFiles.map((file) => ({ path: join(root, file), on, env }))
}

/** Long files come first, without the checks; all others wait for the packages of the real services. */
function longFirst(all: FileRun[]): FileRun[] {
  const long = files(LONG).map((file) => join(root, file))
  const checks = files(IN_THE_CHECKS).map((file) => join(root, file))
  const unknown = long.filter((path) => !all.some((run) => run.path === path))
  if (unknown.length > 0) throw new Error(`not among the tests: ${unknown.join(', ')}`)
  const rest = all.filter(({ path }) => !long.includes(path) && !checks.includes(path))
  return [
    ...long.flatMap((path) => all.filter((run) => run.path === path)),
    ...rest.map((run) => ({ ...run, after: prepared })),
  ]
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
