import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  body: string
}

export interface Told {
  status?: number
  headers?: Record<string, string>
  /** A text goes out as it is, everything else as JSON. */
  body?: unknown
}

export type Script = (asked: Asked, response: ServerResponse) => Told | Promise<Told> | undefined

export interface ScriptedService {
  url: string
  /** All that was asked, in order. */
  asked: Asked[]
  /** Answers a path from now on; gives undefined from the script to answer by hand. */
  on(path: string, script: Script): void
  to(path: string): Asked[]
  close(): Promise<void>
}

/** A real server whose every answer a test writes. */
export async function startScripted(): Promise<ScriptedService> {
  const scripts = new Map<string, Script>()
  const asked: Asked[] = []
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://service')
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const one: Asked = {
        method: request.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        body,
      }
      asked.push(one)
      void reply(scripts.get(url.pathname), one, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    on: (path, script) => scripts.set(path, script),
    to: (path) => asked.filter((one) => one.path === path),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function reply(script: Script | undefined, asked: Asked, response: ServerResponse): Promise<void> {
  const told = script === undefined ? { status: 404, body: { error: 'no script' } } : await script(asked, response)
  if (told === undefined || response.destroyed) return
  const isText = typeof told.body === 'string'
  response.writeHead(told.status ?? 200, { 'content-type': 'application/json', ...told.headers })
  response.end(isText ? (told.body as string) : told.body === undefined ? '' : JSON.stringify(told.body))
}

/** A gate that holds answers back until it is opened. */
export function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), opened }
}
