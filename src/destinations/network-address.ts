import { ApiError } from '#model/errors.ts'
import { decodePercent } from '#platform/decode-percent.ts'

/** Ports of protocols that can be abused by bytes meant for another one. */
const OTHERS = new Set([2375, 2376, 2379, 5984, 6379, 6380, 9200, 9300, 10_250, 11_211, 25_672])

/** Low ports belong to mail, remote shells and the like; only those of the kind itself may be named. */
export function checkPort(port: number, low: readonly number[]): number {
  if ((port < 1024 && !low.includes(port)) || OTHERS.has(port))
    throw new ApiError('bad_body', `url: port ${port} belongs to another protocol and cannot be used.`)
  return port
}

/** A part of an address as its owner meant it. */
export function decoded(part: string): string {
  const text = decodePercent(part)
  if (text === undefined)
    throw new ApiError('bad_body', 'url: holds a “%” that begins no escaped character; write it as %25.')
  return text
}

/** One host name or address: no socket, no list, no zone of this machine. */
export function hostOf(url: URL): string {
  const host = decoded(url.hostname)
  if (host === '') throw new ApiError('bad_body', 'url: names no host; local sockets cannot be used.')
  if (/[/\\,@\s%]/.test(host)) throw new ApiError('bad_body', 'url: must name one host, not a socket or a list.')
  return host.replace(/^\[|\]$/g, '')
}
