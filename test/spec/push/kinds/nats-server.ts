import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../../../harness/free-port.ts'

const found = spawnSync('nats-server', ['--version'])

export const natsServerMissing: string | false = found.error === undefined ? false : 'there is no program nats-server'

/** A NATS server with users of different permissions, and with TLS if a certificate is given. */
export async function startNatsServer(tls?: {
  cert: string
  key: string
}): Promise<{ port: number; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-nats-'))
  const port = await freePort()
  const config = join(folder, 'server.conf')
  writeFileSync(
    config,
    `listen: "127.0.0.1:${port}"
jetstream { store_dir: "${folder}/store" }
accounts {
  WITH { jetstream: enabled, users: [
    { user: writer, password: right }
    { user: reader, password: right, permissions: { publish: { deny: ["$JS.API.STREAM.CREATE.>", "$JS.API.INFO"] } } }
  ] }
  WITHOUT { users: [{ user: plain, password: right }] }
}
${tls === undefined ? '' : `tls { cert_file: "${tls.cert}", key_file: "${tls.key}" }`}
`,
  )
  const server = spawn('nats-server', ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  for await (const line of createInterface(server.stderr)) {
    if (line.includes('Server is ready')) break
    if (line.includes('[FTL]')) throw new Error(line)
  }
  server.stderr.resume()
  return {
    port,
    stop: async () => {
      const ended = once(server, 'exit')
      server.kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
