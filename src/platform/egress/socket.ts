import { isIP, Socket } from 'node:net'
import { EgressError } from './errors.ts'
import { checkedAddress, type HostRules, pinnedLookup, withoutBrackets } from './lookup.ts'

/** An unconnected socket whose `connect` takes only a port and a host, and reaches only checked addresses. */
export function guardedSocket(rulesFor: (port: number) => HostRules): Socket {
  const socket = new Socket()
  const connect = socket.connect.bind(socket)
  const guarded = (port: unknown, host: unknown, onConnect?: () => void): Socket => {
    if (typeof onConnect === 'function') socket.once('connect', onConnect)
    try {
      const rules = rulesFor(Number(port))
      connect({ ...target(rules, port, host), lookup: pinnedLookup(rules) })
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)))
    }
    return socket
  }
  return Object.assign(socket, { connect: guarded })
}

/** Connects within the time limit; the promise rejects with the socket's error. */
export function openSocket(
  rulesFor: (port: number) => HostRules,
  { host, port, connectTimeoutMs }: { host: string; port: number; connectTimeoutMs: number },
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = guardedSocket(rulesFor)
    const timer = setTimeout(() => socket.destroy(new Error('The connection timed out')), connectTimeoutMs)
    const settle = (finish: () => void) => {
      clearTimeout(timer)
      socket.off('error', fail)
      finish()
    }
    const fail = (error: Error) => settle(() => reject(error))
    socket.once('error', fail)
    socket.once('connect', () => settle(() => resolve(socket)))
    socket.connect(port, host)
  })
}

function target(rules: HostRules, port: unknown, host: unknown): { host: string; port: number } {
  // A path instead of a port, or a host that is a path, would open a socket on this machine.
  if (typeof host !== 'string' || host === '' || host.includes('/') || !/^\d+$/.test(String(port))) {
    throw new EgressError('unix_socket_refused', 'Only a host name and a port can be connected to')
  }
  const bare = withoutBrackets(host)
  if (isIP(bare) !== 0) checkedAddress(rules, bare)
  return { host: bare, port: Number(port) }
}
