import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { webhook } from '#destinations/webhook/webhook.ts'
import { freePort } from '../../../harness/free-port.ts'
import { applyChanges, type Fixture, readChange, type Target } from './fixture.ts'

const closed = await freePort()

export interface Message {
  id: string
  body: string
  /** The secret that verified it. */
  verifiedBy: number[]
}

export interface Receiver extends Target {
  messages: Message[]
  /** The status to respond with instead of 204. */
  response: (message: Message) => { status: number; headers?: Record<string, string> } | undefined
}

/** A receiver that verifies every message with the library of the standard. */
export async function openReceiver(): Promise<Receiver> {
  const signing = [webhook.newSigning!(), webhook.newSigning!()]
  const messages: Message[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const message = { id: String(request.headers['webhook-id']), body, verifiedBy: verifiers(signing, request, body) }
      if (message.verifiedBy.length === 0) return response.writeHead(401).end()
      const reply = receiver.response(message)
      if (reply === undefined) messages.push(message)
      return response.writeHead(reply?.status ?? 204, reply?.headers).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const changes = () =>
    messages.flatMap(({ body }) => {
      const { type, data } = JSON.parse(body) as { type: string; data: { profile: string } }
      if (type === 'profile.erased') return [{ op: 'erase', profile: data.profile }]
      return type === 'items.changed' ? splitChanges(body).map(readChange) : []
    })
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/hook?app=1`,
    signing,
    messages,
    response: () => undefined,
    read: async () => applyChanges(changes()),
    everything: async () =>
      JSON.stringify([...new Set(messages.map(({ id, body }) => `${id} ${withoutTime(body)}`))].sort()),
    traces: async () => [],
    order: async () => changes().map((change) => `${String(change['id'])}@${String(change['seq'])}`),
    runs: async (profile) =>
      messages.flatMap(({ body }) => {
        const { data } = JSON.parse(body) as {
          data: { profile: string | { id: string }; run: number; changes?: { op: string; seq: number }[] }
        }
        if ((typeof data.profile === 'string' ? data.profile : data.profile.id) !== profile) return []
        if (data.changes === undefined) return [`${data.run}: erased`]
        return data.changes.map(({ op, seq }) => `${data.run}: ${op} ${seq}`)
      }),
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return receiver
}

export const webhookFixture: Fixture = {
  name: 'webhook',
  kind: 'webhook',
  skip: false,
  fences: false,
  canBeCut: false,
  atomic: false,
  open: openReceiver,
  wrong: async (target) => [
    { what: 'a closed port', url: `http://127.0.0.1:${closed}/`, says: /ECONNREFUSED/ },
    { what: 'a private address', url: 'http://10.1.2.3/', says: /address_refused/ },
    { what: 'no TLS at the server', url: target.url.replace('http:', 'https:'), says: /cannot be reached/ },
  ],
}

function verifiers(signing: string[], request: IncomingMessage, body: string): number[] {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  return signing.flatMap((secret, number) => {
    try {
      new Webhook(secret).verify(body, headers)
      return [number]
    } catch {
      return []
    }
  })
}

// Occurs only between objects of the array: inside a text the quote would be escaped.
function splitChanges(body: string): string[] {
  const list = body.slice(body.indexOf('"changes":[') + 11, -3)
  return list === '' ? [] : list.split(/(?<=\}),(?=\{"op":")/)
}

function withoutTime(body: string): string {
  return body.replace(/"timestamp":"[^"]+"/, '')
}
