import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'

export interface Message {
  id: string
  type: string
  data: {
    profile?: { id: string; account: string }
    run?: number
    changes?: Change[]
    [field: string]: unknown
  }
  headers: IncomingHttpHeaders
  body: string
}

export interface Change {
  op: 'put' | 'delete'
  seq: number
  id: string
  native_id: string
  endpoint: string
  data?: Record<string, unknown>
}

/** A webhook receiver as an app would write it: checks signatures and keeps what it accepted. */
export interface Receiver {
  url: string
  /** Accepted messages, in order of arrival. */
  messages: Message[]
  changes: () => Change[]
  /** The response: a status, or none for a while. */
  response: (message: Message) => number | 'hang'
  delayMs: number
  /** Headers of the response. */
  extra: Record<string, string>
  /** Whether a secret verifies the signature of a message. */
  isSigned: (message: Message, secret: string) => boolean
  close: () => Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const messages: Message[] = []
  const receiver: Receiver = {
    url: '',
    messages,
    changes: () => messages.flatMap(({ data }) => data.changes ?? []),
    response: () => 200,
    delayMs: 0,
    extra: {},
    isSigned,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const { type, data } = JSON.parse(body) as Pick<Message, 'type' | 'data'>
      const message = { id: String(request.headers['webhook-id']), type, data, headers: request.headers, body }
      const status = receiver.response(message)
      if (status === 'hang') return
      if (status < 300) messages.push(message)
      setTimeout(() => response.writeHead(status, receiver.extra).end(), receiver.delayMs)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`
  return receiver
}

/** As Standard Webhooks tells receivers to verify. */
function isSigned({ headers, id, body }: Message, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = `${id}.${String(headers['webhook-timestamp'])}.${body}`
  const expected = createHmac('sha256', key).update(signed).digest()
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice(3), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected))
}
