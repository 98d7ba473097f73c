import { spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { Client } from 'pg'
import { systemClock } from '#base/clock.ts'
import { reasonOf } from '#base/errors.ts'
import { randomSecret } from '#base/ids.ts'
import { createLog } from '#base/log.ts'
import { openEmbedded } from '#store/embedded/open.ts'
import { prepareRealServices } from './real-services.ts'

const root = join(import.meta.dirname, '..')

/** Suites over the whole service run on the embedded database; those that lean on the database itself on a server too. */
const OVER_THE_SERVICE = ['test/spec/**/*.test.ts', 'test/store/**/*.test.ts']
const CLOSE_TO_THE_DATABASE = ['test/store/**/*.test.ts', 'test/spec/{admin,operating,reading,push}/*.test.ts']
const ONCE = [
  'src/**/*.test.ts',
  'lab/**/*.test.ts',
  'test/*.test.ts',
  'test/{embedded,faults,browser,real/self,command-line,upstream,connectors,chaos}/**/*.test.ts',
]

interface Tally {
  passed: number
  failed: string[]
  skipped: string[]
}

const tally: Tally = { passed: 0, failed: [], skipped: [] }
const only = process.argv.slice(2)

if (only.length === 0) check()
const missing = await prepareRealServices()
tally.skipped.push(...missing)
if (only.length > 0) {
  await runFiles(
    'chosen',
    only.flatMap((pattern) => globSync(pattern, { cwd: root })),
  )
} else {
  await runFiles('once', files(ONCE))
  await onEmbedded(() => runFiles('embedded PostgreSQL 18', files(OVER_THE_SERVICE)))
  // All of it on the server too: TEST_EVERYWHERE=1 npm test.
  const again = process.env['TEST_EVERYWHERE'] === '1' ? OVER_THE_SERVICE : CLOSE_TO_THE_DATABASE
  await onServer(() => runFiles('server PostgreSQL', files(again)))
}
summary()

function files(patterns: string[]): string[] {
  return patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !file.includes('node_modules'))
}

function check(): void {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/check.ts')], { stdio: 'inherit' })
  if (status === 0) tally.passed += 1
  else tally.failed.push('npm run check')
}

async function runFiles(name: string, paths: string[]): Promise<void> {
  process.stdout.write(`\n== ${name}: ${paths.length} files\n`)
  const stream = run({ files: paths.map((path) => join(root, path)), concurrency: 2, timeout: 300_000 })
  stream.on('test:pass', (event) => {
    if (event.skip !== undefined) tally.skipped.push(`${event.name}: ${String(event.skip)}`)
    else if (event.details.type !== 'suite') tally.passed += 1
  })
  stream.on('test:fail', (event) => {
    if (event.details.type !== 'suite') tally.failed.push(`${event.name} (${event.file ?? name})`)
  })
  for await (const text of stream.compose(spec)) process.stdout.write(text)
}

async function onEmbedded(work: () => Promise<void>): Promise<void> {
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
    process.env['TEST_DATABASE_URL'] = embedded.url
    await work()
  } finally {
    await embedded.release()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function onServer(work: () => Promise<void>): Promise<void> {
  const url = 'postgres://postgres@127.0.0.1:5432/postgres'
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 3000 })
  try {
    await client.connect()
    await client.end()
  } catch (error) {
    tally.skipped.push(`the whole suite on a server PostgreSQL: none at 127.0.0.1:5432 (${reasonOf(error)})`)
    return
  }
  process.env['TEST_DATABASE_URL'] = url
  await work()
}

function summary(): void {
  process.stdout.write('\n')
  for (const name of new Set(tally.skipped)) process.stdout.write(`skipped: ${name}\n`)
  for (const name of tally.failed) process.stdout.write(`FAILED: ${name}\n`)
  process.stdout.write(`${tally.passed} passed, ${tally.failed.length} failed, ${tally.skipped.length} skipped\n`)
  process.exitCode = tally.failed.length === 0 ? 0 : 1
}
