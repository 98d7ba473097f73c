import { randomBytes } from 'node:crypto'
import { Client, Pool } from 'pg'
import { systemClock } from '#platform/clock.ts'
import { openDatabase } from '#platform/postgres/database.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { listReadable } from '#store/identity/readable-profiles.ts'
import { type Figures, load, median } from './load.ts'
import { benchDedup } from './read-dedup.ts'
import { POOL, type PreparedQuery, sqlOf, startServer } from './read-servers.ts'
import { SHAPES } from './read-shapes.ts'
import { type Filled, type FilledStore, fillStore, findFilledStore, recordFilledStore } from './read-store.ts'
import { benchStreams } from './read-streams.ts'

const SERVER = process.env['BENCH_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
/** Number of items in the store; the figures in docs/benchmarks.md are from 1000000 and 5000000. */
const TOTAL = Number(process.env['BENCH_ITEMS'] ?? 100_000)
const SIZES = [1000, 10_000, 100_000].filter((size) => size <= TOTAL)
/** A database that is kept: filled if it does not exist, and reused by the next run. */
const REUSED_DATABASE = process.env['BENCH_DATABASE']
const ROUND_MS = Number(process.env['BENCH_MS'] ?? 500)
const WARM_MS = Number(process.env['BENCH_WARM_MS'] ?? 10_000)
const CONNECTIONS = 8
/** Ours and the bare handler alternate; the ratio is the median of the rounds. */
const ROUNDS = 5

/** Reading in accounts of several sizes: our server compared with a bare handler and the bare driver, with the same SQL. */
export async function benchRead(): Promise<void> {
  const name = REUSED_DATABASE ?? `tributary_bench_${randomBytes(4).toString('hex')}`
  const url = new URL(SERVER)
  url.pathname = `/${name}`
  try {
    const { key, filled } = (await findFilledStore(url.href)) ?? (await newStore(name, url.href))
    if (process.env['BENCH_FILL'] === 'only') return
    await measure(url.href, key, filled)
  } finally {
    if (REUSED_DATABASE === undefined) await onServer(`drop database if exists ${name} with (force)`)
  }
}

async function newStore(name: string, url: string): Promise<FilledStore> {
  await onServer(`create database ${name}`)
  const started = performance.now()
  const key = randomBytes(32)
  const store = { key: key.toString('base64'), filled: await fillStore(url, [key], TOTAL, SIZES) }
  await recordFilledStore(url, store)
  process.stdout.write(`filled with ${TOTAL} items in ${((performance.now() - started) / 1000).toFixed(0)} s\n`)
  return store
}

async function measure(url: string, key: string, filled: Filled[]): Promise<void> {
  const largest = filled.at(-1)!
  const queries = await sqlFor(url, largest)
  const ours = await startServer({ kind: 'ours', url, key })
  const bare = await startServer({ kind: 'bare', url, queries })
  try {
    // Until V8 has optimised the code, as in a server that has run for a while.
    for (const url of [ours.url + SHAPES[0]!.path, `${bare.url}/0`])
      await load(url, { connections: CONNECTIONS, ms: WARM_MS, headers: { authorization: `Bearer ${largest.token}` } })
    print([
      '',
      ...filled.flatMap(({ size }) => [`${size} p50`, 'p99']),
      'ours /s',
      'bare /s',
      'share',
      'driver /s',
      'driver p50',
    ])
    const only = process.env['BENCH_ONLY']
    for (const [i, shape] of SHAPES.entries()) {
      if (only !== undefined && only !== shape.name) continue
      const cells: string[] = []
      for (const { token } of filled) {
        const { p50Ms, p99Ms } = await loadWarm(ours.url + shape.path, token, 1)
        cells.push(ms(p50Ms), ms(p99Ms))
      }
      const rounds: { ours: number; bare: number }[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const ourRate = (await loadWarm(ours.url + shape.path, largest.token, CONNECTIONS)).perSecond
        rounds.push({ ours: ourRate, bare: (await loadWarm(`${bare.url}/${i}`, '', CONNECTIONS)).perSecond })
      }
      const driver = await loadDriver(url, queries[i]!)
      print([
        shape.name,
        ...cells,
        median(rounds.map((round) => round.ours)).toFixed(0),
        median(rounds.map((round) => round.bare)).toFixed(0),
        median(rounds.map((round) => round.ours / round.bare)).toFixed(2),
        driver.perSecond.toFixed(0),
        ms(driver.p50Ms),
      ])
    }
    if (only === undefined || only === 'dedup') await benchDedup(ours.url, largest)
    if (only === undefined) await benchStreams(ours, largest)
  } finally {
    await ours.stop()
    await bare.stop()
  }
}

async function sqlFor(url: string, { account }: Filled): Promise<PreparedQuery[]> {
  const log = createLog({ level: 'silent', format: 'text', clock: systemClock, write: () => {} })
  const database = openDatabase({ url, pool: 2, prepared: true, log })
  const readable = await listReadable(database, account)
  await database.close()
  return SHAPES.map((shape) => sqlOf(shape, readable))
}

/** Runs a short round first, which fills caches and prepares statements. */
async function loadWarm(url: string, token: string, connections: number): Promise<Figures> {
  const headers = { authorization: `Bearer ${token}` }
  await load(url, { connections, ms: ROUND_MS / 3, headers })
  return load(url, { connections, ms: ROUND_MS, headers })
}

async function loadDriver(url: string, query: PreparedQuery): Promise<Figures> {
  const pool = new Pool({ connectionString: url, max: Math.min(POOL, CONNECTIONS) })
  const times: number[] = []
  const loop = async (untilMs: number) => {
    while (performance.now() < untilMs) {
      const before = performance.now()
      await pool.query({ ...query })
      times.push(performance.now() - before)
    }
  }
  await loop(performance.now() + ROUND_MS / 3)
  const alone = times.splice(0).sort((a, b) => a - b)
  const started = performance.now()
  await Promise.all(Array.from({ length: CONNECTIONS }, () => loop(started + ROUND_MS)))
  const perSecond = (times.length * 1000) / (performance.now() - started)
  await pool.end()
  return { perSecond, p50Ms: median(alone), p99Ms: alone.at(-1) ?? 0 }
}

function ms(value: number): string {
  return value.toFixed(1)
}

function print(cells: string[]): void {
  process.stdout.write(`| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(13) : cell.padStart(9))).join(' | ')} |\n`)
}

async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: SERVER })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
