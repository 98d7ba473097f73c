import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../harness/free-port.ts'
import { until } from '../../../harness/until.ts'

const found = spawnSync('clickhouse-server', ['--version'])

export const clickhouseServerMissing: string | false =
  found.error === undefined ? false : 'there is no program clickhouse-server'

export interface ClickhouseServer {
  port: number
  /** With a certificate: the port that speaks TLS. */
  tlsPort: number
  /** Runs a statement; returns its rows as text, one JSON document per line. */
  ask: (sql: string, database?: string) => Promise<string>
  /** Kills the server without warning and starts it again on the same data. */
  crash: () => Promise<void>
  stop: () => Promise<void>
}

/** A ClickHouse server on ports and folders of its own, with a user that may write and one that may not. */
export async function startClickhouseServer(tls?: { cert: string; key: string }): Promise<ClickhouseServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-clickhouse-'))
  const [port, tlsPort, internalPort] = await Promise.all([freePort(), freePort(), freePort()])
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'config.xml'), configOf(folder, port, internalPort, tls && { ...tls, port: tlsPort }))
  writeFileSync(join(folder, 'users.xml'), USERS)
  let server = start()

  function start() {
    return spawn('clickhouse-server', [`--config-file=${join(folder, 'config.xml')}`], { cwd: folder, stdio: 'ignore' })
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }
  async function ready(): Promise<void> {
    await until('ClickHouse responds', async () => {
      if (server.exitCode !== null) throw new Error(`clickhouse-server ended with ${server.exitCode}`)
      // Refused until the server listens.
      return (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined))?.ok
    })
  }
  await ready()
  return {
    port,
    tlsPort,
    ask: async (sql, database = 'default') => {
      const response = await fetch(`http://127.0.0.1:${port}/?database=${database}&wait_end_of_query=1`, {
        method: 'POST',
        headers: { 'X-ClickHouse-User': 'writer', 'X-ClickHouse-Key': 'right' },
        body: sql,
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${sql}: ${text}`)
      return text
    },
    crash: async () => {
      await end('SIGKILL')
      // A start keeps what an unfinished merge wrote in the same second, and then can neither merge nor remove rows for a day.
      const killedAt = seconds()
      await until('a second is over', () => seconds() > killedAt)
      server = start()
      await ready()
    },
    stop: async () => {
      await end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const seconds = () => Math.floor(Date.now() / 1000)

const USERS = `<yandex>
  <profiles><default/><readonly><readonly>1</readonly></readonly></profiles>
  <quotas><default/></quotas>
  <users>
    <writer><password>right</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></writer>
    <reader><password>right</password><networks><ip>127.0.0.1</ip></networks><profile>readonly</profile><quota>default</quota></reader>
  </users>
</yandex>`

function configOf(
  folder: string,
  port: number,
  internalPort: number,
  tls: { cert: string; key: string; port: number } | undefined,
): string {
  return `<yandex>
  <logger><level>none</level></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${port}</http_port>
  <interserver_http_port>${internalPort}</interserver_http_port>
  ${
    tls === undefined
      ? ''
      : `<https_port>${tls.port}</https_port>
  <openSSL><server>
    <certificateFile>${tls.cert}</certificateFile><privateKeyFile>${tls.key}</privateKeyFile>
    <verificationMode>none</verificationMode>
  </server></openSSL>`
  }
  <path>${folder}/data/</path>
  <tmp_path>${folder}/tmp/</tmp_path>
  <mark_cache_size>16777216</mark_cache_size>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
</yandex>`
}
