import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createWebServer } from 'node:https'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createSecureContext, type SecureVersion, TLSSocket } from 'node:tls'
import { freePort } from '../../../harness/free-port.ts'
import type { Certificate } from './certificate.ts'

export interface TlsServer {
  port: number
  stop: () => Promise<void>
}

/** Starts TLS like PostgreSQL and forwards the decrypted bytes to a real server. */
export async function postgresWithTls(
  { cert, key }: Certificate,
  target: { port: number; host: string } | { path: string },
  maxVersion: SecureVersion = 'TLSv1.3',
): Promise<TlsServer> {
  const old = maxVersion === 'TLSv1.1'
  const secureContext = createSecureContext({
    cert,
    key,
    maxVersion,
    ...(old ? { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } : {}),
  })
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    socket.once('data', () => {
      socket.write('S')
      const inside = new TLSSocket(socket, { isServer: true, secureContext })
      const far = 'path' in target ? connect(target.path) : connect(target.port, target.host)
      inside.on('error', () => far.destroy()).on('close', () => far.destroy())
      far.on('error', () => inside.destroy()).on('close', () => inside.destroy())
      inside.pipe(far).pipe(inside)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    stop: async () => {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}

export const mariadbMissing: string | false =
  spawnSync('mariadbd', ['--version']).error === undefined ? false : 'there is no program mariadbd'

/** A MariaDB server with TLS and without passwords. */
export async function startMariadb({ certFile, keyFile }: Certificate): Promise<TlsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-mariadb-'))
  const port = await freePort()
  const places = [`--datadir=${folder}`, `--socket=${folder}/socket`, `--pid-file=${folder}/pid`, `--port=${port}`]
  const tls = [`--ssl-cert=${certFile}`, `--ssl-key=${keyFile}`]
  const small = ['--innodb-buffer-pool-size=16M', '--skip-grant-tables', '--bind-address=127.0.0.1']
  const as = process.getuid?.() === 0 ? ['--user=root'] : []
  const server = spawn('mariadbd', ['--no-defaults', ...places, ...tls, ...small, ...as], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(server, 'exit')
  let said = ''
  for await (const line of createInterface(server.stderr)) {
    said += `${line}\n`
    if (line.includes('ready for connections')) break
  }
  if (server.exitCode !== null) throw new Error(said)
  server.stderr.resume()
  return {
    port,
    stop: async () => {
      server.kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Responds 200 to every request, over TLS. */
export async function webWithTls({ cert, key }: Certificate): Promise<TlsServer> {
  const server = createWebServer({ cert, key }, (_, response) => response.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
