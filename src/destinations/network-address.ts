import { invalidInput } from '#model/errors.ts'
import { decodePercent } from '#platform/formats/decode-percent.ts'
import type { Kind } from './contract.ts'

/** Ports of services that would act upon bytes of another protocol. */
const FOREIGN_PORTS = new Set([2375, 2376, 2379, 5984, 6379, 6380, 9200, 9300, 10_250, 11_211, 25_672])

/** Low ports belong to mail, remote shells and other services; only those in `low` are allowed. */
export function checkPort(port: number, low: readonly number[]): number {
  if ((port < 1024 && !low.includes(port)) || FOREIGN_PORTS.has(port))
    throw invalidInput('bad_body', 'url', `port ${port} belongs to another protocol and cannot be used.`)
  return port
}

/** Decodes one component of an address. */
export function decoded(part: string): string {
  const text = decodePercent(part)
  if (text === undefined)
    throw invalidInput('bad_body', 'url', 'contains a “%” that does not start an escape sequence; write it as %25.')
  return text
}

/** One host name or IP address: not a local socket, a list of hosts or an address with a zone. */
export function hostOf(url: URL): string {
  const host = decoded(url.hostname)
  if (host === '') throw invalidInput('bad_body', 'url', 'must name a host; local sockets cannot be used.')
  if (/[/\\,@\s%]/.test(host)) throw invalidInput('bad_body', 'url', 'must name one host, not a socket or a list.')
  // Other schemes allow escaped characters in a host that those of the web refuse.
  if (!URL.canParse(`http://${host}/`) || /[#?]|^[^[]*:/.test(host))
    throw invalidInput('bad_body', 'url', 'must name a host by its name or IP address.')
  return host.replace(/^\[|\]$/g, '')
}

const CONTROL = /\p{Cc}|%(?:[01][\da-f]|7f)/iu

/** The same kind, which refuses control characters in every part of an address: drivers and servers cut or refuse such texts later. */
export function withPlainAddress(kind: Kind): Kind {
  return {
    ...kind,
    checkAddress: (url, appId) => {
      if (CONTROL.test(url))
        throw invalidInput('bad_body', 'url', 'must not contain control characters, such as %00 or a line break.')
      return kind.checkAddress(url, appId)
    },
  }
}
