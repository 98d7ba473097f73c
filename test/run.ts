import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { reasonOf } from '#platform/errors.ts'
import { buildBundle } from '../scripts/bundle/build.mjs'
import { type Spent, watchSlowness } from './runner/allowance.ts'
import { cpuSeconds, serverCpuSeconds } from './runner/cpu.ts'
import { onEmbedded } from './runner/embedded-server.ts'
import { changesItsProcess, type FileRun } from './runner/file-run.ts'
import { prepareRealServices } from './runner/real-services.ts'
import { newCounters, runFiles } from './runner/run-files.ts'
import { printSummary } from './runner/summary.ts'
import { dropDatabases, withTemplate } from './runner/template-database.ts'
import * as tiers from './runner/tiers.ts'

const root = join(import.meta.dirname, '..')
const server = 'postgres://postgres@127.0.0.1:5432/postgres'
/** Of the databases of this run, so that what is left of them can be dropped. */
const prefix = `tributary_test_${randomBytes(4).toString('hex')}`
const counters = newCounters()
const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { tier: { type: 'string', default: 'test' }, shared: { type: 'boolean', default: false } },
})
const tier = tiers.tierNamed(values.tier)
const startedMs = performance.now()
const spent: Spent = { processes: 0, databases: 0 }
const slownessOf = watchSlowness()
// Tests with generated cases run as many as their tier can afford.
if (named.length === 0) process.env['TEST_TIER'] = tier
// What is shipped is what the system tier starts; named files start the sources unless TEST_PROGRAM names another program.
if (tier === 'system') process.env['TEST_PROGRAM'] = join(await buildBundle(), 'main.js')

// Beside the first tests: on a new machine npm takes minutes.
const prepared = prepareRealServices(tier)
if (named.length > 0) await prepared.then(() => chosen())
else await Promise.all([tier === 'test' ? check() : undefined, onEmbedded(everywhere)])
counters.skipped.push(...(await prepared))
if (tier === 'test' && named.length === 0) sayWhatIsLeft()
printSummary(counters, {
  tier: named.length > 0 ? undefined : tier,
  spent,
  seconds: (performance.now() - startedMs) / 1000,
  slowness: slownessOf(),
})

/**
 * Files that are named run in processes of their own, on partitioned tables with TEST_TABLES=partitioned; with --shared on those
 * and in the processes that they have in a run of everything. Without a server they run on the embedded database.
 */
async function chosen(): Promise<void> {
  const files = tiers.filesOf(root, named)
  if (!(await serverAnswers()))
    return onEmbedded((url) =>
      withTemplate(url, 'whole', (template) => measured([url], kindOf('embedded PostgreSQL 18', url, template)(files))),
    )
  if (!values.shared && process.env['TEST_TABLES'] !== 'partitioned')
    return runFiles(
      root,
      files.map((file) => ({ path: join(root, file), on: 'chosen', env: {}, isAlone: true })),
      counters,
    )
  await withTemplate(server, 'partitioned', (template) => {
    const runs = kindOf('partitioned tables', server, template)(files)
    return measured([server], values.shared ? runs : runs.map((run) => ({ ...run, isAlone: true })))
  })
}

/**
 * The tests over the service run on a server of an older version, whose tables are partitioned as a sharded server would divide
 * them: there a statement that works by chance on one table fails. All others run on the embedded database, the newest version.
 * Without a server everything runs on the embedded one.
 */
async function everywhere(url: string): Promise<void> {
  const files = tiers.filesOfTier(root, tier)
  await withTemplate(url, 'whole', async (template) => {
    const newest = kindOf('embedded PostgreSQL 18', url, template)
    if (!(await serverAnswers())) return measured([url], newest(files))
    return withTemplate(server, 'whole', (whole) =>
      withTemplate(server, 'partitioned', (partitioned) => {
        const plain = kindOf('server PostgreSQL', server, whole)
        const divided = kindOf('partitioned tables', server, partitioned)
        const overTheService = new Set(tiers.filesOf(root, tiers.OVER_THE_SERVICE))
        const isShared = tiers.sharesProcess(root)
        const onServer = (file: string) => overTheService.has(file) || isShared(file)
        const { again, onTheNewest, partly } = tiers.repeatedIn(root, tier)
        const part = kindOf('embedded PostgreSQL 18, some cases', url, template, { TEST_TIER: 'test' })
        return measured(
          [url, server],
          [
            ...newest(files.filter((file) => !onServer(file))),
            ...divided([...files.filter(onServer), ...tiers.generatedIn(root, tier)]),
            ...newest([...again, ...onTheNewest]),
            ...part(partly),
            ...plain(tiers.differByTables(root, again)),
          ],
        )
      }),
    )
  })
}

/** Runs on one database. */
function kindOf(
  on: string,
  url: string,
  template: string,
  more: Record<string, string> = {},
): (files: string[]) => FileRun[] {
  const env = {
    ...more,
    TEST_DATABASE_URL: url,
    TEST_DATABASE_TEMPLATE: template,
    TEST_DATABASE_PREFIX: prefix,
  }
  const isShared = tiers.sharesProcess(root)
  return (files) =>
    files.map((file) => {
      const path = join(root, file)
      const isAlone = !isShared(file) || changesItsProcess(root, path)
      return { path, on, env, isAlone }
    })
}

async function measured(servers: string[], files: FileRun[]): Promise<void> {
  const before = await Promise.all(servers.map(serverCpuSeconds))
  try {
    await runFiles(root, files, counters)
  } finally {
    for (const url of servers) await dropDatabases(url, prefix)
  }
  const after = await Promise.all(servers.map(serverCpuSeconds))
  spent.databases = after.reduce((sum, seconds, i) => sum + seconds - before[i]!, 0)
  spent.processes = cpuSeconds()
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

function sayWhatIsLeft(): void {
  const left = Map.groupBy(tiers.filesOfTier(root, 'system'), (file) =>
    file
      .split('/')
      .slice(0, 3)
      .join('/')
      .replace(/\/[^/]+\.ts$/, ''),
  )
  const names = [...left].map(([folder, files]) => `${folder} (${files.length})`)
  process.stdout.write(`left to npm run test:system: ${names.join(', ')}\n`)
}
