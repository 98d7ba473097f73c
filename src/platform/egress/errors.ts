import { LIST_VARIABLES, type PrivateList } from './trust.ts'

export type EgressReason =
  | 'url_invalid'
  | 'scheme_refused'
  | 'plain_http_refused'
  | 'userinfo_refused'
  | 'port_refused'
  | 'unix_socket_refused'
  | 'address_refused'
  | 'name_unresolved'
  | 'too_many_addresses'

/** The host that a refusal is about. */
export interface RefusedHost {
  /** The host was given by name, not as an address. */
  ofName?: boolean | undefined
  /** The host as the caller gave it, if it is known. */
  host?: string | undefined
  /** The setting that would allow it. */
  list?: PrivateList | undefined
}

/** An outgoing connection that the guard refused; nothing was sent. */
export class EgressError extends Error {
  readonly reason: EgressReason
  readonly ofName: boolean
  readonly host: string | undefined
  readonly list: PrivateList

  constructor(reason: EgressReason, message: string, options: ErrorOptions & RefusedHost = {}) {
    super(message, options)
    this.name = 'EgressError'
    this.reason = reason
    this.ofName = options.ofName ?? false
    this.host = options.host
    this.list = options.list ?? 'allowPrivate'
  }
}

/**
 * True for a name that has no address, or none that may be reached. Only the operator may know which, because an app could
 * otherwise find out which names exist inside the network.
 */
export function isNameRefusal({ reason, ofName }: EgressError): boolean {
  return ofName && reason !== 'plain_http_refused' && reason !== 'port_refused'
}

/**
 * What helps against a refusal, for the one who chose the host. The same sentence for every name that cannot be reached, for the
 * reason above.
 */
export function explainRefusal({ reason, host, message, list }: EgressError): string {
  if (host === undefined) return `${message}.`
  const variable = LIST_VARIABLES[list]
  if (reason === 'port_refused')
    return `The host ${host} was not called: web servers do not use this port. Only networks in ${variable} can be reached on any port.`
  if (reason === 'plain_http_refused')
    return `The host ${host} was not called: without TLS only networks in ${variable} can be reached. Use https, or let the operator add its network there.`
  return `The host ${host} was not called: it has no address on the public internet, or its name cannot be resolved. The operator can allow a private network with ${variable}.`
}

/** Finds the guard's error inside the errors that HTTP clients and drivers wrap around it. */
export function egressErrorIn(error: unknown): EgressError | undefined {
  let current = error
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if (current instanceof EgressError) return current
    current = current.cause
  }
  return undefined
}
