import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServiceClock } from './clock.ts'
import { playFault } from './fault-wire.ts'
import type { FaultList } from './faults.ts'
import { nodeHttp } from './node-http.ts'
import { noContent, Refusal, type Reply, text } from './reply.ts'
import { type LabRequest, readRequest } from './request.ts'
import type { LoggedRequest, RequestLog } from './request-log.ts'
import { createRouter, type Routes } from './router.ts'
import { send } from './send.ts'

interface ServerParts {
  routes: Routes
  /** Control routes: neither logged nor subject to faults. */
  controlRoutes: Routes
  clock: ServiceClock
  log: RequestLog
  faults: FaultList
  listen: Listen
  /** Called after a request that may have changed something, before it is answered. */
  onWrite?: (() => void) | undefined
}

/** A port of this machine, or a socket that only this user can open. */
export type Listen = { host: string; port: number } | { path: string }

export interface LabServer {
  port: number
  close: () => Promise<void>
}

export async function startServer(parts: ServerParts): Promise<LabServer> {
  const route = createRouter(parts.routes)
  const control = createRouter(parts.controlRoutes)
  const closing = new AbortController()

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    let entry: LoggedRequest | undefined
    const finish = (status: number) => {
      if (entry) entry.status = status
    }
    try {
      const request = await readRequest(message)
      // Browsers ask for it by themselves.
      if (request.path === '/favicon.ico') return void send(response, noContent(), parts.clock)
      if (request.path === '/_lab' || request.path.startsWith('/_lab/')) {
        send(response, await runRoute(control, request), parts.clock)
        return
      }
      entry = parts.log.add(request, parts.clock.now())
      const fault = parts.faults.take(request)
      const respond = async () => {
        const reply = await runRoute(route, request)
        if (request.method !== 'GET' && request.method !== 'HEAD') parts.onWrite?.()
        return reply
      }
      if (!fault) return finish(send(response, await respond(), parts.clock))
      entry.fault = fault.kind
      finish(await playFault({ response, clock: parts.clock, signal: closing.signal, respond }, fault))
    } catch (error) {
      if (closing.signal.aborted || response.headersSent) return void response.destroy()
      const reply = error instanceof Refusal ? error.reply : text(500, `the lab itself failed: ${String(error)}`)
      finish(send(response, reply, parts.clock))
    }
  }

  // Tests in the same process may compute for longer than the usual five seconds; an idle connection is kept meanwhile.
  const server = nodeHttp.createServer(
    { keepAliveTimeout: 120_000 },
    (message, response) => void serve(message, response),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(parts.listen, resolve)
  })
  return {
    port: 'port' in parts.listen ? (server.address() as AddressInfo).port : 0,
    close: () =>
      new Promise((resolve) => {
        closing.abort()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function runRoute(route: (request: LabRequest) => Reply | Promise<Reply>, request: LabRequest): Promise<Reply> {
  try {
    return await route(request)
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}
