import type { IncomingMessage, RequestOptions } from 'node:http'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import {
  type DemoServiceKey,
  type DemoServiceState,
  type DemoServices,
  DemoServicesUnavailable,
} from '#flows/operations/demo-services.ts'
import { nodeHttp } from '#platform/node-http.ts'
import { demoSocketFolder } from './demo-folder.ts'

/** Limit: milliseconds that a demo service may take to begin its response. */
const MAX_WAIT_MS = 10_000

/** Talks to the demo services that run on this data folder, of this process or of another one. */
export function demoClient(dataDir: string): DemoServices {
  const folder = demoSocketFolder(dataDir)
  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await send(
      {
        socketPath: join(folder, 'control.sock'),
        method,
        path,
        headers: { 'content-type': 'application/json' },
      },
      body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    )
    const received = await readText(response)
    if (response.statusCode === undefined || response.statusCode >= 300)
      throw new Error(`The demo services refused ${method} ${path}: ${received.slice(0, 200)}`)
    return JSON.parse(received)
  }
  const statesOf = (received: unknown): DemoServiceState[] =>
    (received as DemoServiceState[]).map(({ service, down, throttled, now }) => ({ service, down, throttled, now }))
  return {
    states: async () => statesOf(await control('GET', '/controls')),
    act: async (action, service) => statesOf(await control('POST', '/controls', { action, service })),
    register: async (app, redirectUriOf) => {
      const services = (await control('GET', '/controls')) as { service: string; url: string }[]
      const redirectUris = Object.fromEntries(services.map((at) => [at.service, redirectUriOf(at)]))
      return (await control('POST', '/clients', { ...app, redirectUris })) as DemoServiceKey[]
    },
    forward: async (service, { method, target, headers, body }) => {
      const response = await send(
        { socketPath: join(folder, `${service}.sock`), method, path: target, headers: { host: service, ...headers } },
        body,
      )
      return { status: response.statusCode ?? 502, headers: response.headers, body: response }
    },
  }
}

function send(options: RequestOptions, body: Buffer | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Without an agent: sockets of this machine cost nothing to open, and none stays open when the server stops.
    const sent = nodeHttp.request({ ...options, agent: false, timeout: MAX_WAIT_MS }, resolve)
    sent.once('timeout', () => sent.destroy(new Error('The demo services take too long.')))
    sent.once('error', (error) => {
      reject(new DemoServicesUnavailable('The demo services do not respond.', { cause: error }))
    })
    sent.end(body)
  })
}
