import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  body: string
}

export interface ScriptedResponse {
  status?: number
  headers?: Record<string, string>
  /** A string is sent as it is, everything else as JSON. */
  body?: unknown
}

export type Script = (
  request: ReceivedRequest,
  response: ServerResponse,
) => ScriptedResponse | Promise<ScriptedResponse> | undefined

export interface ScriptedService {
  url: string
  /** All requests, in order. */
  requests: ReceivedRequest[]
  /** Sets the script of a path. A script that returns undefined writes the response itself. */
  on(path: string, script: Script): void
  requestsTo(path: string): ReceivedRequest[]
  close(): Promise<void>
}

/** A real server; the test scripts every response. */
export async function startScripted(): Promise<ScriptedService> {
  const scripts = new Map<string, Script>()
  const requests: ReceivedRequest[] = []
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://service')
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const received: ReceivedRequest = {
        method: request.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        body,
      }
      requests.push(received)
      void reply(scripts.get(url.pathname), received, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    on: (path, script) => scripts.set(path, script),
    requestsTo: (path) => requests.filter((request) => request.path === path),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function reply(script: Script | undefined, request: ReceivedRequest, response: ServerResponse): Promise<void> {
  const scripted =
    script === undefined ? { status: 404, body: { error: 'no script' } } : await script(request, response)
  if (scripted === undefined || response.destroyed) return
  const isText = typeof scripted.body === 'string'
  response.writeHead(scripted.status ?? 200, { 'content-type': 'application/json', ...scripted.headers })
  response.end(isText ? (scripted.body as string) : scripted.body === undefined ? '' : JSON.stringify(scripted.body))
}

/** Holds responses back until it is opened. */
export function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), opened }
}
