import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that a scripted server received. */
export interface Received {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** The reply to one request: a JSON body, or a function that writes it. */
export type Script =
  | { status?: number; headers?: Record<string, string>; json?: unknown }
  | ((response: ServerResponse, request: IncomingMessage) => void)

export type ScriptedServer = Awaited<ReturnType<typeof startScripted>>

/** A server that replies by a script, one entry per request; the last entry repeats. */
export async function startScripted(script: Script[]) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const step = script[Math.min(received.length, script.length - 1)]!
      received.push({ method: request.method!, url: request.url!, headers: request.headers, body })
      if (typeof step === 'function') return step(response, request)
      response.writeHead(step.status ?? 200, { 'content-type': 'application/json', ...step.headers })
      return response.end(JSON.stringify(step.json ?? {}))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** The body of a refusal. */
export function refusal(reason: string, status: number, headers: Record<string, string> = {}): Script {
  return { status, headers, json: { error: 'A sentence.', reason, code: status * 100 + 1, request_id: 'req-1' } }
}
