import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'

/** Finds the address of a client: that of the connection, or the last one in `X-Forwarded-For` that no trusted proxy has. */
export function callerAddress(trusted: string[]): (raw: IncomingMessage) => string {
  if (trusted.length === 0) return ({ socket }) => socket.remoteAddress ?? ''
  const isTrusted = proxyAddr.compile(trusted)
  return (raw) => proxyAddr.all(raw, isTrusted).at(-1) ?? ''
}

/** Tells whether a request comes over a connection of a trusted proxy, so that its forwarding headers count. */
export function fromTrustedProxy(trusted: string[]): (raw: IncomingMessage) => boolean {
  if (trusted.length === 0) return () => false
  const isTrusted = proxyAddr.compile(trusted)
  return ({ socket }) => isTrusted(socket.remoteAddress ?? '', 0)
}
