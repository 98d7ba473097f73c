import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { cuttableLine } from '../harness/database/cuttable-line.ts'
import { freePort } from '../harness/free-port.ts'
import { until } from '../harness/until.ts'

const { stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' })
const version = /PgBouncer (\d+)\.(\d+)/.exec(stdout ?? '')

export const missing = version === null ? 'pgbouncer is not installed' : false
/** Since 1.21 it supports prepared statements across connections. */
export const knowsPreparedStatements = version !== null && Number(version[2]) >= 21

/** A real PgBouncer in transaction mode, by default with two server connections. */
export async function startPooler(
  databaseUrl: string,
  { servers = 2, clients = 100 } = {},
): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-pooler-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  // Through a TCP proxy, because its system user may not reach a socket in another user's data folder.
  const line = await cuttableLine(databaseUrl)
  const server = new URL(line.url)
  const target = [
    `host=${server.hostname}`,
    `port=${server.port}`,
    `user=${decodeURIComponent(server.username)}`,
    ...(server.password === '' ? [] : [`password=${decodeURIComponent(server.password)}`]),
  ]
  writeFileSync(
    join(folder, 'pooler.ini'),
    `[databases]
* = ${target.join(' ')}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${servers}
max_client_conn = ${clients}
server_reset_query_always = 1
server_reset_query = DISCARD ALL
ignore_startup_parameters = extra_float_digits
${knowsPreparedStatements ? 'max_prepared_statements = 100' : ''}
`,
  )
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', [...user, join(folder, 'pooler.ini')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text: Buffer) => {
    said += text.toString()
  })
  const url = new URL(`postgres://tributary@127.0.0.1:${port}${server.pathname}`).href
  await until('pgbouncer accepts connections', async () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${said}`)
    return isReachable(url)
  })
  return {
    url,
    stop: async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      await line.close()
      rmSync(folder, { recursive: true })
    },
  }
}

async function isReachable(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
