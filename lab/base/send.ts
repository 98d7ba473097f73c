import type { ServerResponse } from 'node:http'
import type { ServiceClock } from './clock.ts'
import type { Reply } from './reply.ts'

/** The Date header uses the service's clock: clients correct their own clock by it. */
export function send(response: ServerResponse, reply: Reply, clock: ServiceClock): number {
  const body = Buffer.from(reply.body)
  response.writeHead(reply.status, {
    date: new Date(clock.now()).toUTCString(),
    ...reply.headers,
    ...(reply.status === 204 ? {} : { 'content-length': body.length }),
  })
  response.end(reply.status === 204 ? undefined : body)
  return reply.status
}
