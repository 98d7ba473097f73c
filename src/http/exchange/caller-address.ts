import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'

/** Finds the address of a client: that of the connection, or the last one in `X-Forwarded-For` that no trusted proxy has. */
export function callerAddress(trusted: string[]): (raw: IncomingMessage) => string {
  if (trusted.length === 0) return ({ socket }) => socket.remoteAddress ?? ''
  const isTrusted = proxyAddr.compile(trusted)
  return (raw) => proxyAddr.all(raw, isTrusted).at(-1) ?? ''
}
