/**
 * A process that holds the embedded database, which tests control and kill.
 * Arguments: data folder, password, machine folder. Commands are lines on stdin; each gets one line of JSON.
 */
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { type Embedded, openEmbedded } from '#platform/embedded-postgres/open.ts'
import { SetupError } from '#platform/errors.ts'
import type { Log } from '#platform/telemetry/log.ts'

const [dataDir = '', password = '', systemDir = ''] = process.argv.slice(2)
const lines: string[] = []
const note = (message: string) => void lines.push(message)
const log: Log = {
  debugEnabled: false,
  debug: note,
  info: note,
  warn: note,
  error: note,
  with: () => log,
  counts: () => [],
}

// Like the server: it drains first when it is interrupted.
process.on('SIGINT', () => {})

const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function execute(embedded: Embedded, command: string): Promise<unknown> {
  if (command === 'release') return embedded.release().then(() => ({ released: true }))
  if (command === 'ensure') return { url: await embedded.ensure() }
  if (command === 'cycle') {
    const other = await openEmbedded({ dataDir, password, log, systemDir })
    await other.release()
    return { started: other.started }
  }
  return { rows: await query(embedded.url, command) }
}

try {
  const embedded = await openEmbedded({ dataDir, password, log, systemDir })
  print({ started: embedded.started, url: embedded.url, log: lines })
  for await (const command of createInterface({ input: process.stdin })) {
    try {
      print(await execute(embedded, command))
    } catch (error) {
      print({ error: String(error) })
    }
    if (command === 'release') break
  }
} catch (error) {
  const setup = error instanceof SetupError ? { code: error.code, help: error.help } : {}
  print({ error: String(error), ...setup })
}
process.exit(0)
