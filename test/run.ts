import { spawn } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { systemClock } from '#base/clock.ts'
import { reasonOf } from '#base/errors.ts'
import { randomSecret } from '#base/ids.ts'
import { createLog } from '#base/log.ts'
import { openEmbedded } from '#store/embedded/open.ts'
import { prepareRealServices } from './real-services.ts'
import { type FileRun, runFiles, type Tally } from './run-files.ts'

const root = join(import.meta.dirname, '..')

/** Everything runs on the embedded database, the newest; what leans on the database itself on an older server too. */
const EVERYTHING = ['{src,lab}/**/*.test.ts', 'test/**/*.test.ts']
const OVER_THE_SERVICE = ['test/{spec,store}/**/*.test.ts']
const CLOSE_TO_THE_DATABASE = [
  'test/store/**/*.test.ts',
  'test/spec/admin/{apps,keys}.test.ts',
  'test/spec/reading/{copies,fields,paths,people-and-places,property,search,tenants}.test.ts',
  'test/spec/push/{deliver,filters,people}.test.ts',
]
/** Begun first, so that no long one is left alone at the end. */
const LONG = [
  'test/spec/push/command-line.test.ts',
  'test/faults/*.test.ts',
  'test/command-line/*.test.ts',
  'test/spec/sync/{all-services,over-http}.test.ts',
  'test/connectors.test.ts',
  'test/spec/reading/{property,streaming}.test.ts',
  'test/spec/operating/{canary,slow-clients}.test.ts',
  'test/spec/push/*.test.ts',
  'test/{embedded,browser,real/self}/*.test.ts',
  'test/spec/**/real-*.test.ts',
]

const server = 'postgres://postgres@127.0.0.1:5432/postgres'
const tally: Tally = { passed: 0, failed: [], skipped: [] }
const only = process.argv.slice(2)

tally.skipped.push(...(await prepareRealServices()))
if (only.length > 0) await runFiles(root, runs(only, 'chosen', {}), tally)
else
  await Promise.all([
    check(),
    onEmbedded(async (url) => runFiles(root, [...onTheNewest(url), ...(await onTheServer())], tally)),
  ])
summary()

function files(patterns: string[]): string[] {
  const found = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }))
  return [...new Set(found)].filter((file) => !file.includes('node_modules'))
}

function runs(patterns: string[], on: string, env: Record<string, string>): FileRun[] {
  return files(patterns).map((file) => ({ path: join(root, file), on, env }))
}

function onTheNewest(url: string): FileRun[] {
  const long = files(LONG)
  const all = files(EVERYTHING)
  const unknown = long.filter((file) => !all.includes(file))
  if (unknown.length > 0) throw new Error(`not among the tests: ${unknown.join(', ')}`)
  return runs([...long, ...all], 'embedded PostgreSQL 18', { TEST_DATABASE_URL: url })
}

/** All of it there too: TEST_EVERYWHERE=1 npm test. */
async function onTheServer(): Promise<FileRun[]> {
  const client = new Client({ connectionString: server, connectionTimeoutMillis: 3000 })
  try {
    await client.connect()
    await client.end()
  } catch (error) {
    tally.skipped.push(`the suites on a server PostgreSQL: none at 127.0.0.1:5432 (${reasonOf(error)})`)
    return []
  }
  const again = process.env['TEST_EVERYWHERE'] === '1' ? OVER_THE_SERVICE : CLOSE_TO_THE_DATABASE
  return runs(again, 'server PostgreSQL', { TEST_DATABASE_URL: server })
}

/** Beside the first tests, which mostly wait. */
async function check(): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'scripts/check.ts')], { stdio: 'inherit' })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  if (code === 0) tally.passed += 1
  else tally.failed.push('npm run check')
}

async function onEmbedded(work: (url: string) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-suite-'))
  // As root the database runs as another user, who has to pass through.
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
  for (const name of new Set(tally.skipped)) process.stdout.write(`skipped: ${name}\n`)
  for (const name of tally.failed) process.stdout.write(`FAILED: ${name}\n`)
  process.stdout.write(`${tally.passed} passed, ${tally.failed.length} failed, ${tally.skipped.length} skipped\n`)
  process.exitCode = tally.failed.length === 0 ? 0 : 1
}
